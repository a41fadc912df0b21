import { describe, expect, it } from 'vitest'
import { verifyService } from '../../src/entries/verify.ts'
import { createHonestShop, type Lie, type SeenRequest, withLie } from './shop.ts'

const PROTOCOL = { name: 'forrst', version: '0.1.0' }
const GET = 'shop.get@1.0.0'

const answer = (id: string, result: unknown, more = {}) => ({
  status: 200,
  body: { protocol: PROTOCOL, id, result, ...more },
})
const refuse = (id: string, code: string) => ({
  status: 400,
  body: { protocol: PROTOCOL, id, result: null, errors: [{ code, message: code }] },
})
const isAbout = ({ path, name }: SeenRequest, wanted: string) =>
  path === '/forrst' && name === wanted
/** Changes the data of an extension's entry, wherever there is one. */
const withData =
  (name: string, change: (data: Record<string, unknown>) => Record<string, unknown>): Lie =>
  (_, body) => {
    const urn = `urn:forrst:ext:${name}`
    const entries: { urn: string; data: Record<string, unknown> }[] = body?.extensions ?? []
    if (!entries.some((entry) => entry.urn === urn)) return undefined
    const extensions = entries.map((entry) =>
      entry.urn === urn ? { ...entry, data: change(entry.data) } : entry,
    )
    return { body: { ...body, extensions } }
  }
const watched =
  (events: (id: string) => string): Lie =>
  ({ name, extensions }) =>
    name === 'shop.watch' && extensions['stream'] !== undefined
      ? { body: events('verify_raw') }
      : undefined
/** Events in the right order. */
const toEvents = (id: string, { item, result }: { item: unknown; result: unknown }) => {
  const extensions = [{ urn: 'urn:forrst:ext:stream', data: { completed: true } }]
  const complete = { protocol: PROTOCOL, id, result: { streamed: true }, extensions }
  return [
    ['data', { status: 'connected' }],
    ['data', item],
    ['done', result],
    ['complete', complete],
  ]
    .map(([event, data]) => `event: ${event}\ndata: ${JSON.stringify(data)}\n\n`)
    .join('')
}

/** What an advertised extension does not do, and where that is seen. */
const BROKEN: Readonly<Record<string, { readonly where?: string; readonly lie: Lie }>> = {
  'async: no operation': {
    lie: withData('async', ({ operation_id: _, ...rest }) => rest),
  },
  'async: an operation nobody can ask for': {
    lie: (seen, body) =>
      isAbout(seen, 'status') ? refuse(body.id, 'ASYNC_OPERATION_NOT_FOUND') : undefined,
  },
  'async: a result of another shape': {
    lie: (seen, body) =>
      isAbout(seen, 'status') && body?.result?.status === 'completed'
        ? answer(body.id, { ...body.result, result: 'done', output: 'done' })
        : undefined,
  },
  'async: a failure where a plain call succeeds': {
    lie: (seen, body) =>
      isAbout(seen, 'status') ? refuse(body.id, 'ASYNC_OPERATION_FAILED') : undefined,
  },
  'async: a list without it': {
    lie: (seen, body) =>
      isAbout(seen, 'list') ? answer(body.id, { operations: [], next_cursor: null }) : undefined,
  },
  'async: what has ended is cancelled': {
    lie: (seen, body) =>
      isAbout(seen, 'cancel') ? answer(body.id, { status: 'cancelled' }) : undefined,
  },
  'stream: one document': {
    where: 'shop.watch@1.0.0',
    lie: ({ name, extensions }) =>
      name === 'shop.watch' && extensions['stream'] !== undefined
        ? { ...answer('verify_raw', { seen: 3 }), headers: { 'content-type': 'application/json' } }
        : undefined,
  },
  'stream: no end': {
    where: 'shop.watch@1.0.0',
    lie: watched(() => 'event: data\ndata: {"name":"Apple"}\n\n'),
  },
  'stream: no result before the end': {
    where: 'shop.watch@1.0.0',
    lie: watched(
      (id) => `event: data\ndata: 1\n\nevent: complete\ndata: {"id":"${id}","result":null}\n\n`,
    ),
  },
  'stream: the answer to another call': {
    where: 'shop.watch@1.0.0',
    lie: watched(
      () => 'event: data\ndata: 1\n\nevent: done\ndata: 1\n\nevent: complete\ndata: {"id":"x"}\n\n',
    ),
  },
  'stream: an item of another shape': {
    where: 'shop.watch@1.0.0',
    lie: watched((id) => toEvents(id, { item: { name: 7 }, result: { seen: 1 } })),
  },
  'stream: a result of another shape': {
    where: 'shop.watch@1.0.0',
    lie: watched((id) => toEvents(id, { item: { name: 'Apple' }, result: 'all' })),
  },
  'stream: taken by a function without one': {
    lie: ({ name, extensions }) =>
      name === 'shop.get' && extensions['stream'] !== undefined
        ? answer('verify_raw', null)
        : undefined,
  },
  'replay: no id': { lie: withData('replay', () => ({ status: 'processed' })) },
  'replay: a status of its own': {
    lie: withData('replay', (data) => ({ ...data, status: 'perhaps' })),
  },
  'replay: knows what nobody queued': {
    lie: (seen, body) =>
      isAbout(seen, 'forrst.replay.status') ? answer(body.id, { status: 'queued' }) : undefined,
  },
  'webhook: an address without TLS': {
    lie: ({ extensions }, body) =>
      extensions['webhook'] === undefined
        ? undefined
        : answer(body.id, null, {
            extensions: [{ urn: 'urn:forrst:ext:webhook', data: { registered: true } }],
          }),
  },
  'webhook: a refusal that does not say where': {
    lie: ({ extensions }, body) =>
      extensions['webhook'] === undefined ? undefined : refuse(body.id, 'INVALID_ARGUMENTS'),
  },
  'rate-limit: an entry that does not add up': {
    lie: withData('rate-limit', (data) => ({ ...data, remaining: 1 })),
  },
  'rate-limit: headers that say something else': {
    lie: ({ extensions }) =>
      extensions['rate-limit'] === undefined
        ? undefined
        : { headers: { 'ratelimit-remaining': '7' } },
  },
  'quota: an entry that does not add up': {
    lie: withData('quota', ({ quotas }) => ({
      quotas: (quotas as object[]).map((quota) => ({ ...quota, remaining: 1 })),
    })),
  },
  'retry: no hint': {
    lie: ({ extensions }, body) =>
      extensions['retry'] !== undefined && body?.errors
        ? { body: { ...body, extensions: [] } }
        : undefined,
  },
  'retry: a hint that cannot help': {
    lie: withData('retry', () => ({ allowed: true, strategy: 'immediate' })),
  },
  'maintenance: what is down answers': {
    where: 'shop.closed@1.0.0',
    lie: ({ name, extensions }, body) =>
      name === 'shop.closed' && extensions['maintenance'] !== undefined
        ? answer(body.id, true)
        : undefined,
  },
}

const NEW = ['async', 'stream', 'replay', 'webhook', 'rate-limit', 'quota', 'retry', 'maintenance']

describe('an extension that does not do what it is advertised for', () => {
  it.each(Object.entries(BROKEN))('is found: %s', async (title, { lie, where = GET }) => {
    const { findings } = await verifyService(withLie(await createHonestShop(), lie))
    expect(findings.map(({ rule, function: name }) => [rule, name])).toEqual([
      ['extension.broken', where],
    ])
    expect(findings[0]?.expected).toContain(`urn:forrst:ext:${title.split(':', 1)[0]} to work`)
  })
})

describe('an extension that works and is not advertised', () => {
  it.each(NEW)('is found: %s', async (name) => {
    const hide: Lie = (seen, body) => {
      if (seen.name !== 'capabilities') return undefined
      const extensions = body.result.extensions.filter(
        ({ urn }: { urn: string }) => urn !== `urn:forrst:ext:${name}`,
      )
      return { body: { ...body, result: { ...body.result, extensions } } }
    }
    const { findings } = await verifyService(withLie(await createHonestShop(), hide))
    expect(findings.map(({ rule, sentence }) => [rule, sentence])).toEqual([
      ['extension.unadvertised', `urn:forrst:ext:${name} works, and capabilities do not list it`],
    ])
  })
})

describe('an extension that nothing shows', () => {
  it('is unproven, with the reason', async () => {
    const service = await createHonestShop()
    const { unproven } = await verifyService(service, { only: ['shop.old'] })
    expect(unproven).toEqual(
      expect.arrayContaining([
        'urn:forrst:ext:stream (no function that could be called streams)',
        'urn:forrst:ext:maintenance (health shows nothing that is down for maintenance)',
        'urn:forrst:ext:retry (no call that was made fails)',
      ]),
    )
  })
})
