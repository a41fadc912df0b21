// The observers behind useQuery, useInfiniteQuery and useMutation, on options that follow from the service.
import assert from 'node:assert/strict'
import {
  InfiniteQueryObserver,
  MutationObserver,
  QueryClient,
  QueryObserver,
} from '@tanstack/query-core'
import { serve } from 'waymark'
import { createClient } from 'waymark/client'
import { createQueries } from 'waymark/tanstack-query'
import { createOrders } from './service.ts'

/** Plays what a page with a list, one order and a form does. */
export async function playQueries(): Promise<void> {
  const server = await serve(createOrders(), { port: 0 })
  const orders = createClient<ReturnType<typeof createOrders>>({ url: `${server.url}/forrst` })
  const queries = createQueries(orders)
  const cache = new QueryClient()
  cache.mount()

  const one = new QueryObserver(cache, queries.queryOptions('orders.get', { id: 'o_2' }))
  const list = new InfiniteQueryObserver(
    cache,
    queries.infiniteQueryOptions('orders.list', {}, { sorts: ['-total'] }),
  )
  const create = new MutationObserver(cache, {
    ...queries.mutationOptions('orders.create'),
    onSuccess: () => cache.invalidateQueries({ queryKey: queries.queryKey('orders.list') }),
  })
  // A page that shows the list is subscribed to it: only then an invalidated query is fetched again.
  const leave = list.subscribe(() => {})

  try {
    const order = await one.refetch()
    assert.equal(order.data?.status satisfies 'open' | 'paid' | undefined, 'open')

    const totals = async () => {
      const { data } = await list.fetchNextPage()
      return data?.pages.map((page) => page.data.map(({ attributes }) => attributes?.total))
    }
    await list.refetch()
    assert.deepEqual(await totals(), [[30, 20], [10]])
    assert.equal(list.getCurrentResult().hasNextPage, false)

    const created = await create.mutate({ total: 40 })
    assert.equal(created.id, 'o_4')
    // The mutation ended after the pages were fetched again.
    const { data } = list.getCurrentResult()
    assert.equal(data?.pages[0]?.data[0]?.id, 'o_4')

    const lost = new QueryObserver(cache, queries.queryOptions('orders.get', { id: 'o_9' }))
    const { error } = await lost.refetch()
    assert(error?.code === 'ORDERS_UNKNOWN')
    assert.equal(error.details.id, 'o_9')
  } finally {
    leave()
    cache.unmount()
    cache.clear()
    await server.close()
  }
}
