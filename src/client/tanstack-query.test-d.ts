import {
  InfiniteQueryObserver,
  MutationObserver,
  QueryClient,
  QueryObserver,
} from '@tanstack/query-core'
import { expectTypeOf } from 'vitest'
import type { createOrders } from '../../examples/tanstack-query/service.ts'
import { createClient } from '../entries/client.ts'
import { createQueries } from '../entries/tanstack-query.ts'

type Orders = ReturnType<typeof createOrders>
interface Order {
  id: string
  status: 'open' | 'paid'
  total: number
}

const cache = new QueryClient()
const url = 'http://127.0.0.1:4000/forrst'
const queries = createQueries(createClient<Orders>({ url }))

export async function queriesAreTypedByTheDefinition(): Promise<void> {
  const options = queries.queryOptions('orders.get', { id: 'o_1' }, { version: '1.0.0' })
  expectTypeOf(await cache.fetchQuery(options)).toEqualTypeOf<Order>()
  const { data, error } = new QueryObserver(cache, options).getCurrentResult()
  expectTypeOf(data).toEqualTypeOf<Order | undefined>()
  if (error?.code === 'ORDERS_UNKNOWN') expectTypeOf(error.details).toEqualTypeOf<{ id: string }>()
  // @ts-expect-error a code that neither the function nor the protocol knows
  if (error?.code === 'ORDERS_LOST') return
  // @ts-expect-error no such function
  queries.queryOptions('orders.gett', { id: 'o_1' })
  // @ts-expect-error id is a string
  queries.queryOptions('orders.get', { id: 1 })
  // @ts-expect-error the arguments are missing
  queries.queryOptions('orders.get')
  // @ts-expect-error no such version
  queries.queryOptions('orders.get', { id: 'o_1' }, { version: '2.0.0' })
  // @ts-expect-error the signal is that of TanStack Query
  queries.queryOptions('orders.get', { id: 'o_1' }, { signal: AbortSignal.abort() })
}

export function pagesAreThoseOfAQuery(): void {
  const options = queries.infiniteQueryOptions('orders.list', {}, { where: { status: 'open' } })
  const { data, error } = new InfiniteQueryObserver(cache, options).getCurrentResult()
  expectTypeOf(data?.pages[0]?.data[0]?.attributes?.total).toEqualTypeOf<number | undefined>()
  expectTypeOf(error?.message).toEqualTypeOf<string | undefined>()
  // @ts-expect-error a function without query
  queries.infiniteQueryOptions('orders.get', { id: 'o_1' })
  // @ts-expect-error not an attribute that may be sorted by
  queries.infiniteQueryOptions('orders.list', {}, { sorts: ['status'] })
}

export async function mutationsTakeTheArguments(): Promise<void> {
  const options = queries.mutationOptions('orders.create', {
    idempotencyKey: ({ total }) => total.toFixed(2),
  })
  const create = new MutationObserver(cache, options)
  expectTypeOf(await create.mutate({ total: 1 })).toEqualTypeOf<Order>()
  // @ts-expect-error total is a number
  await create.mutate({ total: 'one' })
  // @ts-expect-error one key for all mutations
  queries.mutationOptions('orders.create', { idempotencyKey: 'k1' })
}

export async function untypedClientsTakeEveryName(): Promise<void> {
  const untyped = createQueries(createClient({ url }))
  expectTypeOf(await cache.fetchQuery(untyped.queryOptions('any.thing', { id: 1 }))).toBeUnknown()
  // @ts-expect-error not a function's arguments
  queries.queryKey('orders.get', { id: 1 })
}
