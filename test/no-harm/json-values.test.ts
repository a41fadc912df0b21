import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { defineFunction, type FunctionDefinition } from '../../src/core/function.ts'
import { createClient } from '../../src/entries/client.ts'
import { CallError } from '../../src/errors/error.ts'
import { createMemoryStore } from '../../src/store/memory/memory.ts'
import { findNoJson } from '../../src/values/json-value.ts'
import { call } from '../support/forrst.ts'
import { start } from '../support/front.ts'
import { createTestLogger, define, serviceOf } from '../support/service.ts'

/** Calls a function whose handler gives a value; the answer, and what the log says. */
async function answerWith(value: unknown, more: Partial<FunctionDefinition> = {}) {
  const log = createTestLogger()
  const service = serviceOf([define({ handler: () => value as never, ...more })], { log })
  const { body } = await call(service, { function: 'orders.get' })
  const logged = log.lines.map(({ facts }) => String((facts as { error?: unknown })?.error)).join()
  return { body, logged }
}

const circle: Record<string, unknown> = { name: 'a' }
circle['self'] = circle
class Hidden {
  readonly #value = 1
  get value() {
    return this.#value
  }
}
class Row {
  id = 1
}

const WRONG: readonly (readonly [string, unknown, string])[] = [
  ['a Map', new Map([['a', 1]]), 'a Map; give an object'],
  ['a Buffer', Buffer.from('x'), 'a Buffer; give its bytes as a base64 string'],
  ['1e400', Number('1e400'), 'Infinity'],
  ['NaN', Number.NaN, 'NaN'],
  ['a Set', new Set([1]), 'a Set; give a list'],
  ['typed numbers', new Float32Array(2), 'a Float32Array'],
  ['bytes', new ArrayBuffer(2), 'a ArrayBuffer'],
  ['a BigInt', 12n, 'a BigInt; give its digits as a string'],
  ['a function', () => 1, 'a function'],
  ['a symbol', Symbol('x'), 'a symbol'],
  ['a circle', circle, 'a circle'],
  ['undefined in a list', [1, undefined], 'undefined in a list'],
  // biome-ignore lint/suspicious/noSparseArray: the hole is what is tested.
  ['a hole in a list', [1, , 2], 'undefined in a list'],
  ['an invalid date', new Date('x'), 'an invalid Date'],
  ['a promise', Promise.resolve(1), 'a Promise; await it'],
  ['an error', new Error('x'), 'a Error; give its message'],
  ['a pattern', /x/, 'a RegExp'],
  ['a file', new File([], 'x'), 'a File'],
  ['parameters of a URL', new URLSearchParams('a=1'), 'a URLSearchParams'],
  ['an instance without members', new Hidden(), 'a Hidden without members'],
  ['NaN in an object', new Number(Number.NaN), 'NaN'],
]
const reported = WRONG.slice(0, 4)
const beside = WRONG.slice(4)

const refusedAtDefinition = (input: z.ZodType, field: 'input' | 'output' | 'item' = 'input') => {
  try {
    serviceOf([define({ [field]: input } as Partial<FunctionDefinition>)])
  } catch (thrown) {
    return (thrown as Error).message
  }
  return 'taken'
}

describe('as reported', () => {
  it('refuses z.date() with the name of the field, and takes z.file()', () => {
    expect(refusedAtDefinition(z.object({ due: z.date() }))).toBe(
      'function orders.get: input.due: z.date() cannot be sent as JSON; use z.iso.datetime()',
    )
    expect(refusedAtDefinition(z.object({ a: z.object({ f: z.file().optional() }) }))).toBe('taken')
    expect(refusedAtDefinition(z.object({ due: z.date() }), 'output')).toContain(
      'output.due: z.date()',
    )
  })

  it.each(reported)('refuses %s in a result and names its place', async (_name, value, found) => {
    const { body, logged } = await answerWith({ order: { 'a/b': [value] } })
    expect(body).toMatchObject({ result: null, errors: [{ code: 'INTERNAL_ERROR' }] })
    expect(logged).toContain(
      `orders.get@1.0.0 answered what JSON cannot hold at "/order/a~1b/0": ${found}`,
    )
  })
})

describe('beside it', () => {
  it.each(beside)('refuses %s in a result', async (_name, value, found) => {
    const { body, logged } = await answerWith({ order: value })
    expect(body).toMatchObject({ result: null, errors: [{ code: 'INTERNAL_ERROR' }] })
    expect(logged).toContain(found)
  })

  it.each<[string, unknown, unknown]>([
    ['a date', { at: new Date(0) }, { at: '1970-01-01T00:00:00.000Z' }],
    ['a URL', { at: new URL('http://a/b') }, { at: 'http://a/b' }],
    ['members that are undefined', { a: undefined, b: 1 }, { b: 1 }],
    ['an instance with members', new Row(), { id: 1 }],
    ['an object without prototype', Object.assign(Object.create(null), { a: 1 }), { a: 1 }],
    ['something with toJSON', { a: { toJSON: () => [1] } }, { a: [1] }],
    [
      'the same object twice',
      [circle['name'], { a: WRONG.length }, { a: WRONG.length }],
      ['a', { a: WRONG.length }, { a: WRONG.length }],
    ],
    ['nothing', undefined, null],
    ['a deep value', deep(150), deep(150)],
  ])('sends %s as JSON.stringify writes it', async (_name, value, expected) => {
    expect((await answerWith(value)).body.result).toEqual(expected)
  })

  it('takes a Date that the output schema calls a string for what it becomes', () => {
    expect(findNoJson({ at: new Date(0) })).toBeUndefined()
  })

  it.each<[string, z.ZodType, string]>([
    ['a map', z.object({ m: z.map(z.string(), z.int()) }), 'input.m: z.map()'],
    ['a set in a list', z.object({ l: z.array(z.set(z.int())) }), 'input.l.items: z.set()'],
    ['a bigint', z.object({ n: z.bigint() }), 'input.n: z.bigint()'],
    [
      'one of several',
      z.object({ u: z.union([z.string(), z.date()]) }),
      'input.u.anyOf.1: z.date()',
    ],
    ['a custom type', z.object({ c: z.instanceof(Buffer) }), 'input.c: z.custom()'],
    [
      'a field called properties',
      z.object({ properties: z.object({ d: z.date() }) }),
      'input.properties.d: z.date()',
    ],
  ])('refuses %s at definition', (_name, schema, text) => {
    expect(refusedAtDefinition(schema)).toContain(text)
  })

  it.each<[string, z.ZodType, string]>([
    ['a default', z.number().default(Number.NaN), 'default is what JSON cannot hold: NaN'],
    ['a default inside', z.any().default({ a: [new Map()] }), 'default.a.0 is what JSON cannot'],
    ['a Buffer', z.any().default(Buffer.from('x')), 'default is what JSON cannot hold: a Buffer'],
    ['a BigInt', z.any().default(12n), 'default is what JSON cannot hold: a BigInt'],
    ['a value for parsing', z.any().prefault(new Map()), 'default is what JSON cannot hold: a Map'],
    ['no date', z.any().default(() => new Date(Number.NaN)), 'default is what JSON cannot'],
    ['a value for failures', z.number().catch(Number.NaN), 'default is what JSON cannot hold: NaN'],
    ['an example', z.string().meta({ examples: [Number.NaN] }), 'examples.0 is what JSON cannot'],
    ['a limit', z.number().max(Number.POSITIVE_INFINITY), 'maximum is what JSON cannot hold'],
    ['a literal', z.literal(1n), 'z.literal(1n) cannot be sent as JSON; use z.string()'],
    ['nothing', z.literal(undefined), 'z.literal(undefined) cannot be sent as JSON; use z.null()'],
  ])('refuses %s of a schema that JSON cannot hold, with its field', (_name, schema, text) => {
    const refused = refusedAtDefinition(z.object({ a: z.object({ m: schema }) }))
    expect(refused).toContain(`function orders.get: input.a.m: ${text}`)
  })

  it('takes defaults that JSON can hold', () => {
    const input = z.object({
      at: z.any().default(new Date(0)),
      list: z.array(z.int()).default([1]),
      note: z.string().meta({ render: () => 'left out', examples: ['a'] }),
    })
    expect(refusedAtDefinition(input)).toBe('taken')
  })

  it('refuses a default, an example and a simulation that JSON cannot hold', () => {
    const input = { type: 'object', properties: { n: { type: 'number', default: Number.NaN } } }
    expect(() => serviceOf([define({ input })])).toThrow(
      'input.properties.n.default is what JSON cannot hold: NaN',
    )
    const examples = [{ name: 'x', params: [], result: { name: 'r', value: new Map() } }]
    expect(() => serviceOf([define({ examples: examples as never })])).toThrow(
      'examples.0.result.value is what JSON cannot hold: a Map',
    )
    const simulations = [{ name: 's', input: {}, output: { b: Buffer.from('x') } }]
    expect(() => serviceOf([define({ simulations: simulations as never })])).toThrow(
      'simulations.0.output.b is what JSON cannot hold: a Buffer',
    )
  })

  it('refuses them in items of a stream, in what middleware answers, and in details of errors', async () => {
    const stream = await answerWith(undefined, {
      item: {},
      handler: async function* () {
        yield { n: 1 }
        yield { n: Number.NaN }
      } as never,
    })
    expect(stream.body).toMatchObject({ errors: [{ code: 'INTERNAL_ERROR' }] })
    expect(stream.logged).toContain('yielded what JSON cannot hold at "/n": NaN')

    const failing = await answerWith(undefined, {
      errors: [{ code: 'GONE', message: 'Gone' }],
      handler: () => {
        throw new CallError('GONE', { details: { left: new Map() as never } })
      },
    })
    expect(failing.body).toMatchObject({ errors: [{ code: 'INTERNAL_ERROR' }] })
    expect(failing.logged).toContain('the details of GONE hold what JSON cannot, at "/left": a Map')

    const log = createTestLogger()
    const service = serviceOf([define({})], {
      log,
      middleware: [() => ({ ok: true, result: { m: new Map() } })] as never,
    })
    const { body } = await call(service, { function: 'orders.get' })
    expect(body).toMatchObject({ errors: [{ code: 'INTERNAL_ERROR' }] })
  })

  it('keeps nothing of such a result under an idempotency key or as an operation', async () => {
    const log = createTestLogger()
    const service = serviceOf(
      [define({ writes: ['create'], handler: () => ({ m: new Map() }) as never })],
      {
        log,
        store: createMemoryStore(),
      },
    )
    const extensions = [{ urn: 'urn:forrst:ext:idempotency', options: { key: 'k1' } }]
    for (const _attempt of [1, 2]) {
      const { body } = await call(service, { function: 'orders.get', extensions })
      expect(body).toMatchObject({ result: null, errors: [{ code: 'INTERNAL_ERROR' }] })
    }
  })

  // A file is sent in its JSON form.
  const WRONG_ARGUMENTS = WRONG.filter(([name]) => name !== 'a file')
  it.each(WRONG_ARGUMENTS)(
    'refuses %s among the arguments of a client',
    async (_name, value, found) => {
      const client = createClient({ url: 'http://127.0.0.1:1/forrst', retry: false })
      const outcome = await client.call('orders.get', { filter: { at: value } } as never)
      expect(outcome).toMatchObject({ ok: false, error: { code: 'CLIENT_INVALID_REQUEST' } })
      expect(JSON.stringify(outcome)).toContain(`arguments.filter.at`)
      expect(JSON.stringify(outcome)).toContain(found.slice(0, 12))
    },
  )

  it('answers the same over MCP, REST and the explorer', async () => {
    const bad = defineFunction({
      name: 'orders.get',
      version: '1.0.0',
      handler: () => ({ m: new Map([['a', 1]]) }) as never,
    })
    const server = await start(serviceOf([bad]))
    const post = async (path: string, body: unknown) => {
      const headers = {
        'content-type': 'application/json',
        accept: 'application/json, text/event-stream',
      }
      const init = { method: 'POST', headers, body: JSON.stringify(body) }
      return (await fetch(`${server.url}${path}`, init)).text()
    }
    const params = { name: 'orders__get', arguments: {} }
    expect(await post('/mcp', { jsonrpc: '2.0', id: 1, method: 'tools/call', params })).toContain(
      'INTERNAL_ERROR',
    )
    expect(await post('/api/orders.get', {})).toContain('INTERNAL_ERROR')
    expect(await post('/explorer/tools/orders__get/call', {})).not.toContain('"m":{}')
  })
})

function deep(levels: number): unknown {
  let value: unknown = 1
  for (let level = 0; level < levels; level += 1) value = { value }
  return value
}
