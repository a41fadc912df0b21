import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import type { DiscoveryDocument, FunctionObject } from '../../src/discovery/decode.ts'
import { generateClient } from '../../src/entries/codegen.ts'
import { compileProject } from './compile-project.ts'
import { HOSTILE_STRINGS } from './hostile-strings.ts'

const directory = mkdtempSync(join(tmpdir(), 'waymark-clients-'))
afterAll(() => rmSync(directory, { recursive: true }))

function hostileFunction(text: string, name: string): FunctionObject {
  const schema = { type: 'object', properties: { [text]: { const: text, description: text } } }
  return {
    name,
    version: '1.0.0',
    stability: 'stable',
    summary: text,
    description: text,
    deprecated: { reason: text, sunset: text },
    arguments: [{ name: text, summary: text, schema }],
    result: { name: text, schema },
    errors: [{ code: text, message: text, data: schema }],
    links: [{ name: text, function: text, params: { [text]: text, a: '$result.a' } }],
    examples: [{ name: text, params: [{ value: { [text]: text } }] }],
    query: {
      filters: { allowed: [text], operators: [text] },
      sorts: { allowed: [text] },
      fields: { allowed: [text] },
      pagination: {},
    },
    extensions: [{ urn: text }],
  }
}

const hostile: DiscoveryDocument = {
  forrst: '0.1.0',
  discovery: '0.1',
  info: { title: '*/ globalThis.pwned = 1 /*', version: "'; globalThis.pwned = 1" },
  servers: HOSTILE_STRINGS.map((text) => ({ name: text, url: `https://${text}` })),
  functions: [
    ...HOSTILE_STRINGS.map((text, index) => hostileFunction(text, `f${index}`)),
    ...HOSTILE_STRINGS.map((text) => hostileFunction('x', text)),
    ...HOSTILE_STRINGS.map((text) => hostileFunction('x', `ns.${text}`)),
    ...HOSTILE_STRINGS.map((text) => ({ ...hostileFunction('x', 'many'), version: text })),
  ],
  components: {
    schemas: Object.fromEntries(
      HOSTILE_STRINGS.map((text) => [text, { type: 'object', description: text }]),
    ),
  },
}

describe('clients of documents nobody checked', () => {
  it('run nothing a hostile document says, and compile', async () => {
    const folder = mkdtempSync(join(directory, 'hostile-'))
    const text = generateClient(hostile)
    writeFileSync(join(folder, 'client.ts'), text)
    expect(await compileProject(folder)).toEqual([])
    const module = await import(/* @vite-ignore */ join(folder, 'client.ts'))
    const [create] = Object.keys(module).filter((name) => name.startsWith('create'))
    module[create ?? '']({ url: 'http://127.0.0.1' })
    expect((globalThis as { pwned?: unknown }).pwned).toBeUndefined()
  }, 60_000)

  it('come of 10,000 functions, also when all read the same', () => {
    const make = (name: (index: number) => string): DiscoveryDocument => ({
      ...hostile,
      servers: [],
      functions: Array.from({ length: 10_000 }, (_, index) => ({
        name: name(index),
        version: '1.0.0',
        stability: 'stable' as const,
        arguments: [{ name: 'id', schema: { type: 'string' } }],
      })),
    })
    const plain = generateClient(make((index) => `group${index % 100}.f${index}`))
    const alike = generateClient(make((index) => `f${'-'.repeat((index % 5) + 1)}${index}-`))
    for (const text of [plain, alike]) {
      expect(text.match(/: method\(/g)).toHaveLength(10_000)
      expect(text.length).toBeLessThan(8_000_000)
    }
  })
})
