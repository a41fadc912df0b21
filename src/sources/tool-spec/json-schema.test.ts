import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { knownKeys, seedKeys } from './keys.ts'
import { buildToolSpecJsonSchema, type NodeKind } from './schema.ts'

const schema = buildToolSpecJsonSchema() as Record<string, unknown> & {
  properties: object
  $defs: Record<
    string,
    { properties: object; oneOf?: { properties: Record<string, { const?: string }> }[] }
  >
}

describe('JSON Schema of the format', () => {
  it('is the file that ships with the package (npx tsx scripts/tool-spec-schema.ts writes it)', () => {
    const shipped = readFileSync(new URL('./tool-spec.schema.json', import.meta.url), 'utf8')
    expect(JSON.parse(shipped)).toEqual(JSON.parse(JSON.stringify(schema)))
  })

  it('compiles, accepts a spec with extensions and refuses unknown keys', () => {
    const validate = new Ajv2020({ strict: false }).compile(schema)
    const tool = { name: 'a', description: 'b', method: 'GET', path: '/a', 'x-note': 1 }
    expect(validate({ domain: 'x', base_url: 'https://a.example', tools: [tool] })).toBe(true)
    expect(validate({ domain: 'x', tools: [{ ...tool, metod: 'GET' }] })).toBe(false)
    expect(validate({ domain: 'x', tools: [{ ...tool, method: 'FETCH' }] })).toBe(false)
  })

  it('knows exactly the keys of the key table', () => {
    const keysOf = (node: { properties: object } | undefined): string[] =>
      Object.keys(node?.properties ?? {}).sort()
    const tableOf = (kind: NodeKind): string[] => {
      expect(knownKeys(kind).slice(0, seedKeys(kind).length)).toEqual(seedKeys(kind))
      return knownKeys(kind).toSorted()
    }
    expect(keysOf(schema)).toEqual(tableOf('spec'))
    expect(keysOf(schema.$defs['ToolDef'])).toEqual(tableOf('tool'))
    expect(keysOf(schema.$defs['FieldDef'])).toEqual(tableOf('field'))
    expect(keysOf(schema.$defs['ElementDef'])).toEqual(tableOf('field'))
    expect(keysOf(schema.$defs['AuthConfig'])).toEqual(tableOf('auth'))
    const triggers = schema.$defs['TriggerDef']?.oneOf ?? []
    expect(triggers.length).toBe(5)
    for (const trigger of triggers) {
      expect(keysOf(trigger)).toEqual(tableOf(trigger.properties['type']?.const as NodeKind))
    }
  })
})
