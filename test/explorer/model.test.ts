import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { toHeaders } from '../../explorer/src/model/credentials.ts'
import { toServiceFacts } from '../../explorer/src/model/forrst.ts'
import { resolveLink } from '../../explorer/src/model/link.ts'
import { toPiece, toRows } from '../../explorer/src/model/result.ts'
import { formatToolRoute, parseRoute } from '../../explorer/src/model/route.ts'
import { buildIndex, searchTools, toGroup } from '../../explorer/src/model/search.ts'
import { hideSecrets } from '../../explorer/src/model/secrets.ts'
import {
  quoteScript,
  quoteShell,
  toCurl,
  toFetch,
  toMcpClient,
} from '../../explorer/src/model/snippets.ts'
import { parseText } from '../../explorer/src/model/text.ts'
import { fc } from '../support/property.ts'

const call = {
  url: "http://127.0.0.1/explorer/tools/it's/call",
  mcpUrl: 'http://127.0.0.1/mcp',
  origin: 'http://127.0.0.1',
  tool: "it's",
  function: "it's",
  body: `{"a":"it's </script>"}`,
  headers: [['authorization', "Bearer a'b"]] as const,
}

describe('snippets', () => {
  it('quote any text so that a shell gives it back', () => {
    const printable = fc
      .string({ unit: 'binary' })
      .filter((text) => !text.includes('\0') && !/[\uD800-\uDFFF]/.test(text))
    const texts = fc.sample(printable, 200)
    const script = texts.map((text) => `printf '%s\\0' ${quoteShell(text)}`).join('\n')
    const back = execFileSync('sh', { input: script, encoding: 'utf8' }).split('\0').slice(0, -1)
    expect(back).toEqual(texts)
  })

  it('quote any text so that JavaScript reads it back', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const quoted = quoteScript(text)
        expect(quoted).not.toMatch(/<\/|[\n\r\u2028\u2029]/)
        expect(new Function(`return ${quoted}`)()).toBe(text)
      }),
    )
  })

  it('write the call for a shell, for fetch and for an MCP client', () => {
    expect(toCurl(call)).toContain(`-H 'authorization: Bearer a'\\''b'`)
    expect(toFetch(call)).toContain(`authorization: 'Bearer a\\'b',`)
    expect(toMcpClient(call)).toContain(`name: 'it\\'s',`)
  })

  it('write fetch that runs as it is', async () => {
    const AsyncFunction = Object.getPrototypeOf(async () => {}).constructor
    const seen: unknown[] = []
    const fake = async (url: string, init: unknown) => {
      seen.push(url, init)
      return { json: async () => ({}) }
    }
    await new AsyncFunction('fetch', toFetch(call))(fake)
    expect(seen).toEqual([
      call.url,
      {
        method: 'POST',
        headers: { 'content-type': 'application/json', authorization: "Bearer a'b" },
        body: call.body,
      },
    ])
  })
})

describe('search', () => {
  const tools = [
    {
      name: 'orders__create',
      description: 'Create an order',
    },
    { name: 'reorder', description: 'Changes the order of things' },
    {
      name: 'users__list',
      description: 'All users',
      annotations: { readOnlyHint: true },
    },
    { name: 'get__weather', description: 'Weather', annotations: { title: 'The weather' } },
    { name: 'send__mail', description: 'Of no function' },
  ]
  const functions = ['orders.create', 'users.list', 'get.weather']
  const index = buildIndex(tools, {
    has: (name) => functions.includes(name),
    words: (label) => (label === 'users.list' ? 'page_size' : ''),
  })
  const names = (query: string) => searchTools(index, query).map(({ tool }) => tool.name)

  it('puts the best name first', () => {
    expect(names('order')).toEqual(['orders__create', 'reorder'])
    expect(names('list')).toEqual(['users__list'])
  })

  it('wants every word, wherever it stands', () => {
    expect(names('order create')).toEqual(['orders__create'])
    expect(names('PAGE_SIZE')).toEqual(['users__list'])
    expect(names('nothing like it')).toEqual([])
  })

  it('filters by behaviour; a tool that says nothing may destroy', () => {
    const filtered = (filter: 'readOnly' | 'changes' | 'destructive') =>
      searchTools(index, '', filter).length
    expect([filtered('readOnly'), filtered('changes'), filtered('destructive')]).toEqual([1, 4, 4])
  })

  it('calls a tool by its title, or by the function it stands for', () => {
    expect(index.map(({ label }) => label)).toEqual([
      'orders.create',
      'reorder',
      'The weather',
      'users.list',
      'send__mail',
    ])
  })

  it.each([
    ['orders.create', 'orders'],
    ['image/resize', 'image'],
    ['urn:acme:fn', 'urn'],
    ['orders__create', 'orders'],
    ['get_weather', ''],
  ])('groups %s under %j', (label, group) => {
    expect(toGroup(label)).toBe(group)
  })
})

describe('results', () => {
  it.each([
    [{ type: 'image', mimeType: 'image/png', data: 'AAAA' }, 'image'],
    [{ type: 'image', mimeType: 'image/png" onerror="x', data: 'AAAA' }, 'json'],
    [{ type: 'image', mimeType: 'image/svg+xml', data: 'AAAA' }, 'json'],
    [{ type: 'image', mimeType: 'image/png', data: 'A"A' }, 'json'],
    [{ type: 'audio', mimeType: 'audio/wav', data: 'AAAA' }, 'audio'],
    [{ type: 'text', text: '{"a":1}' }, 'json'],
    [{ type: 'text', text: 'plain' }, 'text'],
    [{ type: 'text', text: '{broken' }, 'text'],
    [{ type: 'resource_link', uri: 'https://example.com' }, 'link'],
    [{ type: 'resource_link', uri: 'javascript:alert(1)' }, 'json'],
    [{ type: 'unheard_of' }, 'json'],
  ])('are drawn for what they certainly are: %j', (content, kind) => {
    expect(toPiece(content).kind).toBe(kind)
  })

  it('are a table when they are a list of objects, or hold one', () => {
    expect(toRows([{ a: 1 }])).toHaveLength(1)
    expect(toRows({ data: [{ a: 1 }, { a: 2 }], total: 2 })).toHaveLength(2)
    expect(toRows({ a: [{}], b: [{}] })).toBeUndefined()
    expect(toRows([1, 2])).toBeUndefined()
    expect(toRows([])).toBeUndefined()
  })
})

describe('links', () => {
  it('take values out of a result and leave out what is not there', () => {
    const link = {
      name: 'venue',
      params: {
        id: '$result.venue.id',
        all: '$result',
        fixed: 'x',
        gone: '$result.no.where',
        proto: '$result.constructor',
      },
    }
    const result = { venue: { id: 'v1' } }
    expect(resolveLink(link, result)).toEqual({ id: 'v1', all: result, fixed: 'x' })
  })
})

describe('addresses', () => {
  it('carry any tool name and any arguments', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1 }), fc.json(), (tool, args) => {
        expect(parseRoute(formatToolRoute(tool, args))).toEqual({ view: 'tool', tool, args })
      }),
    )
  })

  it('survive a broken escape', () => {
    expect(parseRoute('#/tool/100%')).toEqual({ view: 'tool', tool: '100%' })
    expect(parseRoute('')).toEqual({ view: 'overview' })
    expect(parseRoute('#/health')).toEqual({ view: 'health' })
  })
})

describe('credentials', () => {
  it('put Bearer before a bare token, and never twice', () => {
    expect(toHeaders('abc', [])).toEqual({ authorization: 'Bearer abc' })
    expect(toHeaders(' bearer abc ', [])).toEqual({ authorization: 'bearer abc' })
    expect(toHeaders('  ', [])).toEqual({})
  })

  it('leave out headers without a proper name', () => {
    expect(
      toHeaders('', [
        { name: 'X-Tenant', value: '7' },
        { name: '', value: 'x' },
        { name: 'a b', value: 'x' },
      ]),
    ).toEqual({
      'x-tenant': '7',
    })
  })
})

describe('history', () => {
  it('writes no secrets down', () => {
    const schema = {
      properties: {
        password: { format: 'password' },
        nested: { properties: { key: { writeOnly: true }, open: {} } },
        list: { items: { properties: { pin: { format: 'password' } } } },
      },
    }
    const body = JSON.stringify({
      password: 'p',
      nested: { key: 'k', open: 'o' },
      list: [{ pin: '1' }],
      other: 1,
    })
    expect(JSON.parse(hideSecrets(body, schema))).toEqual({
      password: null,
      nested: { key: null, open: 'o' },
      list: [{ pin: null }],
      other: 1,
    })
  })

  it('finds secrets behind references, alternatives, maps and places', () => {
    const secret = { type: 'string', format: 'password' }
    const schema = {
      $defs: { login: { properties: { pin: secret } } },
      properties: {
        login: { $ref: '#/$defs/login' },
        all: { allOf: [{ $ref: '#/$defs/login' }] },
        any: { anyOf: [{ type: 'string' }, { $ref: '#/$defs/login' }] },
        either: { oneOf: [{ type: 'null' }, secret] },
        map: { additionalProperties: secret },
        patterns: { patternProperties: { '^x': secret } },
        places: { prefixItems: [{ type: 'string' }, secret] },
        loop: { oneOf: [{ $ref: '#/properties/loop' }, { $ref: '#/$defs/login' }] },
      },
    }
    const login = { pin: '1' }
    const body = {
      login,
      all: login,
      any: login,
      either: 's',
      map: { a: 's' },
      patterns: { xy: 's' },
      places: ['open', 's'],
      loop: login,
    }
    expect(JSON.parse(hideSecrets(JSON.stringify(body), schema))).toEqual({
      login: { pin: null },
      all: { pin: null },
      any: { pin: null },
      either: null,
      map: { a: null },
      patterns: { xy: null },
      places: ['open', null],
      loop: { pin: null },
    })
  })
})

describe('a discovery document', () => {
  it('is read with its references resolved and its gaps tolerated', () => {
    const facts = toServiceFacts({
      forrst: '0.1.0',
      info: { title: 'Events' },
      functions: [
        {
          name: 'events.get',
          version: '1.0.0',
          links: [{ $ref: '#/components/links/Venue' }],
          errors: [{ $ref: '#/components/errors/None' }],
        },
        { version: 'no name' },
        null,
      ],
      components: { links: { Venue: { name: 'venue', function: 'venues.get' } } },
    })
    expect(facts.functions.get('events.get')).toMatchObject([
      { links: [{ name: 'venue' }], errors: [], simulations: [] },
    ])
    expect(facts.functions.size).toBe(1)
  })
})

describe('descriptions', () => {
  it('become paragraphs, points, code and strong words', () => {
    expect(parseText('One `two`\nthree.\n\n- **four**\n- <b>five</b>')).toEqual([
      {
        kind: 'paragraph',
        runs: [
          { text: 'One ', style: 'plain' },
          { text: 'two', style: 'code' },
          { text: ' three.', style: 'plain' },
        ],
      },
      { kind: 'item', runs: [{ text: 'four', style: 'strong' }] },
      { kind: 'item', runs: [{ text: '<b>five</b>', style: 'plain' }] },
    ])
  })
})
