import { describe, expect, it } from 'vitest'
import { DEFINITION_TARGETS, generateCode, generateDefinitions } from '../../src/entries/codegen.ts'
import { createToolFunctions } from '../../src/entries/runtime.ts'
import {
  checkToolSpec,
  formatProblems,
  formatToolSpec,
  mergeToolSpecs,
  parseToolSpec,
  type ToolSpec,
} from '../../src/entries/tool-spec.ts'
import { createService } from '../../src/entries/waymark.ts'
import { findFaults, hostileCases } from '../support/property.ts'
import { RICH_SPEC } from './documents.ts'

/** Reading and writing YAML costs most. */
const SMALL_SPEC: ToolSpec = {
  ...RICH_SPEC,
  tools: RICH_SPEC.tools.slice(1, 2),
  triggers: [],
}

describe('a tool spec with a hostile value at any place', { timeout: 120_000 }, () => {
  it('is refused with the name of the field, unless the value may stand there', async () => {
    expect(checkToolSpec(RICH_SPEC)).toMatchObject({ ok: true, warnings: [] })
    const faults = await findFaults(hostileCases(RICH_SPEC), (document, { at }) => {
      const parsed = checkToolSpec(document)
      if (parsed.ok) return
      const field = at.split('/').findLast((step) => !/^\d+$/.test(step))
      expect(formatProblems(parsed.problems, 'text')).toContain(field)
    })
    expect(faults).toEqual([])
  })

  it('becomes code, definitions and functions when it was not refused', async () => {
    const faults = await findFaults(hostileCases(RICH_SPEC), (document) => {
      const parsed = checkToolSpec(document)
      if (!parsed.ok) return
      const { spec } = parsed
      generateCode(spec)
      for (const target of DEFINITION_TARGETS) generateDefinitions(spec, target)
      createService({ info: TITLE, functions: createToolFunctions(spec) })
    })
    expect(faults).toEqual([])
  })

  it('is read from its text as it is read as a value, and merges on any side', async () => {
    const text = formatToolSpec(SMALL_SPEC)
    const faults = await findFaults(hostileCases(SMALL_SPEC, 0), (document) => {
      const changed = document as ToolSpec
      const edited = formatToolSpec(changed)
      expect(parseToolSpec(edited).ok).toBe(checkToolSpec(document).ok)
      mergeToolSpecs({ base: changed, edited: text, incoming: SMALL_SPEC })
      mergeToolSpecs({ base: SMALL_SPEC, edited: text, incoming: changed })
      mergeToolSpecs({ base: SMALL_SPEC, edited, incoming: SMALL_SPEC })
    })
    expect(faults).toEqual([])
  })
})

const TITLE = { title: 'Orchard', version: '1.0.0' }
