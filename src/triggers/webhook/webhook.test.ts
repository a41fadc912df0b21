import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import express from 'express'
import { describe, expect, it } from 'vitest'
import { toExpressHandler } from 'waymark'
import { createRecordedSource } from '../../../test/support/trigger-source.ts'
import {
  JSON_TYPE,
  NOW,
  SECRET,
  SIGN,
  signed,
  start,
  toRequest,
} from '../../../test/support/webhooks.ts'
import { CallError } from '../../errors/error.ts'
import {
  SIGNATURE_SCHEMES,
  type SignatureScheme,
  type WebhookTrigger,
} from '../../sources/tool-spec/types.ts'
import { startWebhook } from './webhook.ts'

describe.each(SIGNATURE_SCHEMES)('webhook signed as %s', (scheme) => {
  it('[TS-58] [TS-59] [TS-83] [TS-84] takes a delivery with the right signature', async () => {
    const hook = start({ signature: scheme })
    const answer = await hook.send(signed('{"a":"é"}', { scheme }))
    expect(answer.status).toBe(202)
    expect(answer.body).toEqual({ status: 'accepted', delivery: hook.events[0]?.id })
    expect(hook.events.map(({ payload }) => payload)).toEqual([{ a: 'é' }])
  })

  it('[TS-183] answers 401 to a wrong, missing, short or non-ASCII signature, and runs nothing', async () => {
    const hook = start({ signature: scheme })
    const right = SIGN[scheme]({ id: 'm', sentAt: NOW, body: '{}' })
    const spoilt = ['', 'é', 'x'].map((end) =>
      Object.fromEntries(
        Object.entries(right).map(([name, value]) => [name, `${value.slice(0, -2)}${end}`]),
      ),
    )
    for (const headers of [{}, ...spoilt, SIGN[scheme]({ id: 'm', sentAt: NOW, body: '{} ' })]) {
      // The secret of that scheme does not depend on the body.
      if (scheme === 'secret' && headers['x-webhook-secret'] === SECRET) continue
      expect((await hook.send(toRequest('{}', headers))).status).toBe(401)
    }
    expect(hook.seen).toEqual([])
  })

  it('takes any of several secrets, so that one can be replaced', async () => {
    const other = Buffer.from('another secret of 24 bytes').toString('base64')
    const hook = start({ signature: scheme }, { env: { HOOK_SECRET: `${other}, ${SECRET}` } })
    for (const [index, secret] of [other, SECRET].entries()) {
      const headers = SIGN[scheme]({ id: `m${index}`, sentAt: NOW, body: '{}', secret })
      expect((await hook.send(toRequest('{}', headers))).status).toBe(202)
    }
  })

  it('[TS-184] runs a repeated delivery once, and tells its sender that it was accepted', async () => {
    const hook = start({ signature: scheme })
    const first = await hook.send(signed('{"id":"evt_1","event_id":"Ev1"}', { scheme }))
    const second = await hook.send(signed('{"id":"evt_1","event_id":"Ev1"}', { scheme }))
    expect(second).toEqual(first)
    expect(hook.events).toHaveLength(1)
  })
})

describe('webhook', () => {
  it.each(['standard', 'slack', 'stripe'])(
    '[TS-184] refuses a delivery of %s that is older than five minutes, or newer',
    async (scheme) => {
      const hook = start({ signature: scheme as SignatureScheme })
      for (const at of [NOW - 302_000, NOW + 302_000]) {
        expect((await hook.send(signed('{}', { scheme, at }))).status).toBe(401)
      }
      expect((await hook.send(signed('{}', { scheme, at: NOW - 290_000 }))).status).toBe(202)
    },
  )

  it.each([
    ['slack', '{"event_id":"Ev1"}'],
    ['stripe', '{"id":"evt_1"}'],
  ])(
    '[TS-184] knows an event of %s that is signed anew for another attempt',
    async (scheme, body) => {
      const hook = start({ signature: scheme as SignatureScheme })
      for (const at of [NOW, NOW - 60_000]) await hook.send(signed(body, { scheme, at }))
      expect(hook.events).toHaveLength(1)
    },
  )

  it('[TS-185] does not start when the variable of its secret is empty', () => {
    const message = 'webhook hook: secret_env: set the environment variable HOOK_SECRET'
    for (const HOOK_SECRET of ['', ' , ']) {
      expect(() => start({}, { env: { HOOK_SECRET } })).toThrow(message)
    }
    expect(() => start({}, { env: {} })).toThrow(TypeError)
  })

  it('names the variable of a secret that is not usable, and keeps the secret out of it', () => {
    const wrong = () => start({}, { env: { HOOK_SECRET: 'whsec_*not base64*' } })
    expect(wrong).toThrow(/environment variable HOOK_SECRET: /)
    expect(wrong).not.toThrow(/not base64/)
  })

  it('takes the signature from the header that the definition names', async () => {
    const hook = start({ signature: { scheme: 'bitbucket', header: 'X-Signature' } })
    const right = SIGN.bitbucket({ id: 'm', sentAt: NOW, body: '{}' })['x-hub-signature'] ?? ''
    expect((await hook.send(toRequest('{}', { 'x-signature': right }))).status).toBe(202)
    const bare = right.replace('sha256=', '').toUpperCase()
    expect((await hook.send(toRequest('{}', { 'x-signature': bare }))).status).toBe(202)
    expect((await hook.send(toRequest('{}', { 'x-hub-signature': right }))).status).toBe(401)
  })

  it('without a secret warns, takes deliveries on a loopback address and refuses them elsewhere', async () => {
    const { secret_env: _, ...open } = start().context.trigger
    for (const [host, status] of [
      ['127.0.0.1', 202],
      ['::1', 202],
      ['0.0.0.0', 403],
    ] as const) {
      const hook = createRecordedSource<WebhookTrigger>(open, { host })
      const { handler } = startWebhook(hook.context)
      expect((await handler(toRequest('{}', JSON_TYPE), () => undefined)).status).toBe(status)
      expect(hook.warnings).toEqual([expect.stringContaining('webhook hook has no secret_env')])
      expect(hook.events).toHaveLength(status === 202 ? 1 : 0)
    }
  })

  it('[TS-85] answers the question of Slack, when it is signed', async () => {
    const hook = start({ signature: 'slack' })
    const body = '{"type":"url_verification","challenge":"c1"}'
    expect(await hook.send(signed(body, { scheme: 'slack' }))).toMatchObject({
      status: 200,
      body: { challenge: 'c1' },
    })
    expect((await hook.send(toRequest(body, JSON_TYPE))).status).toBe(401)
    expect(hook.seen).toEqual([])
  })

  it('[TS-60] answers 202 {status: "accepted"} when the delivery is stored (issue 8; the checklist says 200)', async () => {
    const hook = start()
    const answer = await hook.send(signed('{}'))
    expect(hook.events).toHaveLength(1)
    expect(answer).toMatchObject({ status: 202, body: { status: 'accepted', delivery: 'msg_1' } })
  })

  it('asks the sender to try again while the store is away', async () => {
    const accept = () => {
      throw new CallError('UNAVAILABLE', { message: 'the password is hunter2' })
    }
    const answer = await start({}, { accept }).send(signed('{}'))
    expect(answer).toMatchObject({ status: 503, headers: { 'retry-after': '5' } })
    expect(JSON.stringify(answer)).not.toContain('hunter2')
  })

  it('answers 413 to a payload that no store would hold: sending it again would not help', async () => {
    const accept = () => {
      throw new CallError('INVALID_REQUEST', { message: 'too much', status: 413 })
    }
    const answer = await start({}, { accept }).send(signed('{}'))
    expect(answer).toMatchObject({ status: 413, body: { reason: 'body_too_large' } })
  })

  it('refuses with 405 and Allow, with 413, and with 400 when signed bytes are not JSON', async () => {
    const hook = start({}, { maxBytes: 10 })
    const get = await hook.send(toRequest('', {}, 'GET'))
    expect(get).toMatchObject({ status: 405, headers: { allow: 'POST' } })
    expect((await hook.send(signed('"12345678901"'))).status).toBe(413)
    expect((await hook.send({ ...signed(''), bodyTooLarge: true })).status).toBe(413)
    expect((await hook.send(signed('{"a":'))).status).toBe(400)
    expect((await start().send(signed('{"a":{"__proto__":{}}}'))).status).toBe(400)
    expect(hook.seen).toEqual([])
  })

  it('[TS-186] says so when a body parser of the host has read the bytes before', async () => {
    const body = '{ "a": 1 }'
    const { handler } = startWebhook(start().context)
    const app = { handle: handler, knows: () => true, maxRequestBytes: 1000 }
    const server = createServer(express().use(express.json()).use(toExpressHandler(app)))
    server.listen(0, '127.0.0.1')
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    const headers = { ...JSON_TYPE, ...SIGN.standard({ id: 'm', sentAt: NOW, body }) }
    const response = await fetch(`http://127.0.0.1:${port}/hook`, { method: 'POST', body, headers })
    server.close()
    expect(response.status).toBe(500)
    expect(await response.text()).toContain('a body parser stands before the webhook')
  })

  it('checks the signature before it parses', async () => {
    const forged = toRequest('{"a":', {
      ...JSON_TYPE,
      ...SIGN.standard({ id: 'm', sentAt: NOW, body: '' }),
    })
    expect((await start().send(forged)).status).toBe(401)
  })

  it('reads forms and text', async () => {
    const hook = start()
    const form = { 'content-type': 'application/x-www-form-urlencoded; charset=utf-8' }
    await hook.send(signed('a=1&b=x&b=y', { id: 'm1', type: form }))
    await hook.send(signed('{"a":1}', { id: 'm2', type: { 'content-type': 'text/plain' } }))
    await hook.send(signed('plain', { id: 'm3', type: { 'content-type': '' } }))
    await hook.send(signed('', { id: 'm4' }))
    expect(hook.events.map(({ payload }) => payload)).toEqual([
      { a: '1', b: ['x', 'y'] },
      '{"a":1}',
      'plain',
      null,
    ])
    const github = start({ signature: 'github' })
    const body = `payload=${encodeURIComponent('{"ref":"main"}')}`
    await github.send(signed(body, { scheme: 'github', type: form }))
    expect(github.events[0]).toMatchObject({ event: 'push', payload: { ref: 'main' } })
  })

  it('refuses a form with more than a thousand fields, or with one that every object inherits', async () => {
    const hook = start()
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    const fields = (count: number) => Array.from({ length: count }, (_, at) => `f${at}=1`).join('&')
    expect((await hook.send(signed(fields(1000), { id: 'm1', type }))).status).toBe(202)
    expect((await hook.send(signed(fields(1001), { id: 'm2', type }))).status).toBe(400)
    expect((await hook.send(signed('__proto__=1', { id: 'm3', type }))).status).toBe(400)
    expect(hook.events).toHaveLength(1)
  })

  it('keeps an id of any length apart from others, in a length that every store holds', async () => {
    const hook = start({ signature: 'secret' })
    const long = 'x'.repeat(5_000)
    for (const id of ['x'.repeat(200), long, `${long}y`, long]) {
      await hook.send(signed('{}', { scheme: 'secret', id }))
    }
    expect(hook.events.map(({ id }) => id)).toEqual([
      'x'.repeat(200),
      expect.stringMatching(/^[\da-f]{64}$/),
      expect.stringMatching(/^[\da-f]{64}$/),
    ])
  })

  it('names the event as its sender does, else as the definition does', async () => {
    const hook = start({ event: 'order.created' })
    await hook.send(signed('{"type":"order.paid"}', { id: 'm1' }))
    await hook.send(signed('{}', { id: 'm2' }))
    expect(hook.events.map(({ event }) => event)).toEqual(['order.paid', 'order.created'])
  })
})

describe('webhook that waits', () => {
  const delivery = 'd'

  it('answers with the result', async () => {
    const hook = start({ wait: true }, { settle: () => ({ status: 'done', delivery, result: 42 }) })
    expect(await hook.send(signed('{}'))).toMatchObject({
      status: 200,
      body: { status: 'done', delivery, result: 42 },
    })
  })

  it('[TS-61] answers 500 to a failure, without its text', async () => {
    const dead = start({ wait: true }, { settle: () => ({ status: 'dead', delivery }) })
    expect(await dead.send(signed('{}'))).toMatchObject({
      status: 500,
      body: { status: 'failed', delivery },
    })
    const retry = { status: 'retry', delivery, delayMs: 1500 } as const
    const failed = await start({ wait: true }, { settle: () => retry }).send(signed('{}'))
    expect(failed).toMatchObject({ status: 500, headers: { 'retry-after': '2' } })
  })

  it('answers 504 when it takes too long', async () => {
    const hook = start({ wait: true }, { settle: () => new Promise(() => {}), waitMs: 20 })
    expect((await hook.send(signed('{}'))).status).toBe(504)
  })

  it('lets what runs finish when it is stopped, and takes no more', async () => {
    let finish = () => {}
    const settle = () =>
      new Promise<{ status: 'done'; delivery: string; result: null }>((resolve) => {
        finish = () => resolve({ status: 'done', delivery, result: null })
      })
    const hook = start({ wait: true }, { settle })
    const running = hook.send(signed('{}'))
    const stopped = hook.stop(AbortSignal.timeout(10_000))
    const late = await hook.send(signed('{}', { id: 'm2' }))
    expect(late).toMatchObject({ status: 503, headers: { 'retry-after': '5' } })
    finish()
    await stopped
    expect((await running).status).toBe(200)
  })
})
