import { describe, expect, it } from 'vitest'
import { call, createTestLog, dataOf } from '../../../test/support/forrst.ts'
import { fc, hostileJson } from '../../../test/support/property.ts'
import { defineFunction } from '../../core/function.ts'
import { CallError } from '../../errors/error.ts'
import { createService } from '../../system/create-service.ts'
import type { JsonObject } from '../../values/json.ts'
import { type RedactExtensionOptions, redactExtension } from './redact.ts'

const URN = 'urn:forrst:ext:redact'
const DENY = 'pii:read:unredacted'

const USER = {
  user_id: 'usr_123',
  name: 'Alice Smith',
  email: 'alice@example.com',
  phone: '+1 555 123 1234',
  ssn: '123-45-6789',
}

function setUp(
  result: unknown = USER,
  options: RedactExtensionOptions = {},
  scopes: readonly string[] = [],
) {
  const log = createTestLog()
  const service = createService({
    info: { title: 'Users', version: '1.0.0' },
    functions: [
      defineFunction({
        name: 'users.get',
        version: '1.0.0',
        handler: () => {
          if (result instanceof Error) throw result
          return result as Record<string, unknown>
        },
      }),
    ],
    extensions: [redactExtension(options)],
    authenticate: () => ({ id: 'agent_7', scopes }),
    log,
  })
  const ask = (redact?: Record<string, unknown>) =>
    call(service, {
      function: 'users.get',
      context: { caller: 'test' },
      ...(redact && { extensions: [{ urn: URN, options: redact }] }),
    })
  return { ask, log, service }
}

describe('redact extension', () => {
  it('[F-226] masks the default fields completely and lists them', async () => {
    const response = await setUp().ask({})
    expect(response.body.result).toEqual({
      user_id: 'usr_123',
      name: 'Alice Smith',
      email: '***',
      phone: '***',
      ssn: '***',
    })
    expect(dataOf(response, URN)).toEqual({
      mode: 'full',
      redacted_fields: ['email', 'phone', 'ssn'],
      policy: 'default',
    })
  })

  it('[F-226] masks wherever a field stands, however its name is written', async () => {
    const response = await setUp({
      items: [{ cardNumber: '4242' }, { cardNumber: '4343' }],
      owner: { 'api-key': 'k', API_KEY: 'k', Secret: { deep: true } },
      token: null,
      password: 0,
    }).ask({})
    expect(response.body.result).toEqual({
      items: [{ cardNumber: '***' }, { cardNumber: '***' }],
      owner: { 'api-key': '***', API_KEY: '***', Secret: '***' },
      token: null,
      password: '***',
    })
    expect(dataOf(response, URN)?.['redacted_fields']).toEqual([
      'items.cardNumber',
      'owner.api-key',
      'owner.API_KEY',
      'owner.Secret',
      'password',
    ])
  })

  it('never changes what the handler keeps', async () => {
    const shared = { users: [USER, { user_id: 'usr_2' }] }
    const before = structuredClone(shared)
    const response = await setUp(shared).ask({})
    expect(shared).toEqual(before)
    expect(response.body.result).toMatchObject({ users: [{ email: '***' }, { user_id: 'usr_2' }] })
  })

  it('masks inside values that bring their own JSON form', async () => {
    const result = { account: { toJSON: () => ({ password: 'p' }) }, at: new Date(0) }
    expect((await setUp(result).ask({})).body.result).toEqual({
      account: { password: '***' },
      at: '1970-01-01T00:00:00.000Z',
    })
  })

  it('preserves the shape of values in partial mode', async () => {
    const response = await setUp({
      ...USER,
      card_number: '4000 0000 0000 4242',
      account_number: 12345678,
      cvv: '123',
      password: 'hunter2',
    }).ask({
      mode: 'partial',
      fields: ['email', 'phone', 'ssn', 'card_number', 'account_number', 'cvv', 'password', 'name'],
    })
    expect(response.body.result).toEqual({
      user_id: 'usr_123',
      name: 'A*** S***',
      email: 'a***@***.com',
      phone: '***-***-1234',
      ssn: '***-**-6789',
      card_number: '****-****-****-4242',
      account_number: '****-****-****-5678',
      cvv: '***',
      password: '***',
    })
    expect(dataOf(response, URN)).toMatchObject({ mode: 'partial' })
  })

  it.each([
    ['email', 'not an address'],
    ['phone', '1234'],
    ['card_number', '4242'],
    ['ssn', '6789'],
    ['ssn', { nested: '123-45-6789' }],
    ['name', '   '],
  ])('hides a %s completely when a partial mask would show too much of %j', async (name, value) => {
    const response = await setUp({ [name]: value }).ask({ mode: 'partial', fields: [name] })
    expect(response.body.result).toEqual({ [name]: '***' })
  })

  it('masks exactly the fields a caller names, by name or by path', async () => {
    const result = {
      email: 'a@b.com',
      address: 'here',
      billing: { address: 'there', city: 'X' },
      lines: [{ note: 'n' }],
    }
    const named = await setUp(result).ask({ fields: ['address'] })
    expect(named.body.result).toEqual({
      ...result,
      address: '***',
      billing: { address: '***', city: 'X' },
    })
    const byPath = await setUp(result).ask({ fields: ['billing.address', '/lines/note'] })
    expect(byPath.body.result).toEqual({
      ...result,
      billing: { address: '***', city: 'X' },
      lines: [{ note: '***' }],
    })
  })

  it('masks the details of errors', async () => {
    const error = new CallError('CONFLICT', { details: { email: 'a@b.com', id: 1 } })
    const response = await setUp(error).ask({})
    expect(response.body.errors?.[0].details).toEqual({ email: '***', id: 1 })
    expect(dataOf(response, URN)?.['redacted_fields']).toEqual(['errors.details.email'])
  })

  it('[F-227] refuses mode none without the scope', async () => {
    const response = await setUp().ask({ mode: 'none', purpose: 'curiosity' })
    expect(response.status).toBe(403)
    expect(response.body.result).toBeNull()
    expect(response.body.errors?.[0]).toMatchObject({
      code: 'FORBIDDEN',
      source: { pointer: '/extensions/0/options/mode' },
      details: { required_scope: DENY },
    })
    expect(dataOf(response, URN)).toEqual({ mode: 'full', policy: 'access_denied' })
  })

  it('[F-227] shows everything to a principal with the scope, and notes who and why', async () => {
    const { ask, log } = setUp(USER, { bypass: { scope: 'see:all' } }, ['see:all'])
    const response = await ask({ mode: 'none', purpose: 'ticket_12345' })
    expect(response.body.result).toEqual(USER)
    expect(dataOf(response, URN)).toEqual({ mode: 'none', redacted_fields: [], policy: 'default' })
    expect(log.lines).toMatchObject([
      { message: 'unredacted access', facts: { principal: 'agent_7', purpose: 'ticket_12345' } },
    ])
  })

  it('answers REDACTION_REQUIRED when nobody may see everything', async () => {
    const response = await setUp(USER, { bypass: 'never' }, [DENY]).ask({ mode: 'none' })
    expect(response.status).toBe(403)
    expect(response.body.errors?.[0].code).toBe('REDACTION_REQUIRED')
  })

  it('follows the policy of the service', async () => {
    const response = await setUp(USER, {
      policy: 'pii_protection',
      fields: ['user_id'],
      masks: { user_id: (text) => `${text.slice(0, 4)}…` },
    }).ask({ mode: 'partial' })
    expect(response.body.result).toEqual({ ...USER, user_id: 'usr_…' })
    expect(dataOf(response, URN)).toMatchObject({ policy: 'pii_protection' })
  })

  it('masks calls that did not ask when told to, and lets callers only add to it', async () => {
    const { ask } = setUp(USER, { always: true })
    const undeclared = await ask()
    expect(undeclared.body.result).toMatchObject({ email: '***' })
    expect(dataOf(undeclared, URN)).toMatchObject({ redacted_fields: ['email', 'phone', 'ssn'] })
    const sly = await ask({ fields: ['name'] })
    expect(sly.body.result).toEqual({
      user_id: 'usr_123',
      name: '***',
      email: '***',
      phone: '***',
      ssn: '***',
    })
    expect((await setUp(USER).ask()).body.result).toEqual(USER)
  })

  it('leaves descriptions readable', async () => {
    const { service } = setUp(USER, { always: true })
    const document = { function: 'urn:cline:forrst:ext:discovery:fn:capabilities' }
    const response = await call(service, { ...document, extensions: [{ urn: URN }] })
    expect(response.body.result).toMatchObject({ functions: ['users.get'] })
  })

  it('answers INTERNAL_ERROR instead of breaking on a result that contains itself', async () => {
    const loop: Record<string, unknown> = { id: 1 }
    loop['self'] = [loop]
    expect((await setUp(loop).ask({})).body.errors?.[0].code).toBe('INTERNAL_ERROR')
  })

  it('leaves no sensitive member of any result readable', async () => {
    await fc.assert(
      fc.asyncProperty(hostileJson({ maxDepth: 4 }), hostileJson(), async (value, extra) => {
        const result = { value, nested: [{ password: 'hunter2', value }], extra } as JsonObject
        const response = await setUp(result).ask({})
        expect(JSON.stringify(response.body)).not.toContain('hunter2')
        expect((response.body.result as JsonObject)['value']).toEqual(
          JSON.parse(JSON.stringify(value)),
        )
      }),
      { numRuns: 50 },
    )
  })

  it.each([
    [{ mode: 'half' }, 'mode'],
    [{ mode: 1 }, 'mode'],
    [{ fields: 'email' }, 'fields'],
    [{ fields: ['email', ''] }, 'fields/1'],
    [{ purpose: 7 }, 'purpose'],
    [{ purpose: 'x'.repeat(501) }, 'purpose'],
  ])('refuses the options %j', async (options, path) => {
    expect((await setUp().ask(options)).body.errors?.[0]).toMatchObject({
      code: 'INVALID_ARGUMENTS',
      source: { pointer: `/extensions/0/options/${path}` },
    })
  })
})
