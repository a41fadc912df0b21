import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { fc, hostileJson } from '../../test/support/property.ts'
import { CODES } from '../errors/codes.ts'
import { CLIENT_CODES, createClient, createLocalTransport } from './client.ts'

/** Follows every import that is left after types are erased. */
function collectImports(file: URL, seen = new Map<string, string[]>()): Map<string, string[]> {
  if (seen.has(file.href)) return seen
  const text = readFileSync(file, 'utf8')
  const statements = text.matchAll(/^(?:import|export)\s+(?!type\b)[^'"]*?from\s+'([^']+)'/gm)
  const paths = Array.from(statements, ([, path]) => path as string)
  seen.set(file.href, paths)
  for (const path of paths) {
    if (path.startsWith('.')) collectImports(new URL(path, file), seen)
  }
  return seen
}

describe('the client', () => {
  it('runs in a browser: nothing it imports needs Node or a package', () => {
    const imports = collectImports(new URL('./client.ts', import.meta.url))
    expect(imports.size).toBeGreaterThan(20)
    const foreign = [...imports.values()].flat().filter((path) => !path.startsWith('.'))
    expect(foreign).toEqual([])
  })

  it('explains every one of its codes in docs/guides/client.md', () => {
    const page = readFileSync(new URL('../../docs/guides/client.md', import.meta.url), 'utf8')
    const explained = Array.from(page.matchAll(/^\| `(CLIENT_[A-Z_]+)` \|/gm), ([, code]) => code)
    expect(explained).toEqual(Object.keys(CLIENT_CODES))
  })

  it('turns whatever comes back into an outcome with a known code', async () => {
    const known = new Set([...Object.keys(CODES), ...Object.keys(CLIENT_CODES)])
    const protocol = fc.oneof(
      fc.constant({ name: 'forrst', version: '0.1.0' }),
      fc.record({ name: fc.anything(), version: fc.anything() }),
      hostileJson(),
    )
    const id = fc.oneof({ weight: 3, arbitrary: fc.constant('r1') }, hostileJson())
    const errors = fc.oneof(
      fc.array(fc.record({ code: fc.constantFrom('NOT_FOUND', ''), details: hostileJson() })),
      hostileJson(),
    )
    const extensions = fc.oneof(
      fc.array(fc.record({ urn: fc.constant('urn:forrst:ext:retry'), data: hostileJson() })),
      hostileJson(),
    )
    const document = fc.record(
      { protocol, id, result: hostileJson(), errors, extensions, meta: hostileJson() },
      { requiredKeys: [] },
    )
    const body = fc.oneof(
      document.map((value) => JSON.stringify(value)),
      document.map((value) => JSON.stringify(value).slice(0, -1)),
      fc.json(),
      fc.string(),
    )
    const header = fc.option(fc.oneof(fc.string(), fc.nat().map(String)), { nil: undefined })
    const status = fc.constantFrom(200, 400, 401, 404, 429, 500, 502, 503, 504)
    await fc.assert(
      fc.asyncProperty(body, header, status, async (text, value, code) => {
        const client = createClient({
          transport: async () => ({ status: code, header: () => value, body: text }),
          createId: () => 'r1',
          sleep: async () => {},
        })
        const outcome = await client.call('orders.get', {}, { readOnly: true })
        if (!outcome.ok) expect(known).toContain(outcome.error.code)
      }),
      { numRuns: 2000 },
    )
  })
})

describe('createLocalTransport', () => {
  it('says what it needs when it is handed a service', () => {
    expect(() => createLocalTransport({} as never)).toThrow(
      'createLocalTransport needs a handler: createApp(service, { surfaces: [forrst()] }).handle',
    )
  })
})
