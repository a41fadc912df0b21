import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { readRegions } from '../../src/codegen/custom-regions.ts'
import { emitCapabilities } from '../../src/codegen/emit-capabilities.ts'
import { emitTriggers } from '../../src/codegen/emit-triggers.ts'
import { emitTypes } from '../../src/codegen/emit-types.ts'
import { generateCode } from '../../src/codegen/generate.ts'
import { buildModel } from '../../src/codegen/model.ts'
import type { ToolSpec } from '../../src/sources/tool-spec/types.ts'
import { readShape } from './code-shape.ts'
import { compileProject } from './compile-project.ts'
import { hostileSpec } from './hostile-spec.ts'
import { HOSTILE_STRINGS } from './hostile-strings.ts'

const directory = mkdtempSync(join(tmpdir(), 'waymark-hostile-'))
afterAll(() => rmSync(directory, { recursive: true }))

const RUNTIME_MARK = '\n/* From here on: '

function emit(text: string, name: string): string[] {
  const model = buildModel(hostileSpec(text, name))
  return [emitCapabilities(model), emitTriggers(model)]
}

/** Splits a file into what is made from the document and what is the same in every file. */
function split(code: string): { readonly made: string; readonly fixed: string } {
  const at = code.lastIndexOf(RUNTIME_MARK)
  return at === -1 ? { made: code, fixed: '' } : { made: code.slice(0, at), fixed: code.slice(at) }
}

function nodesOf(code: string): string {
  return readShape(code).nodes.join('\n')
}

function typesOf(code: string): string {
  return nodesOf(code).replace(/^(\d+ \w+) .*$/gm, '$1')
}

describe('no text of a document becomes code', () => {
  const harmless = emit('harmless', 'do_it').map(split)
  const cases = HOSTILE_STRINGS.map((text, index) => [index, text] as const)

  it.each(cases)('[TS-178] string %i in every field: %j', (_index, text) => {
    for (const [file, code] of emit(text, 'do_it').entries()) {
      const { made, fixed } = split(code)
      expect(fixed).toBe(harmless[file]?.fixed)
      expect(nodesOf(made)).toBe(nodesOf(harmless[file]?.made ?? ''))
      expect([...readRegions(made).keys()]).toEqual([
        ...readRegions(harmless[file]?.made ?? '').keys(),
      ])
    }
  })

  it.each(cases)('[TS-178] string %i as every name: %j', (_index, text) => {
    for (const [file, code] of emit('harmless', text).entries()) {
      expect(typesOf(split(code).made)).toBe(typesOf(harmless[file]?.made ?? ''))
    }
  })

  it.each(cases)('[TS-178] string %i in a JSON Schema: %j', (_index, text) => {
    expect(typesOf(emitSchema(text))).toBe(typesOf(emitSchema('harmless')))
  })
})

function emitSchema(text: string): string {
  const property = { const: text, description: text, format: text, default: text }
  return emitTypes({
    [text]: {
      description: text,
      properties: { [text]: property },
      required: [text],
      patternProperties: { [text]: { enum: [text, { [text]: text }] } },
    },
  })
}

/** One spec with all strings in all fields, and all strings as names. */
function allHostile(): ToolSpec {
  const specs = [
    ...HOSTILE_STRINGS.map((text, index) => hostileSpec(text, `do_${index}`)),
    ...HOSTILE_STRINGS.map((text) => hostileSpec('harmless', text)),
  ]
  const tools = specs.flatMap(({ auth, base_url, tools: own }) => {
    return own.map((tool) => ({ ...tool, ...(auth && { auth }), ...(base_url && { base_url }) }))
  })
  return { domain: 'all', tools, triggers: specs.flatMap((spec) => spec.triggers ?? []) }
}

describe('hostile code', () => {
  beforeAll(() => {
    const model = buildModel(allHostile())
    writeFileSync(join(directory, 'capabilities.ts'), emitCapabilities(model))
    writeFileSync(join(directory, 'triggers.ts'), emitTriggers(model))
  })

  it('[TS-178] compiles', async () => {
    expect(await compileProject(directory)).toEqual([])
  })

  it('[TS-178] does nothing when it is loaded, and says what the document said', async () => {
    const { all_tools: tools } = await import(/* @vite-ignore */ join(directory, 'capabilities.ts'))
    for (const [index, text] of HOSTILE_STRINGS.entries()) {
      const { description, parameters } = tools[index * 2]
      expect(description).toBe(text)
      expect(Object.keys(parameters.properties)).toContain(text)
    }
    const { all_triggers: triggers } = await import(
      /* @vite-ignore */ join(directory, 'triggers.ts')
    )
    expect(triggers).toHaveLength(HOSTILE_STRINGS.length * 10)
    expect((globalThis as { pwned?: unknown }).pwned).toBeUndefined()
  })

  it('[TS-138] keeps file names inside the output directory', () => {
    for (const text of HOSTILE_STRINGS) {
      const [file] = generateCode(hostileSpec('harmless', text))
      expect(file?.path).toMatch(/^[A-Za-z0-9_-]+\.capabilities\.ts$/)
    }
  })
})
