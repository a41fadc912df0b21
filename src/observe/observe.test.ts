import pino from 'pino'
import { describe, expect, it } from 'vitest'
import { call } from '../../test/support/forrst.ts'
import { serviceOf } from '../../test/support/service.ts'
import { type ComponentCheck, defineFunction } from '../core/index.ts'
import { CallError } from '../errors/index.ts'
import { createApp } from '../http/app.ts'
import { jsonSchema } from '../schema/index.ts'
import { rest } from '../surfaces/rest/index.ts'
import type { ServiceOptions } from '../system/create-service.ts'
import { jsonLogger, prettyLogger } from './logger.ts'

type Line = Readonly<Record<string, unknown>>

function toLines(written: readonly string[]): readonly Line[] {
  return written.map((line) => JSON.parse(line) as Line)
}

/** Forrst asks every caller for its name once. */
const isAboutCalls = ({ message = '', msg = message }: Line): boolean =>
  !String(msg).includes('without context')

const greet = defineFunction({
  name: 'people.greet',
  version: '1.2.0',
  input: jsonSchema<{ name?: string; pin?: string; card?: { number?: string }; note?: string }>({
    type: 'object',
    properties: {
      name: { type: 'string' },
      pin: { type: 'string', format: 'password' },
      password: { type: 'string' },
      note: { type: 'string' },
      card: { $ref: '#/$defs/card' },
    },
    $defs: {
      card: {
        type: 'object',
        properties: { number: { anyOf: [{ type: 'string', writeOnly: true }, { type: 'null' }] } },
      },
    },
  }),
  handler: ({ input }) => {
    if (input.name === 'nobody') throw new CallError('NOT_FOUND')
    if (input.name === 'bug') throw new Error('x')
    return `Hello ${input.name}`
  },
})

function serviceWithLines(options: Partial<ServiceOptions> = {}) {
  const written: string[] = []
  const log = jsonLogger({ write: (line) => void written.push(line), now: () => 0 })
  const service = serviceOf([greet], { log, ...options } as never)
  return { service, lines: () => toLines(written).filter(isAboutCalls) }
}

describe('jsonLogger', () => {
  it('writes time, level and message, and a fact never takes their place', () => {
    const written: string[] = []
    const log = jsonLogger({ write: (line) => void written.push(line), now: () => 86_400_000 })
    log.warn('a health check failed', { message: 'Connection refused', level: 9, component: 'db' })
    expect(toLines(written)).toEqual([
      {
        time: '1970-01-02T00:00:00.000Z',
        level: 'warn',
        message: 'a health check failed',
        _message: 'Connection refused',
        _level: 9,
        component: 'db',
      },
    ])
  })

  it('writes facts that JSON cannot hold as text', () => {
    const written: string[] = []
    const loop: Record<string, unknown> = {}
    loop['self'] = loop
    jsonLogger({ write: (line) => void written.push(line) }).error('odd', { loop, big: 1n })
    expect(toLines(written)[0]).toMatchObject({ message: 'odd', big: '1' })
  })
})

describe('prettyLogger', () => {
  it('writes one line for a person, without letting a value move the cursor', () => {
    const written: string[] = []
    const log = prettyLogger({ write: (line) => void written.push(line), now: () => 0 })
    log.info?.('call', { function: 'greet', name: 'a\x1b[2J\nb', n: 1 })
    expect(written).toEqual(['00:00:00 INFO  call function=greet name="a\\u001b[2J\\nb" n=1\n'])
  })
})

describe('a health check that fails', () => {
  it('keeps the message of its line', async () => {
    const database: ComponentCheck = {
      check: () => ({ status: 'unhealthy', message: 'Connection refused' }),
    }
    const { service, lines } = serviceWithLines({ health: { database } })
    await call(service, { function: 'urn:cline:forrst:fn:health' })
    expect(lines()).toEqual([
      expect.objectContaining({
        message: 'a health check failed',
        component: 'database',
        reason: 'Connection refused',
      }),
    ])
  })
})

describe('callLog', () => {
  it('writes nothing about calls when absent', async () => {
    const { service, lines } = serviceWithLines()
    await call(service, { function: 'people.greet', arguments: { name: 'Ada' } })
    expect(lines()).toEqual([])
  })

  it('writes one line per call: request, surface, function, version, principal, code, duration', async () => {
    const { service, lines } = serviceWithLines({
      callLog: true,
      authenticate: () => ({ id: 'ada' }),
      clock: { now: () => 0, elapsed: () => 5 },
    })
    await call(service, { function: 'people.greet', arguments: { name: 'Ada' }, id: 'req-1' })
    expect(lines()).toEqual([
      {
        time: '1970-01-01T00:00:00.000Z',
        level: 'info',
        message: 'call',
        request: 'req-1',
        surface: 'forrst',
        function: 'people.greet',
        version: '1.2.0',
        principal: 'ada',
        code: 'OK',
        durationMs: 0,
      },
    ])
  })

  it('names the surface and the id of a REST request', async () => {
    const { service, lines } = serviceWithLines({ callLog: true })
    const app = createApp(service, { surfaces: [rest()] })
    await app.handle({
      method: 'POST',
      path: '/api/people.greet',
      query: '',
      header: (name) => ({ 'content-type': 'application/json', 'x-request-id': 'r-7' })[name],
      bodyTooLarge: false,
      body: new TextEncoder().encode('{"name":"Ada"}'),
      signal: () => new AbortController().signal,
    })
    expect(lines()).toEqual([expect.objectContaining({ surface: 'rest', request: 'r-7' })])
  })

  it('writes the code of failures, and those of the service as warnings', async () => {
    const { service, lines } = serviceWithLines({ callLog: { sample: 0 } })
    await call(service, { function: 'people.greet', arguments: { name: 'Ada' } })
    await call(service, { function: 'people.greet', arguments: { name: 'nobody' } })
    await call(service, { function: 'people.greet', arguments: { name: 'bug' } })
    await call(service, { function: 'nothing.here' })
    expect(
      lines()
        .filter(({ message }) => message === 'call')
        .map(({ level, function: name, code }) => [level, name, code]),
    ).toEqual([
      ['info', 'people.greet', 'NOT_FOUND'],
      ['warn', 'people.greet', 'INTERNAL_ERROR'],
      ['info', 'nothing.here', 'FUNCTION_NOT_FOUND'],
    ])
  })

  it('writes a share of the calls that succeed', async () => {
    const chances = [0.05, 0.5, 0.09, 0.99]
    const { service, lines } = serviceWithLines({
      callLog: { sample: 0.1, random: () => chances.shift() ?? 1 },
    })
    for (const name of ['a', 'b', 'c', 'd']) {
      await call(service, { function: 'people.greet', arguments: { name } })
    }
    expect(lines()).toHaveLength(2)
  })

  it('hides arguments that the schema or the name says are secret, and shortens long ones', async () => {
    const { service, lines } = serviceWithLines({ callLog: { arguments: true, hide: ['name'] } })
    await call(service, {
      function: 'people.greet',
      arguments: {
        name: 'Ada',
        pin: '1234',
        password: 'hunter2',
        card: { number: '4111' },
        note: 'x'.repeat(300),
      },
    })
    expect(lines()[0]?.['arguments']).toEqual({
      name: '***',
      pin: '***',
      password: '***',
      card: { number: '***' },
      note: `${'x'.repeat(200)}…`,
    })
  })

  it('refuses a share that is none', () => {
    expect(() => serviceWithLines({ callLog: { sample: 2 } })).toThrow(
      'callLog.sample must be a number from 0 to 1; got 2',
    )
  })
})

describe('a pino logger', () => {
  it('gets facts and message in its own order, and errors as err', async () => {
    const written: string[] = []
    const log = pino({}, { write: (line: string) => void written.push(line) })
    const { service } = serviceWithLines({ log, callLog: true })
    await call(service, { function: 'people.greet', arguments: { name: 'bug' } })
    const [failed, called] = toLines(written).filter(isAboutCalls)
    expect(failed).toMatchObject({
      level: 50,
      msg: 'a handler failed unexpectedly',
      function: 'people.greet',
      err: { type: 'Error', message: 'x' },
    })
    expect(called).toMatchObject({ level: 40, msg: 'call', code: 'INTERNAL_ERROR' })
  })
})
