import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { createEventsService } from '../../examples/events/main.ts'
import type { DiscoveryDocument } from '../../src/discovery/decode.ts'
import { buildDocument } from '../../src/discovery/document.ts'
import { generateClient } from '../../src/entries/codegen.ts'
import { HAS_SEEDS, readJsonObjects, readSeed } from '../support/seeds.ts'
import { kitchenDocument } from './client-kitchen.ts'
import { compileProject, resolveOlderCompiler } from './compile-project.ts'

const directory = mkdtempSync(join(tmpdir(), 'waymark-client-'))
afterAll(() => rmSync(directory, { recursive: true }))

async function eventsDocument(): Promise<DiscoveryDocument> {
  const service = createEventsService({ database: ':memory:' })
  const document = buildDocument(service)
  await service.close()
  return document
}

function seedDocument(): DiscoveryDocument {
  const found = readJsonObjects(readSeed('000')).find((value) => value['discovery'] === '0.1')
  return found as unknown as DiscoveryDocument
}

// Clients on waymark/client: what differs from document to document. The runtime is the same for all.
describe('generated clients are the committed ones', () => {
  it('of the events example', async () => {
    const text = generateClient(await eventsDocument(), {
      origin: 'examples/events',
      runtime: 'package',
      name: 'Events',
    })
    await expect(text).toMatchFileSnapshot('client-golden/events.gen.ts')
  })

  it('with versions, streams, operations, links, URNs and awkward names', async () => {
    const text = generateClient(kitchenDocument, { runtime: 'package' })
    await expect(text).toMatchFileSnapshot('client-golden/kitchen.gen.ts')
  })

  it('and the same code stands before the runtime in those that carry it', () => {
    const code = (text: string): string => text.slice(text.indexOf('*/') + 2)
    const inline = code(generateClient(kitchenDocument))
    const imported = code(generateClient(kitchenDocument, { runtime: 'package' }))
    const own = imported.slice(imported.lastIndexOf("from 'waymark/client'") + 23).trim()
    const [before, runtime] = inline.split('/* From here on: ')
    expect(before?.trim()).toBe(own)
    expect(runtime).toContain('createMethods')
    const [, other] = generateClient({ ...kitchenDocument, functions: [] }).split(
      '/* From here on: ',
    )
    expect(other).toBe(runtime)
  })
})

describe('a generated client', () => {
  it('does not depend on the order of functions and members', async () => {
    const { functions, components, ...rest } = await eventsDocument()
    const turned: DiscoveryDocument = {
      functions: functions.toReversed(),
      ...(components && {
        components: Object.fromEntries(Object.entries(components).toReversed()),
      }),
      ...rest,
    }
    expect(generateClient(turned)).toBe(generateClient(await eventsDocument()))
  })

  it.skipIf(!HAS_SEEDS)(
    'of the document of the discovery seed compiles under every strict flag',
    async () => {
      const text = generateClient(seedDocument())
      expect(text).toContain('readonly legacy_create: Method<')
      expect(text).toContain('@deprecated Use events.create instead (until 2025-06-30)')
      expect(text).toContain('export interface EventResource {')
      const folder = mkdtempSync(join(directory, 'seed-'))
      writeFileSync(join(folder, 'seed.ts'), text)
      writeFileSync(join(folder, 'events.ts'), generateClient(await eventsDocument()))
      writeFileSync(join(folder, 'kitchen.ts'), generateClient(kitchenDocument))
      expect(await compileProject(folder)).toEqual([])
      const older = resolveOlderCompiler()
      if (older !== undefined) expect(await compileProject(folder, older)).toEqual([])
    },
    60_000,
  )

  it('imports what its code names, not what its document says', () => {
    const words = 'Streamable, Startable: QueryFilter; Clock'
    const said: DiscoveryDocument = {
      ...kitchenDocument,
      components: {},
      functions: [
        {
          name: 'a.b',
          version: '1.0.0',
          stability: 'stable',
          summary: words,
          arguments: [{ name: words, schema: { const: `it's "${words}"` } }],
        },
      ],
    }
    const text = generateClient(said, { runtime: 'package' })
    const [, imported = ''] = /import \{([^}]*)\}/.exec(text) ?? []
    expect(imported.match(/\w+(?=,)/g)).toEqual([
      'createMethods',
      'CallOptions',
      'ClientOptions',
      'Method',
    ])
  })

  it('has no functions when the document has none', async () => {
    const text = generateClient({ ...(await eventsDocument()), functions: [], components: {} })
    expect(text).toContain('readonly $call: Method<')
    expect(text).not.toContain(' method(')
  })
})
