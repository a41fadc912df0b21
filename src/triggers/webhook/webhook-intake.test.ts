import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { JSON_TYPE, NOW, SECRET, SIGN, start, toRequest } from '../../../test/support/webhooks.ts'

describe('an empty webhook-id', () => {
  it.each([
    ['without a secret', { secret_env: undefined as never }, {}],
    ['of the scheme secret', { signature: 'secret' } as const, { 'x-webhook-secret': SECRET }],
  ])('%s is not an id: two deliveries are two', async (_name, part, headers) => {
    const hook = start(part)
    for (const body of ['{"n":1}', '{"n":2}']) {
      const request = toRequest(body, { ...JSON_TYPE, ...headers, 'webhook-id': '' })
      expect((await hook.send(request)).status).toBe(202)
    }
    expect(hook.events.map(({ payload }) => payload)).toEqual([{ n: 1 }, { n: 2 }])
  })
})

describe('headers of Svix', () => {
  const right = SIGN.standard({ id: 'msg_1', sentAt: NOW, body: '{}' })
  const svix = Object.fromEntries(
    Object.entries(right).map(([name, value]) => [name.replace('webhook-', 'svix-'), value]),
  )

  it('are read as those of Standard Webhooks, which they became', async () => {
    const hook = start()
    expect((await hook.send(toRequest('{}', svix))).status).toBe(202)
    expect((await hook.send(toRequest('{}', right))).status).toBe(202)
    expect(hook.events.map(({ id }) => id)).toEqual(['msg_1'])
  })

  it('do not stand in for single headers of the others', async () => {
    const hook = start()
    const mixed = { ...svix, 'webhook-id': 'msg_2' }
    expect((await hook.send(toRequest('{}', mixed))).status).toBe(401)
    expect((await hook.send(toRequest('{} ', svix))).status).toBe(401)
  })
})

describe('a body that nobody can read', () => {
  it.each([
    ['multipart/form-data; boundary=x', 'content_type_not_supported'],
    ['application/octet-stream', 'content_type_not_supported'],
  ])('of the type %s is refused with 415', async (type, reason) => {
    const bytes = Uint8Array.of(0xff, 0xfe, 0x00)
    const hook = start({ signature: 'secret' })
    const headers = { 'content-type': type, 'x-webhook-secret': SECRET }
    const answer = await hook.send(toRequest(bytes, headers))
    expect([answer.status, answer.body['reason']]).toEqual([415, reason])
    expect(hook.seen).toEqual([])
  })

  it('since it is packed is refused with 415, after its signature', async () => {
    const hook = start({ signature: 'secret' })
    const packed = { ...JSON_TYPE, 'content-encoding': 'gzip' }
    const send = (headers: Record<string, string>) =>
      hook.send(toRequest(gzipSync('{}'), { ...packed, ...headers }))
    expect((await send({})).status).toBe(401)
    const answer = await send({ 'x-webhook-secret': SECRET })
    expect([answer.status, answer.body['reason']]).toEqual([415, 'content_encoding_not_supported'])
    const named = toRequest('{}', {
      ...JSON_TYPE,
      'content-encoding': 'identity',
      'x-webhook-secret': SECRET,
    })
    expect((await hook.send(named)).status).toBe(415)
  })
})
