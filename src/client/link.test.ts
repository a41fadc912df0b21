import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineFunction } from '../core/function.ts'
import { createClient, createLocalTransport, evaluateLink } from '../entries/client.ts'
import { createForrstHandler } from '../surfaces/forrst/handler.ts'
import { createService } from '../system/create-service.ts'

const result = { id: 'evt_1', venue: { id: 'ven_1', hall: null }, dates: ['a'], 'a.b': 1 }

describe('a link', () => {
  it('[F-155] gives the function and the arguments it leads to', () => {
    const link = {
      name: 'Get venue details',
      function: 'venues.get',
      params: { venue_id: '$result.venue.id' },
    }
    expect(evaluateLink(link, result)).toEqual({
      function: 'venues.get',
      arguments: { venue_id: 'ven_1' },
    })
  })

  it.each<[string, unknown]>([
    ['$result', result],
    ['$result.id', 'evt_1'],
    ['$result.venue', { id: 'ven_1', hall: null }],
    ['$result.venue.id', 'ven_1'],
    ['$result.venue.hall', null],
    ['$result.dates', ['a']],
  ])('[F-156] evaluates %s against the result', (expression, expected) => {
    const link = { name: 'l', function: 'f.g', params: { value: expression } }
    expect(evaluateLink(link, result).arguments).toEqual({ value: expected })
  })

  it.each([
    '$result.lost',
    '$result.venue.lost.deeper',
    '$result.id.length',
    '$result.dates.0',
    '$result.',
    '$result..id',
    '$result.constructor',
    '$result.__proto__',
  ])('[F-156] leaves a parameter out when %s leads nowhere', (expression) => {
    const link = { name: 'l', function: 'f.g', params: { value: expression, other: 1 } }
    expect(evaluateLink(link, result).arguments).toEqual({ other: 1 })
  })

  it.each([
    'plain',
    '$results.id',
    'x $result.id',
    '$RESULT.id',
    7,
    null,
    false,
    ['$result.id'],
    { id: '$result.id' },
  ])('[F-156] passes the literal %j as it is', (literal) => {
    const link = { name: 'l', function: 'f.g', params: { value: literal } }
    expect(evaluateLink(link, result).arguments).toEqual({ value: literal })
  })

  it.each([null, undefined, 'text', 7, []])('[F-156] can stand beside the result %j', (odd) => {
    const link = { name: 'l', function: 'f.g', params: { all: '$result', id: '$result.id' } }
    expect(evaluateLink(link, odd).arguments).toEqual({ all: odd })
  })
})

describe('following a link', () => {
  const getVenue = defineFunction({
    name: 'venues.get',
    version: '1.0.0',
    input: z.object({ venue_id: z.string() }),
    handler: ({ input }) => ({ name: `Venue ${input.venue_id}` }),
  })
  const service = createService({
    info: { title: 'Venues', version: '1.0.0' },
    functions: [getVenue],
  })
  const client = createClient({
    transport: createLocalTransport(createForrstHandler(service)),
    name: 'test',
  })
  const link = {
    name: 'Get venue details',
    function: 'venues.get',
    params: { venue_id: '$result.venue.id' },
  }

  it('[F-155] calls its function', async () => {
    expect(await client.follow(link, result)).toMatchObject({
      ok: true,
      result: { name: 'Venue ven_1' },
    })
  })

  it('lets the service judge what is missing', async () => {
    expect(await client.follow(link, {})).toMatchObject({
      ok: false,
      error: { code: 'INVALID_ARGUMENTS', source: { pointer: '/call/arguments/venue_id' } },
    })
  })

  it('answers CLIENT_INVALID_REQUEST for a link that names no function', async () => {
    expect(await client.follow({ name: 'Home page' }, result)).toMatchObject({
      ok: false,
      attempts: 0,
      error: { code: 'CLIENT_INVALID_REQUEST', message: expect.stringContaining('Home page') },
    })
  })

  it('does not go to another server by itself', async () => {
    const reached: string[] = []
    const fetching = createClient({
      url: 'http://127.0.0.1:4000/forrst',
      retry: false,
      fetch: async (url) => {
        reached.push(String(url))
        return new Response('{}')
      },
    })
    const server = { name: 'evil', url: 'http://127.0.0.1:{port}/forrst' }
    const port = { default: '5000' }
    const away = { ...link, server: { ...server, variables: { port } } }
    expect(await fetching.follow(away, result)).toMatchObject({
      ok: false,
      error: {
        code: 'CLIENT_INVALID_REQUEST',
        message: expect.stringContaining('http://127.0.0.1:5000/forrst'),
      },
    })
    expect(reached).toEqual([])
    const home = { ...link, server: { ...server, variables: { port: { default: '4000' } } } }
    await fetching.follow(home, result)
    expect(reached).toEqual(['http://127.0.0.1:4000/forrst'])
  })
})
