import { AsyncLocalStorage } from 'node:async_hooks'
import { gzipSync } from 'node:zlib'
import { describe, expect, expectTypeOf, it, vi } from 'vitest'
import { ask } from '../../../test/explorer/ask.ts'
import {
  type AuthHook,
  createToolApi,
  type ToolApiOptions,
  type ToolCallHandler,
  type ToolCallResult,
} from '../../entries/tools.ts'

const TOOLS = [
  { name: 'echo', description: 'Says it again.', annotations: { readOnlyHint: true } },
  { name: 'boom', description: 'Fails.' },
]
const CALL = '/explorer/tools/echo/call'

const echo: ToolCallHandler = (_name, args) => [
  [{ type: 'text', text: JSON.stringify(args) }],
  false,
]

function api(call: ToolCallHandler, options: Partial<ToolApiOptions> = {}) {
  const log = { warn: vi.fn(), error: vi.fn() }
  return createToolApi({ tools: TOOLS, call, allowExecute: true, log, ...options })
}

function logger() {
  return { warn: vi.fn(), error: vi.fn() }
}

describe('POST /tools/{name}/call', () => {
  it('[TE-33] [TE-51] runs the tool and answers its content', async () => {
    const reply = await ask(api(echo), CALL, { body: { a: 1 } })
    expect(reply.status).toBe(200)
    expect(reply.headers['content-type']).toBe('application/json')
    expect(reply.json).toEqual({ content: [{ type: 'text', text: '{"a":1}' }], isError: false })
  })

  it('[TE-34] puts the trace id into _meta', async () => {
    const { json } = await ask(
      api(() => [[], false, 'tr_1']),
      CALL,
      { body: {} },
    )
    expect(json).toEqual({ content: [], isError: false, _meta: { _trace_id: 'tr_1' } })
  })

  it.each([
    ['[TE-35]', null],
    ['[TE-36]', ''],
  ])('%s has no _meta for the trace id %j', async (_id, traceId) => {
    const { json } = await ask(
      api(() => [[], false, traceId]),
      CALL,
      { body: {} },
    )
    expect(json).toEqual({ content: [], isError: false })
  })

  it('[TE-37] answers 500 with the content when the tool says error', async () => {
    const reply = await ask(
      api(() => [[{ type: 'text', text: 'kaboom' }], true]),
      CALL,
      { body: {} },
    )
    expect(reply.status).toBe(500)
    expect(reply.json).toEqual({ content: [{ type: 'text', text: 'kaboom' }], isError: true })
  })

  it('takes a result object as well as a row', async () => {
    const result = { content: [], structuredContent: { n: 1 }, _meta: { a: 1 } }
    expect(
      (
        await ask(
          api(() => result),
          CALL,
          { body: {} },
        )
      ).json,
    ).toEqual({ ...result, isError: false })
  })

  it('[TE-38] answers 404 for an unknown tool', async () => {
    const reply = await ask(api(echo), '/explorer/tools/nope/call', { body: {} })
    expect(reply.status).toBe(404)
    expect(reply.text).toBe('{"error":"Tool not found: nope"}')
  })

  it.each(['echo', 'nope'])(
    '[TE-39] [TE-40] [TE-52] answers 403 for %s when execution is off',
    async (tool) => {
      const call = vi.fn(echo)
      const reply = await ask(api(call, { allowExecute: false }), `/explorer/tools/${tool}/call`, {
        body: {},
      })
      expect(reply.status).toBe(403)
      expect(reply.text).toBe('{"error":"Tool execution is disabled."}')
      expect(call).not.toHaveBeenCalled()
    },
  )

  it('[TE-41] is off by default', async () => {
    const handler = createToolApi({ tools: TOOLS, call: echo })
    expect((await ask(handler, CALL, { body: {} })).status).toBe(403)
  })

  it.each(['not json', '', 'null', '[1,2]', '5', 'false', '"s"', '"{\\"x\\":1}"', '\xff'])(
    '[TE-42] [TE-43] runs with no arguments for the body %j',
    async (body) => {
      const { json } = await ask(api(echo), CALL, { body })
      expect(json).toMatchObject({ content: [{ text: '{}' }] })
    },
  )

  it.each([
    ['nests too deeply', `{"a":${'['.repeat(200)}${']'.repeat(200)}}`],
    ['has a member named "__proto__"', '{"__proto__":{"x":1}}'],
  ])('does not run without the arguments it was sent when the body %s', async (reason, body) => {
    const call = vi.fn(echo)
    const reply = await ask(api(call), CALL, { body })
    expect(reply.status).toBe(400)
    expect(reply.json).toEqual({ error: `The request ${reason}` })
    expect(call).not.toHaveBeenCalled()
  })

  it.each(['call', 'validate'])('answers 415 to a compressed body at /%s', async (verb) => {
    const call = vi.fn(echo)
    const reply = await ask(api(call), `/explorer/tools/echo/${verb}`, {
      body: gzipSync('{"a":1}'),
      headers: { 'content-encoding': 'gzip' },
    })
    expect(reply.status).toBe(415)
    expect(reply.json).toEqual({
      error: 'Send the body as it is, without Content-Encoding "gzip".',
    })
    expect(reply.headers['accept-encoding']).toBe('identity')
    expect(call).not.toHaveBeenCalled()
  })

  it('[TE-43] runs with no arguments when nothing at all is sent', async () => {
    expect((await ask(api(echo), CALL, { method: 'POST' })).status).toBe(200)
  })

  it.each([
    [
      'an error',
      () => {
        throw new Error('out of paper')
      },
      'out of paper',
    ],
    [
      'text',
      () => {
        throw 'plain text'
      },
      'plain text',
    ],
    ['a rejection', () => Promise.reject(new Error('later')), 'later'],
    ['nothing', () => undefined, 'the call handler must return [content, isError]'],
    [
      'content that is not a list',
      () => ['text', false],
      'the call handler must return its content as an array',
    ],
    [
      'a number JSON cannot hold',
      () => [[{ type: 'text', n: 1n }], false],
      'Do not know how to serialize a BigInt',
    ],
  ])(
    '[TE-44] [TE-45] [TE-46] answers 500 as JSON and logs when the handler gives %s',
    async (_case, call, text) => {
      const log = logger()
      const reply = await ask(api(call as never, { log }), CALL, { body: {} })
      expect(reply.status).toBe(500)
      expect(reply.headers['content-type']).toBe('application/json')
      expect(reply.json).toEqual({
        content: [{ type: 'text', text: expect.stringContaining(text) }],
        isError: true,
      })
      expect(log.error).toHaveBeenCalledTimes(1)
    },
  )

  it('[TE-47] calls a handler of two parameters with two arguments', async () => {
    let count = 0
    const call = function (_name: string, _args: unknown) {
      // biome-ignore lint/complexity/noArguments: their number is what is tested
      count = arguments.length
      return [[], false] as const
    }
    await ask(api(call), CALL, { body: {} })
    expect(count).toBe(2)
  })

  it.each<[string, ToolCallHandler]>([
    [
      'third parameter',
      (_name, _args, request) => [[{ type: 'text', text: request.header('x-who') }], false],
    ],
    ['rest parameters', (...all) => [[{ type: 'text', text: all[2].header('x-who') }], false]],
  ])('[TE-48] hands the request to a handler with a %s', async (_case, call) => {
    const { json } = await ask(api(call), CALL, { body: {}, headers: { 'x-who': 'ada' } })
    expect(json).toMatchObject({ content: [{ text: 'ada' }] })
  })

  it('[TE-49] [TE-50] passes pictures and unknown kinds through', async () => {
    const content = [
      { type: 'image', mimeType: 'image/png', data: 'AAAA' },
      { type: 'hologram', depth: 3, nested: { a: null } },
    ]
    expect(
      (
        await ask(
          api(() => [content, false]),
          CALL,
          { body: {} },
        )
      ).json,
    ).toMatchObject({ content })
  })

  it('[TE-128] declares _meta as optional', () => {
    expectTypeOf<ToolCallResult>().toExtend<{ _meta?: unknown }>()
    expectTypeOf<{ content: []; isError: false }>().toExtend<ToolCallResult>()
  })
})

describe('the auth hook', () => {
  const accepting: Record<string, AuthHook> = {
    sync: (_request, next) => next(),
    async: async (_request, next) => {
      await Promise.resolve()
      await next()
    },
  }
  const rejecting: Record<string, AuthHook> = {
    sync: () => {
      throw new Error('token of ada expired')
    },
    async: () => Promise.reject(new Error('token of ada expired')),
  }

  it.each(Object.entries(accepting))(
    '[TE-53] [TE-55] lets a call through when it accepts, %s',
    async (_kind, authHook) => {
      expect((await ask(api(echo, { authHook }), CALL, { body: {} })).status).toBe(200)
    },
  )

  it.each(Object.entries(rejecting))(
    '[TE-54] [TE-56] [TE-57] [TE-62] answers 401 and nothing of the reason when it rejects, %s',
    async (_kind, authHook) => {
      const log = logger()
      const call = vi.fn(echo)
      const reply = await ask(api(call, { authHook, log }), CALL, { body: {} })
      expect(reply.status).toBe(401)
      expect(reply.text).toBe('{"error":"Unauthorized"}')
      expect(reply.headers['www-authenticate']).toBe('Bearer')
      expect(log.warn).toHaveBeenCalledTimes(1)
      expect(call).not.toHaveBeenCalled()
    },
  )

  it('[TE-58] [TE-59] is not asked for page, list, detail and validation', async () => {
    const authHook = vi.fn(() => {
      throw new Error('no')
    })
    const handler = api(echo, { authHook })
    for (const path of ['/explorer/', '/explorer/tools', '/explorer/tools/echo']) {
      expect((await ask(handler, path)).status).toBe(200)
    }
    expect((await ask(handler, '/explorer/tools/echo/validate', { body: {} })).status).toBe(200)
    expect(authHook).not.toHaveBeenCalled()
  })

  it('[TE-60] [TE-61] comes after the check of execution and of the name', async () => {
    const authHook: AuthHook = () => Promise.reject(new Error('no'))
    const off = api(echo, { authHook, allowExecute: false })
    expect((await ask(off, CALL, { body: {} })).status).toBe(403)
    expect(
      (await ask(api(echo, { authHook }), '/explorer/tools/nope/call', { body: {} })).status,
    ).toBe(404)
  })

  it('[TE-63] [TE-64] carries identity around the call; the value it returns goes nowhere', async () => {
    const identity = new AsyncLocalStorage<string>()
    const call: ToolCallHandler = (...all) => [
      [{ type: 'text', text: `${identity.getStore()} ${all.length}` }],
      false,
    ]
    const authHook: AuthHook = (request, next) =>
      identity.run(request.header('x-who') ?? '', async () => {
        await next()
        return { admin: true }
      })
    const { json } = await ask(api(call, { authHook }), CALL, {
      body: {},
      headers: { 'x-who': 'ada' },
    })
    expect(json).toEqual({ content: [{ type: 'text', text: 'ada 3' }], isError: false })
  })

  it('[TE-65] leaves a failing handler a 500', async () => {
    const call = () => Promise.reject(new Error('broken'))
    expect(
      (await ask(api(call, { authHook: (_request, next) => next() }), CALL, { body: {} })).status,
    ).toBe(500)
  })

  it.each<[string, AuthHook]>([
    [
      'throws',
      async (_request, next) => {
        await next()
        throw new Error('too late')
      },
    ],
    [
      'throws while the tool runs',
      (_request, next) => {
        void next()
        throw new Error('too late')
      },
    ],
    [
      'returns a refusal of its own',
      async (_request, next) => {
        await next()
        return { status: 401, headers: {}, body: '' }
      },
    ],
  ])('sends the answer of a tool that ran, although the hook %s', async (_case, authHook) => {
    const log = logger()
    const slow: ToolCallHandler = async (_name, args) => {
      await new Promise((resolve) => setTimeout(resolve, 5))
      return [[{ type: 'text', text: JSON.stringify(args) }], false]
    }
    const reply = await ask(api(slow, { authHook, log }), CALL, { body: { n: 1 } })
    expect(reply.status).toBe(200)
    expect(reply.json).toMatchObject({ content: [{ text: '{"n":1}' }] })
  })

  it('refuses a call whose hook never says yes, and one whose hook says it after the answer', async () => {
    const call = vi.fn(echo)
    let late: (() => Promise<void>) | undefined
    const authHook: AuthHook = (_request, next) => {
      late = next
    }
    const reply = await ask(api(call, { authHook }), CALL, { body: {} })
    expect(reply.status).toBe(401)
    await expect(late?.()).rejects.toThrow('refused')
    expect(call).not.toHaveBeenCalled()
  })

  it('runs a tool once, however often the hook says yes', async () => {
    const call = vi.fn(echo)
    const authHook: AuthHook = async (_request, next) => {
      await Promise.all([next(), next()])
    }
    await ask(api(call, { authHook }), CALL, { body: {} })
    expect(call).toHaveBeenCalledTimes(1)
  })
})
