import { describe, expect, it } from 'vitest'
import { createMcpHandler } from '../../src/surfaces/mcp/handler.ts'
import { toHttpRequest } from '../mcp/wire.ts'
import { createBureau, createVisitor, PRINCIPALS, SECRET, type Seen } from './bureau.ts'

type Visitor = ReturnType<typeof createVisitor>

const FN = 'urn:cline:forrst:fn:'
const EXT = 'urn:cline:forrst:ext:discovery:fn:'

/** Every document, list, description, search, suggestion and refusal through which a function could show itself. */
const QUESTIONS: Readonly<Record<string, (visitor: Visitor) => Promise<Seen>>> = {
  'forrst capabilities': ({ forrst }) => forrst(`${FN}capabilities`),
  'forrst discovery capabilities': ({ forrst }) => forrst(`${EXT}capabilities`),
  'forrst discovery document': ({ forrst }) => forrst(`${EXT}describe`),
  'forrst describe orders.list': ({ forrst }) =>
    forrst(`${EXT}describe`, { function: 'orders.list' }),
  'forrst describe orders.get': ({ forrst }) => forrst(`${FN}describe`, { function: 'orders.get' }),
  'forrst describe a misspelt name': ({ forrst }) =>
    forrst(`${FN}describe`, { function: 'orders.gett' }),
  'forrst describe a wrong version': ({ forrst }) =>
    forrst(`${FN}describe`, { function: 'orders.get', version: '9.0.0' }),
  'forrst health': ({ forrst }) => forrst(`${FN}health`, { component: 'self' }),
  'forrst call of a misspelt name': ({ forrst }) => forrst('orders.creat'),
  'forrst call of a wrong version': ({ forrst }) => forrst('orders.get', {}, { version: '9.0.0' }),
  'rest openapi.json': ({ get }) => get('/openapi.json'),
  'rest openrpc.json': ({ get }) => get('/openrpc.json'),
  'rest discovery.json': ({ get }) => get('/discovery.json'),
  'rest llms.txt': ({ get }) => get('/llms.txt'),
  'rest misspelt name': ({ post }) => post('/api/orders.creat', {}),
  'rest wrong version': ({ post }) => post('/api/orders.get@9.0.0', {}),
  'mcp tools/list': ({ mcp }) => mcp('tools/list'),
  'mcp prompts/list': ({ mcp }) => mcp('prompts/list'),
  'mcp resources/list': ({ mcp }) => mcp('resources/list'),
  'mcp resources/templates/list': ({ mcp }) => mcp('resources/templates/list'),
  'mcp discovery document': ({ mcp }) => mcp('resources/read', { uri: 'waymark://document' }),
  'mcp function': ({ mcp }) => mcp('resources/read', { uri: 'waymark://functions/orders.list' }),
  'mcp completion': ({ mcp }) =>
    mcp('completion/complete', {
      ref: { type: 'ref/resource', uri: 'waymark://functions/{name}' },
      argument: { name: 'name', value: '' },
    }),
  'mcp misspelt tool': ({ mcp }) => mcp('tools/call', { name: 'orders__creat' }),
  'tools list': ({ get }) => get('/explorer/tools'),
  'tools detail': ({ get }) => get('/explorer/tools/orders__get'),
  'tools misspelt name': ({ get }) => get('/explorer/tools/orders__creat'),
  page: ({ get }) => get('/explorer/'),
}

/** The same about what only the administrator may call, by its own name: as if it did not exist. */
const BY_NAME: Readonly<Record<string, (visitor: Visitor) => Promise<Seen>>> = {
  'forrst describe': ({ forrst }) => forrst(`${FN}describe`, { function: 'payroll.run' }),
  'forrst discovery describe': ({ forrst }) =>
    forrst(`${EXT}describe`, { function: 'payroll.run' }),
  'forrst describe version': ({ forrst }) =>
    forrst(`${FN}describe`, { function: 'orders.get', version: '3.0.0-beta.1' }),
  'mcp function': ({ mcp }) => mcp('resources/read', { uri: 'waymark://functions/payroll.run' }),
  'mcp schema': ({ mcp }) => mcp('resources/read', { uri: 'waymark://schemas/Salaries' }),
  'mcp example': ({ mcp }) =>
    mcp('resources/read', { uri: 'waymark://examples/payroll.run/payday' }),
  'mcp prompt': ({ mcp }) => mcp('prompts/get', { name: 'payroll__run__payday' }),
  'tools detail': ({ get }) => get('/explorer/tools/payroll__run'),
  'tools detail of a version': ({ get }) => get('/explorer/tools/orders.get@3.0.0-beta.1'),
  'tools validate': ({ post }) => post('/explorer/tools/payroll__run/validate', {}),
  'tools call': ({ post }) => post('/explorer/tools/payroll__run/call', {}),
}

/** Calls by name: what a service with `denied: 'not-found'` does not tell apart from a name that nobody has. */
const CALLS: Readonly<Record<string, (visitor: Visitor) => Promise<Seen>>> = {
  'forrst call': ({ forrst }) => forrst('payroll.run'),
  'forrst call of a version': ({ forrst }) =>
    forrst('orders.get', { id: '1' }, { version: '3.0.0-beta.1' }),
  'rest call': ({ post }) => post('/api/payroll.run', {}),
  'rest call with a query': ({ post }) => post('/api/payroll.run?salary=1', {}),
  'rest read': ({ get }) => get('/api/payroll.run'),
  'rest call of a version': ({ post }) => post('/api/orders.get@3.0.0-beta.1', { id: '1' }),
  'mcp call': ({ mcp }) => mcp('tools/call', { name: 'payroll__run' }),
}

describe.each(['reader', 'clerk'])('%s', (who) => {
  const visitor = createVisitor(createBureau(), who)
  const twin = createVisitor(createBureau({}, PRINCIPALS[who]?.scopes ?? []), who)

  it.each(Object.entries(QUESTIONS))(
    'sees by "%s" what a service without the other functions says, to the byte',
    async (_name, ask) => {
      const seen = await ask(visitor)
      expect(seen.text).not.toMatch(SECRET)
      expect(seen).toEqual(await ask(twin))
    },
  )

  it.each(Object.entries(BY_NAME))(
    'cannot tell by "%s" that the function exists',
    async (_name, ask) => {
      expect(await ask(visitor)).toEqual(await ask(twin))
    },
  )

  it.each(Object.entries(CALLS))(
    'cannot tell by "%s" either where the service hides what is denied',
    async (_name, ask) => {
      const scopes = PRINCIPALS[who]?.scopes ?? []
      const hiding = createVisitor(createBureau({ denied: 'not-found' }), who)
      const hidingTwin = createVisitor(createBureau({ denied: 'not-found' }, scopes), who)
      const seen = await ask(hiding)
      expect(seen).toEqual(await ask(hidingTwin))
      expect(seen.status === 403).toBe(false)
    },
  )

  it('finds nothing by search, and no count of it', async () => {
    const search = async (service: ReturnType<typeof createBureau>, params: object) => {
      const handler = createMcpHandler(service, { tools: 'search' })
      const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
      return (await handler(toHttpRequest(message, { authorization: `Bearer ${who}` }))).body
    }
    for (const params of [
      { name: 'search_tools', arguments: { query: 'pay salaries' } },
      { name: 'search_tools', arguments: { query: 'zzz' } },
      { name: 'search_tools', arguments: { query: 'order' } },
      { name: 'describe_tool', arguments: { name: 'payroll__run' } },
      { name: 'describe_tool', arguments: { name: 'orders__list' } },
    ]) {
      const scopes = PRINCIPALS[who]?.scopes ?? []
      expect(await search(createBureau(), params)).toEqual(
        await search(createBureau({}, scopes), params),
      )
    }
  })
})

describe('admin', () => {
  const visitor = createVisitor(createBureau(), 'admin')

  it.each([
    'forrst capabilities',
    'forrst discovery document',
    'forrst describe orders.get',
    'rest openapi.json',
    'rest openrpc.json',
    'rest discovery.json',
    'rest llms.txt',
    'mcp tools/list',
    'mcp prompts/list',
    'mcp resources/list',
    'mcp discovery document',
    'mcp completion',
    'tools list',
  ])('sees everything in "%s"', async (name) => {
    expect((await QUESTIONS[name]?.(visitor))?.text).toMatch(SECRET)
  })

  it('learns the scopes of a function wherever it is described', async () => {
    const openapi = JSON.parse((await visitor.get('/openapi.json')).text)
    expect(openapi.paths['/api/payroll.run'].post.security).toEqual([{ bearer: ['payroll:admin'] }])
    const document = JSON.parse((await visitor.forrst(`${EXT}describe`)).text)
    expect(document.functions.at(-1)).toMatchObject({ 'x-required-scopes': ['payroll:admin'] })
    const tools = JSON.parse((await visitor.mcp('tools/list')).text).result.tools
    expect(tools.at(-1)).toMatchObject({ _meta: { 'waymark/scopes': ['payroll:admin'] } })
    const listed = JSON.parse((await visitor.get('/explorer/tools')).text)
    expect(listed.at(-1)).toMatchObject({ annotations: { scopes: ['payroll:admin'] } })
    expect((await visitor.get('/llms.txt')).text).toContain('Requires: payroll:admin.')
  })
})

describe('caches', () => {
  it.each([
    '/openapi.json',
    '/openrpc.json',
    '/discovery.json',
    '/llms.txt',
    '/explorer/tools',
    '/explorer/tools/orders__get',
  ])(
    'lets nobody else keep %s, and answers the ETag of another view with the own document',
    async (path) => {
      const service = createBureau()
      const admin = await createVisitor(service, 'admin').get(path)
      const reader = createVisitor(service, 'reader')
      const own = await reader.get(path)
      expect(own.headers['cache-control']).toMatch(/^private\b/)
      expect(own.headers['vary']).toMatch(/authorization/)
      const asked = await reader.get(path, { 'if-none-match': String(admin.headers['etag']) })
      expect(asked).toEqual(admin.headers['etag'] === own.headers['etag'] ? asked : own)
      const again = await reader.get(path, { 'if-none-match': String(own.headers['etag']) })
      expect(again).toMatchObject({ status: 304, text: '' })
    },
  )

  it('shows a function that comes later to those who may call it, and to nobody else', async () => {
    const service = createBureau()
    const reader = createVisitor(service, 'reader')
    const admin = createVisitor(service, 'admin')
    const before = await reader.get('/openapi.json')
    service.registry.add({
      name: 'payroll.stop',
      version: '1.0.0',
      requires: ['payroll:admin'],
      handler: () => null,
    })
    expect(await reader.get('/openapi.json')).toEqual(before)
    expect((await admin.get('/openapi.json')).text).toContain('payroll.stop')
  })
})

describe('callers who do not say who they are', () => {
  const DOCUMENTS = [
    '/openapi.json',
    '/openrpc.json',
    '/discovery.json',
    '/llms.txt',
    '/explorer/tools',
    '/explorer/tools/orders__list',
  ]

  it.each(DOCUMENTS)('get 401 for %s unless discovery is public', async (path) => {
    const refused = await createVisitor(createBureau()).get(path)
    expect(refused.status).toBe(401)
    expect(refused.headers['www-authenticate']).toBe('Bearer')
    expect(refused.text).not.toMatch(/orders|payroll|no such token/)
  })

  it.each(DOCUMENTS)('see what needs no scope in %s where it is', async (path) => {
    const service = createBureau({ discovery: 'public' })
    const nobody = await createVisitor(service).get(path)
    expect(nobody).toEqual(await createVisitor(service, 'reader').get(path))
  })

  it('may ask the functions and methods that describe, where discovery is public', async () => {
    const { forrst, mcp } = createVisitor(createBureau({ discovery: 'public' }))
    expect((await forrst(`${EXT}describe`)).status).toBe(200)
    expect((await forrst(`${FN}capabilities`)).text).not.toMatch(SECRET)
    expect((await mcp('tools/list')).status).toBe(200)
  })

  it('may call nothing all the same', async () => {
    const { forrst, mcp, post } = createVisitor(createBureau({ discovery: 'public' }))
    const answers = [
      await forrst('orders.list'),
      await post('/api/orders.list', {}),
      await post('/api/nobody.has', {}),
      await mcp('tools/call', { name: 'orders__list' }),
      await post('/explorer/tools/orders__list/call', {}),
    ]
    expect(answers.map(({ status }) => status)).toEqual([401, 401, 401, 401, 401])
  })

  it('are refused with a wrong token even there', async () => {
    const { get, mcp } = createVisitor(createBureau({ discovery: 'public' }), 'mallory')
    expect((await get('/openapi.json')).status).toBe(401)
    expect((await mcp('tools/list')).status).toBe(401)
  })

  it('get the same profile as everybody', async () => {
    const service = createBureau({
      profile: { version: '2026-04-08', service: 'com.example.bureau', capabilities: [] },
    })
    const seen = await createVisitor(service).get('/.well-known/ucp')
    expect(seen.status).toBe(200)
    expect(seen).toEqual(await createVisitor(service, 'admin').get('/.well-known/ucp'))
  })
})

describe('a service without authenticate', () => {
  it('serves its documents to everybody, as before', async () => {
    const { authenticate: _none, ...open } = { authenticate: undefined }
    const service = createBureau({ ...open, authenticate: undefined as never })
    const { get } = createVisitor(service)
    const openapi = await get('/openapi.json')
    expect(openapi.status).toBe(200)
    expect(openapi.headers['cache-control']).toBe('public, max-age=60')
    expect(openapi.headers['vary']).toBeUndefined()
    // Nobody has scopes there: what requires some is neither shown nor callable.
    expect(openapi.text).not.toMatch(SECRET)
  })

  it('refuses words that are not a choice', () => {
    expect(() => createBureau({ discovery: 'everyone' as never })).toThrow(
      'discovery: must be authenticated or public',
    )
    expect(() => createBureau({ denied: 'hidden' as never })).toThrow(
      'denied: must be forbidden or not-found',
    )
  })
})
