import { InfiniteQueryObserver, MutationObserver, QueryClient } from '@tanstack/query-core'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { answering, connect, protocol } from '../../test/support/answering-server.ts'
import { createService, defineFunction } from '../entries/waymark.ts'
import { createMemoryStore } from '../store/index.ts'
import { createForrstHandler } from '../surfaces/forrst/index.ts'
import { createClient } from './client.ts'
import { createLocalTransport } from './local-transport.ts'
import { createQueries } from './tanstack-query.ts'

let runs = 0
let pages: object[] = []
let ended: AbortSignal | undefined

const count = defineFunction({
  name: 'runs.count',
  version: '1.0.0',
  writes: ['create'],
  input: z.object({ step: z.int() }),
  handler: () => {
    runs += 1
    return { runs }
  },
})

const fail = defineFunction({
  name: 'runs.fail',
  version: '1.0.0',
  errors: [{ code: 'RUNS_OVER', message: 'Over', data: z.object({ after: z.int() }) }],
  handler: ({ fail: failWith }) => {
    runs += 1
    throw failWith('RUNS_OVER', { details: { after: runs } })
  },
})

const hang = defineFunction({
  name: 'runs.hang',
  version: '1.0.0',
  handler: ({ signal }) => {
    ended = signal
    return new Promise<object>((resolve) => signal.addEventListener('abort', () => resolve({})))
  },
})

const list = defineFunction({
  name: 'runs.list',
  version: '1.0.0',
  readOnly: true,
  output: z.array(z.object({ id: z.string() })),
  query: { pagination: { strategies: ['offset'] } },
  resources: () => (pages.shift() ?? { data: [] }) as { data: [] },
  handler: () => [],
})

describe('options for TanStack Query', () => {
  const open = () =>
    createService({
      info: { title: 'Runs', version: '1.0.0' },
      store: createMemoryStore(),
      functions: [count, fail, hang, list],
    })
  let service = open()
  let cache = new QueryClient()
  let queries = makeQueries()

  function makeQueries() {
    return createQueries(
      createClient<ReturnType<typeof open>>({
        transport: createLocalTransport(createForrstHandler(service)),
        name: 'test',
      }),
    )
  }

  beforeEach(() => {
    runs = 0
    pages = []
    service = open()
    cache = new QueryClient()
    queries = makeQueries()
  })
  afterEach(async () => {
    cache.clear()
    await service.close()
  })

  it('keys queries by function, arguments, version, context and query, and pages apart', () => {
    const { queryOptions, infiniteQueryOptions, queryKey } = queries
    const keyOf = (options: { readonly queryKey: readonly unknown[] }) =>
      JSON.stringify(options.queryKey)
    const keys = [
      queryOptions('runs.count', { step: 1 }),
      queryOptions('runs.count', { step: 2 }),
      queryOptions('runs.count', { step: 1 }, { version: '1.0.0' }),
      queryOptions('runs.count', { step: 1 }, { context: { tenant: 'a' } }),
      queryOptions('runs.count', { step: 1 }, { extensions: [{ urn: 'urn:forrst:ext:locale' }] }),
      queryOptions('runs.list'),
      infiniteQueryOptions('runs.list'),
      infiniteQueryOptions('runs.list', {}, { pagination: { limit: 2 } }),
    ].map(keyOf)
    expect(new Set(keys).size).toBe(keys.length)
    expect(keyOf(queryOptions('runs.count', { step: 1 }, { timeoutMs: 5 }))).toBe(keys[0])
    expect(queryKey('runs.count')).toEqual(['runs.count'])
    expect(queryKey('runs.count', { step: 1 })).toEqual(['runs.count', { step: 1 }])
    const prefixed = createQueries(createClient({ url: 'http://127.0.0.1/forrst' }), {
      prefix: ['billing'],
    })
    expect(prefixed.queryKey('runs.count')).toEqual(['billing', 'runs.count'])
    expect(prefixed.mutationOptions('runs.count').mutationKey).toEqual(['billing', 'runs.count'])
    expect(prefixed.queryOptions('runs.count').queryKey[0]).toBe('billing')
  })

  it('finds the queries of a function, or of some arguments, by their key', async () => {
    for (const step of [1, 2]) await cache.fetchQuery(queries.queryOptions('runs.count', { step }))
    const found = (queryKey: readonly unknown[]) => cache.getQueryCache().findAll({ queryKey })
    expect(found(queries.queryKey('runs.count'))).toHaveLength(2)
    expect(found(queries.queryKey('runs.count', { step: 2 }))).toHaveLength(1)
    expect(found(queries.queryKey('runs.list'))).toHaveLength(0)
  })

  it('throws the error of the call, and leaves repeating to the client', async () => {
    const failed = cache.fetchQuery({ ...queries.queryOptions('runs.fail'), retryDelay: 0 })
    await expect(failed).rejects.toMatchObject({ code: 'RUNS_OVER', details: { after: 1 } })
    expect(runs).toBe(1)
  })

  it('ends the call when the query is cancelled', async () => {
    const options = queries.queryOptions('runs.hang')
    const running = cache.fetchQuery(options)
    while (ended === undefined) await new Promise((resolve) => setImmediate(resolve))
    await cache.cancelQueries({ queryKey: options.queryKey })
    await expect(running).rejects.toBeInstanceOf(Error)
    expect(ended.aborted).toBe(true)
  })

  it('runs a mutation once for its idempotency key', async () => {
    const options = queries.mutationOptions('runs.count', {
      idempotencyKey: ({ step }) => `step-${step}`,
    })
    const observer = new MutationObserver(cache, options)
    for (const step of [1, 1, 2]) await observer.mutate({ step })
    expect(runs).toBe(2)
  })

  it('pages by offset as by cursor', async () => {
    const page = (id: string, offset: number, more: boolean) => ({
      data: [{ type: 'run', id }],
      meta: { pagination: { limit: 1, offset, has_more: more } },
    })
    pages = [page('a', 0, true), page('b', 1, false)]
    const options = queries.infiniteQueryOptions('runs.list', {}, { pagination: { limit: 1 } })
    const { pages: read, pageParams } = await cache.fetchInfiniteQuery({ ...options, pages: 5 })
    expect(read.map(({ data }) => data[0]?.id)).toEqual(['a', 'b'])
    expect(pageParams).toEqual([{ limit: 1 }, { limit: 1, offset: 1 }])
  })

  it('fails the query, not whoever renders it, when a service answers the same cursor twice', async () => {
    const result = { data: [{ type: 'run', id: 'a' }], meta: { pagination: { next_cursor: 'c' } } }
    const { url } = await connect(answering((id) => ({ protocol, id, result })))
    const { infiniteQueryOptions } = createQueries(createClient({ url }))
    const observer = new InfiniteQueryObserver(cache, infiniteQueryOptions('runs.list'))
    const leave = observer.subscribe(() => {})
    await observer.refetch()
    const { error, hasNextPage } = await observer.fetchNextPage()
    expect(error).toMatchObject({ code: 'CLIENT_INVALID_RESPONSE' })
    expect(hasNextPage).toBe(true)
    leave()
  })
})
