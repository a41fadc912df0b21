import { describe, expect, it, vi } from 'vitest'
import { ask } from '../../../test/explorer/ask.ts'
import {
  createToolApi,
  prepareTools,
  type Tool,
  type ToolApiOptions,
  type ToolsProvider,
} from '../../entries/tools.ts'

const quiet = { warn: vi.fn(), error: vi.fn() }
const echo: Tool = {
  name: 'echo',
  description: 'Says it again.',
  inputSchema: { type: 'object', properties: { text: { type: 'string', default: null } } },
  annotations: { readOnlyHint: true, 'x-team': 'core' },
}
const boom: Tool = { name: 'boom', description: 'Fails.', inputSchema: { type: 'object' } }

function api(tools: ToolsProvider, options: Partial<ToolApiOptions> = {}) {
  return createToolApi({ tools, call: () => [[], false], log: quiet, ...options })
}

describe('GET /tools', () => {
  it('[TE-1] [TE-2] [TE-8] answers every tool in the order of the provider', async () => {
    const reply = await ask(api([echo, boom]), '/explorer/tools')
    expect(reply.status).toBe(200)
    expect(reply.headers['content-type']).toBe('application/json')
    expect(reply.json).toEqual([
      {
        name: 'echo',
        description: 'Says it again.',
        annotations: { readOnlyHint: true, 'x-team': 'core' },
      },
      { name: 'boom', description: 'Fails.' },
    ])
  })

  it('[TE-3] [TE-30] gives annotations as they are, unknown members too', async () => {
    const { json } = await ask(api([echo]), '/explorer/tools')
    expect(json).toMatchObject([{ annotations: { readOnlyHint: true, 'x-team': 'core' } }])
  })

  it.each([
    ['absent', {}],
    ['null', { annotations: null }],
    ['empty', { annotations: {} }],
    ['nothing but null', { annotations: { readOnlyHint: null } }],
  ])('[TE-4] [TE-5] [TE-6] leaves annotations out when they are %s', async (_case, member) => {
    const handler = api([{ ...boom, ...member }])
    expect((await ask(handler, '/explorer/tools')).text).not.toContain('annotations')
    expect((await ask(handler, '/explorer/tools/boom')).text).not.toContain('annotations')
  })

  it('[TE-7] carries no input schema', async () => {
    expect((await ask(api([echo]), '/explorer/tools')).text).not.toContain('inputSchema')
  })

  it('[TE-9] answers an empty list for no tools', async () => {
    expect((await ask(api([]), '/explorer/tools')).text).toBe('[]')
  })

  it.each([undefined, null, 5, { text: 'x' }])(
    '[TE-2] writes an empty description where there is no text but %j',
    async (description) => {
      const { json } = await ask(api([{ name: 'bare', description } as Tool]), '/explorer/tools')
      expect(json).toEqual([{ name: 'bare', description: '' }])
    },
  )

  it.each(['/explorer/tools/', '/explorer/tools?x=1'])('answers the same at %s', async (path) => {
    expect((await ask(api([echo]), path)).json).toHaveLength(1)
  })
})

describe('GET /tools/{name}', () => {
  it('[TE-10] [TE-11] answers the whole tool', async () => {
    const handler = api([echo, boom])
    expect((await ask(handler, '/explorer/tools/boom')).json).toEqual({
      name: 'boom',
      description: 'Fails.',
      inputSchema: { type: 'object' },
    })
    expect((await ask(handler, '/explorer/tools/echo')).json).toHaveProperty('annotations')
  })

  it('[TE-12] gives the schema unchanged, null defaults included', async () => {
    const schema = { properties: { a: { default: null, enum: [null, 1], const: null } } }
    const { json } = await ask(api([{ ...boom, inputSchema: schema }]), '/explorer/tools/boom')
    expect(json).toMatchObject({ inputSchema: schema })
  })

  it.each([undefined, null])(
    'shows %s as the schema that accepts everything',
    async (inputSchema) => {
      const tool = {
        name: 'bare',
        description: '',
        ...(inputSchema !== undefined && { inputSchema }),
      }
      expect((await ask(api([tool]), '/explorer/tools/bare')).json).toMatchObject({
        inputSchema: {},
      })
    },
  )

  it('[TE-13] [TE-14] answers 404 for an unknown name', async () => {
    const reply = await ask(api([echo]), '/explorer/tools/unknown_tool')
    expect(reply.status).toBe(404)
    expect(reply.text).toBe('{"error":"Tool not found: unknown_tool"}')
  })

  it('[TE-15] names the decoded tool', async () => {
    const { json } = await ask(api([echo]), '/explorer/tools/my%20tool')
    expect(json).toEqual({ error: 'Tool not found: my tool' })
  })

  it('[TE-16] tells upper from lower case', async () => {
    expect((await ask(api([echo]), '/explorer/tools/ECHO')).status).toBe(404)
  })

  const names = [
    'my tool',
    '工具-é',
    'q?x#y',
    '100%',
    'call',
    'validate',
    '__proto__',
    'constructor',
    '..',
    '',
    "it's",
    'image/resize',
    'a/call',
    'a%2Fb',
  ]
  it.each(names)('[TE-31] [TE-32] finds the tool named %j', async (name) => {
    const handler = api(names.map((each) => ({ name: each, description: each })))
    const reply = await ask(handler, `/explorer/tools/${encodeURIComponent(name) || '/'}`)
    expect(reply.json).toMatchObject({ name })
  })

  it('[TE-32] also takes slashes as they are, and forgives one at the end', async () => {
    const handler = api([{ name: 'image/resize' }, echo])
    expect((await ask(handler, '/explorer/tools/image/resize')).json).toMatchObject({
      name: 'image/resize',
    })
    expect((await ask(handler, '/explorer/tools/echo/')).json).toMatchObject({ name: 'echo' })
  })

  it('does not take a name from a prototype', async () => {
    expect((await ask(api([echo]), '/explorer/tools/constructor')).status).toBe(404)
  })

  it('tells composed from decomposed letters', async () => {
    const handler = api([{ name: 'é'.normalize('NFC') }])
    expect(
      (await ask(handler, `/explorer/tools/${encodeURIComponent('é'.normalize('NFD'))}`)).status,
    ).toBe(404)
  })

  it('lets the last of two tools with one name answer, lists both and warns once', async () => {
    const warn = vi.fn()
    const handler = api([echo, { ...echo, description: 'second' }], {
      log: { warn, error: vi.fn() },
    })
    expect((await ask(handler, '/explorer/tools/echo')).json).toMatchObject({
      description: 'second',
    })
    expect((await ask(handler, '/explorer/tools')).json).toHaveLength(2)
    expect(warn).toHaveBeenCalledTimes(1)
  })
})

describe('providers', () => {
  it('[TE-17] [TE-21] calls a function on every request, without arguments', async () => {
    const provider = vi.fn((...args: unknown[]) => [
      { name: `n${provider.mock.calls.length}${args.length}` },
    ])
    const handler = api(provider)
    expect((await ask(handler, '/explorer/tools')).json).toMatchObject([{ name: 'n10' }])
    expect((await ask(handler, '/explorer/tools')).json).toMatchObject([{ name: 'n20' }])
    expect((await ask(handler, '/explorer/tools/n30')).status).toBe(200)
  })

  it('[TE-18] waits for an async function, for list, detail, validation and call', async () => {
    const handler = api(async () => [echo], { allowExecute: true })
    expect((await ask(handler, '/explorer/tools')).json).toHaveLength(1)
    expect((await ask(handler, '/explorer/tools/echo')).status).toBe(200)
    expect((await ask(handler, '/explorer/tools/echo/validate', { body: {} })).json).toEqual({
      valid: true,
    })
    expect((await ask(handler, '/explorer/tools/echo/call', { body: {} })).status).toBe(200)
  })

  it('[TE-19] waits for anything with a then', async () => {
    const foreign: PromiseLike<readonly Tool[]> = {
      // biome-ignore lint/suspicious/noThenProperty: a promise of another library is what is tested
      then: (done) => Promise.resolve(done?.([echo]) as never),
    }
    expect(
      (
        await ask(
          api(() => foreign),
          '/explorer/tools',
        )
      ).json,
    ).toHaveLength(1)
  })

  it('[TE-20] reads a list in place and never calls it', async () => {
    const list = Object.assign([echo], { call: vi.fn() })
    expect((await ask(api(list), '/explorer/tools')).json).toHaveLength(1)
    expect(list.call).not.toHaveBeenCalled()
  })

  it('[TE-22] shows a tool that was added to the list between two requests', async () => {
    const list = [echo]
    const handler = api(list)
    await ask(handler, '/explorer/tools')
    list.push(boom)
    expect((await ask(handler, '/explorer/tools')).json).toHaveLength(2)
    expect((await ask(handler, '/explorer/tools/boom')).status).toBe(200)
    list[0] = { ...echo, description: 'changed' }
    expect((await ask(handler, '/explorer/tools/echo')).json).toMatchObject({
      description: 'changed',
    })
  })

  it('[TE-23] is not asked for the page', async () => {
    const provider = vi.fn(() => [])
    await ask(api(provider), '/explorer/')
    expect(provider).not.toHaveBeenCalled()
  })

  it('[TE-24] takes any object with the four members, also one that writes itself as JSON', async () => {
    class Model {
      readonly #name = 'model'
      get name() {
        return this.#name
      }
      get description() {
        return 'made by a class'
      }
      get inputSchema() {
        return { type: 'object' }
      }
      get annotations() {
        return { idempotentHint: true }
      }
    }
    const written = {
      name: '',
      toJSON: () => ({ name: 'written', description: 'by toJSON', annotations: null }),
    }
    const handler = api([new Model(), written])
    expect((await ask(handler, '/explorer/tools')).json).toEqual([
      { name: 'model', description: 'made by a class', annotations: { idempotentHint: true } },
      { name: 'written', description: 'by toJSON' },
    ])
    expect((await ask(handler, '/explorer/tools/model')).json).toHaveProperty('inputSchema')
  })

  it('hands out prepared tools again and again', async () => {
    const prepared = prepareTools([echo])
    const handler = api(() => prepared)
    expect((await ask(handler, '/explorer/tools')).bytes).toBe(
      (await ask(handler, '/explorer/tools')).bytes,
    )
  })

  it.each([
    [
      'throws',
      () => {
        throw new Error('secret')
      },
    ],
    ['rejects', () => Promise.reject(new Error('secret'))],
    ['returns null', () => null],
  ])('answers 500 without the reason when a provider %s', async (_case, provider) => {
    const error = vi.fn()
    const handler = api(provider as never, { log: { warn: vi.fn(), error } })
    for (const path of ['/tools', '/tools/echo']) {
      const reply = await ask(handler, `/explorer${path}`)
      expect(reply.status).toBe(500)
      expect(reply.text).toBe('{"error":"Internal Server Error"}')
    }
    expect(error).toHaveBeenCalledTimes(2)
    expect((await ask(handler, '/explorer/')).status).toBe(200)
  })
})

describe('paths and methods', () => {
  it.each(['/explorer/meta', '/explorer/nope', '/explorer//tools', '/elsewhere'])(
    '[TE-29] answers 404 as JSON at %s',
    async (path) => {
      const reply = await ask(api([echo]), path)
      expect(reply.status).toBe(404)
      expect(reply.json).toHaveProperty('error')
    },
  )

  it.each([
    ['POST', '/tools', 'GET, HEAD'],
    ['DELETE', '/', 'GET, HEAD'],
    ['POST', '/tools/echo', 'GET, HEAD'],
    ['GET', '/tools/echo/call', 'POST'],
    ['GET', '/tools/echo/validate', 'POST'],
    ['PUT', '/tools/echo/call', 'POST'],
    ['OPTIONS', '/tools', 'GET, HEAD'],
    ['OPTIONS', '/tools/echo', 'GET, HEAD'],
    ['OPTIONS', '/tools/echo/call', 'POST'],
  ])('answers 405 to %s %s and names what is allowed', async (method, path, allow) => {
    const reply = await ask(api([echo]), `/explorer${path}`, { method })
    expect(reply.status).toBe(405)
    expect(reply.headers['allow']).toBe(allow)
  })

  it.each(['/tools/100%', '/tools/%ZZ', '/tools/%E0%A4%A'])(
    'answers 400 to the broken escape in %s',
    async (path) => {
      expect((await ask(api([echo]), `/explorer${path}`)).status).toBe(400)
    },
  )

  it.each(['/', '/tools', '/tools/echo'])('answers HEAD %s like GET', async (path) => {
    const handler = api([echo])
    const head = await ask(handler, `/explorer${path}`, { method: 'HEAD' })
    const get = await ask(handler, `/explorer${path}`)
    expect(head.status).toBe(200)
    expect(head.headers).toEqual(get.headers)
  })

  it('[TE-121] [TE-122] serves the page and the list under /explorer by default', async () => {
    const handler = api([echo])
    for (const path of ['/explorer', '/explorer/']) {
      expect((await ask(handler, path)).headers['content-type']).toMatch(/^text\/html/)
    }
    expect((await ask(handler, '/explorer/tools')).status).toBe(200)
    expect(handler.knows('/explorer')).toBe(true)
    expect(handler.knows('/explorer/tools')).toBe(true)
    expect(handler.knows('/explorers')).toBe(false)
  })

  it.each(['/dev/tools-ui', '/dev/tools-ui/', ''])(
    '[TE-123] serves everything under %j',
    async (prefix) => {
      const handler = api([echo], { prefix, allowExecute: true })
      const base = prefix.replace(/\/$/, '')
      expect((await ask(handler, `${base}/`)).status).toBe(200)
      expect((await ask(handler, `${base}/tools`)).status).toBe(200)
      expect((await ask(handler, `${base}/tools/echo/call`, { body: {} })).status).toBe(200)
      expect((await ask(handler, '/other/tools')).status).toBe(404)
    },
  )

  it('[TE-127] has the defaults of the reference', async () => {
    const handler = createToolApi({ tools: [echo], call: () => [[], false] })
    const page = await ask(handler, '/explorer/')
    expect(page.text).toContain('<title>MCP Tool Explorer</title>')
    expect(page.text).toContain('var executeEnabled = false;')
    expect(page.text).toContain('Waymark explorer</footer>')
    expect((await ask(handler, '/explorer/tools/echo/call', { body: {} })).status).toBe(403)
  })

  it('refuses options that cannot work, naming them', () => {
    expect(() => api([], { prefix: 'explorer' })).toThrow('prefix must begin with a slash')
    expect(() => createToolApi({ tools: [] } as never)).toThrow('call must be a function')
    expect(() => createToolApi({ tools: 5, call: () => [[], false] } as never)).toThrow(
      'tools must be',
    )
  })

  it.each([[[{}]], [[null]], [[{ name: 5 }]]])(
    'refuses a list with a tool without a name: %j',
    (tools) => {
      expect(() => api(tools as never)).toThrow('tools[0] has no name')
    },
  )

  it('[TE-126] exports neither the template nor its renderer', async () => {
    const names = Object.keys(await import('../../entries/tools.ts'))
    expect(names.sort()).toEqual(['createServiceToolApi', 'createToolApi', 'prepareTools'])
  })
})
