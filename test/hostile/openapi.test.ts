import { describe, expect, it } from 'vitest'
import { generateCode } from '../../src/entries/codegen.ts'
import { importOpenApi, listOperations, loadOpenApi } from '../../src/entries/openapi.ts'
import { checkToolSpec } from '../../src/entries/tool-spec.ts'
import { findFaults, hostileCases } from '../support/property.ts'
import { RICH_OPENAPI, RICH_SWAGGER } from './documents.ts'

const DOCUMENTS = [
  { name: 'an OpenAPI 3.1 document', document: RICH_OPENAPI },
  { name: 'an OpenAPI 3.0 document', document: { ...RICH_OPENAPI, openapi: '3.0.3' } },
  { name: 'a Swagger 2 document', document: RICH_SWAGGER },
]

describe.each(DOCUMENTS)('$name with a hostile value', { timeout: 120_000 }, ({ document }) => {
  it('is listed, and is refused or imported into a spec that is valid', async () => {
    expect(importOpenApi(document)).toMatchObject({ ok: true })
    const faults = await findFaults(hostileCases(document), (changed) => {
      listOperations(changed)
      const imported = importOpenApi(changed)
      if (!imported.ok) return void expect(imported.problems).not.toEqual([])
      expect(checkToolSpec(imported.spec)).toMatchObject({ ok: true })
    })
    expect(faults).toEqual([])
  })

  it('is loaded from its text, and its spec becomes code', async () => {
    const hostile = hostileCases(document, 0)
    const faults = await findFaults(hostile, (changed) => {
      loadOpenApi(JSON.stringify(changed))
      const imported = importOpenApi(changed)
      if (imported.ok) generateCode(imported.spec)
    })
    expect(faults).toEqual([])
  })
})
