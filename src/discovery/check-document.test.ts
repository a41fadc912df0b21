import { describe, expect, it } from 'vitest'
import { createEventsService } from '../../examples/events/main.ts'
import { fc, hostileJson } from '../../test/support/property.ts'
import { HAS_SEEDS, readJsonObjects, readSeed } from '../../test/support/seeds.ts'
import { checkDocument } from './check-document.ts'
import { buildDocument } from './document.ts'

describe('checking a discovery document', () => {
  const good = JSON.parse(
    JSON.stringify(buildDocument(createEventsService({ database: ':memory:' }))),
  )

  it('finds nothing wrong with what Waymark prints', () => {
    expect(checkDocument(good)).toEqual([])
  })

  it.skipIf(!HAS_SEEDS)(
    'finds nothing wrong with the document of the seed (needs ../shared)',
    () => {
      const seed = readJsonObjects(readSeed('000')).find((object) => 'discovery' in object)
      expect(checkDocument(seed)).toEqual([])
    },
  )

  it.each([
    [{ forrst: 1 }, '/forrst'],
    [{ info: undefined }, '/info'],
    [{ info: { title: 'a', version: '1', license: {} } }, '/info/license/name'],
    [{ servers: [{ name: 'a', url: 'https://{x}/' }] }, '/servers/0/url'],
    [
      { servers: [{ name: 'a', url: 'https://{x}/', variables: { x: {} } }] },
      '/servers/0/variables/x/default',
    ],
    [{ functions: 'none' }, '/functions'],
    [{ functions: [{ name: 'a.b', version: '1' }] }, '/functions/0/version'],
    [
      { functions: [{ name: 'a.b', version: '1.0.0', stability: 'fine' }] },
      '/functions/0/stability',
    ],
    [
      {
        functions: [
          { name: 'a.b', version: '1.0.0' },
          { name: 'a.b', version: '1.0.0' },
        ],
      },
      '/functions/1',
    ],
    [
      { functions: [{ name: 'a.b', version: '1.0.0', simulations: [{ name: 'x' }] }] },
      '/functions/0/simulations/0/input',
    ],
    [
      {
        functions: [{ name: 'a.b', version: '1.0.0', tags: [{ $ref: '#/components/tags/Nope' }] }],
      },
      '/functions/0/tags/0/$ref',
    ],
    [{ components: { ...good.components, tags: { A: {} } } }, '/components/tags/A/name'],
  ])('points at what is wrong in %j', (change, pointer) => {
    expect(checkDocument({ ...good, ...change }).map((problem) => problem.pointer)).toContain(
      pointer,
    )
  })

  it('never throws, whatever it is given', () => {
    fc.assert(
      fc.property(hostileJson(), (value) => {
        checkDocument(value)
        checkDocument({ ...good, functions: value, components: value, servers: value })
      }),
      { numRuns: 500 },
    )
  })
})
