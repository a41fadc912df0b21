import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createRecordedSource } from '../../../test/support/trigger-source.ts'
import { JSON_TYPE, SECRET, signed, start, toRequest } from '../../../test/support/webhooks.ts'
import type { WebhookTrigger } from '../../sources/tool-spec/types.ts'
import { startWebhook } from './webhook.ts'

describe('webhook with a challenge', () => {
  const META = { challenge: 'meta', verify_env: 'HOOK_VERIFY', signature: 'github' } as const
  const TWITTER = {
    challenge: 'twitter',
    signature: { scheme: 'bitbucket', header: 'x-twitter-webhooks-signature' },
  } as const
  const env = { HOOK_SECRET: SECRET, HOOK_VERIFY: 'new token, old token' }
  const ask = (part: Partial<WebhookTrigger>, query: object) => {
    const { handler } = startWebhook(start(part, { env }).context)
    const text = new URLSearchParams({ ...query }).toString()
    return handler({ ...toRequest('', {}, 'GET'), query: text })
  }
  const question = (more: object = {}) => ({
    'hub.mode': 'subscribe',
    'hub.verify_token': 'old token',
    'hub.challenge': '1158201444',
    ...more,
  })
  const hash = (text: string) => createHmac('sha256', SECRET).update(text).digest('base64')

  it('meta gives the challenge back as text that no browser takes for a page', async () => {
    for (const challenge of ['1158201444', '<script>alert(1)</script>']) {
      expect(await ask(META, question({ 'hub.challenge': challenge }))).toEqual({
        status: 200,
        headers: {
          'content-type': 'text/plain; charset=utf-8',
          'x-content-type-options': 'nosniff',
          'cache-control': 'no-store',
        },
        body: challenge,
      })
    }
  })

  it.each([
    ['nothing', {}],
    ['a wrong token', question({ 'hub.verify_token': 'wrong' })],
    ['an empty token', question({ 'hub.verify_token': '' })],
    ['the signing secret', question({ 'hub.verify_token': SECRET })],
    ['another mode', question({ 'hub.mode': 'unsubscribe' })],
    ['no challenge', question({ 'hub.challenge': '' })],
    ['a long challenge', question({ 'hub.challenge': 'x'.repeat(1025) })],
  ])('meta answers 403 to %s', async (_, query) => {
    expect(await ask(META, query)).toMatchObject({
      status: 403,
      body: '{"status":"refused","reason":"challenge_refused"}',
    })
  })

  it('twitter signs the token with the first secret', async () => {
    const { status, headers, body } = await ask(TWITTER, { crc_token: 'MzA1-4_a+b/c=', nonce: 'n' })
    expect({ status, headers }).toMatchObject({ status: 200, headers: JSON_TYPE })
    expect(JSON.parse(String(body))).toEqual({ response_token: `sha256=${hash('MzA1-4_a+b/c=')}` })
  })

  it('twitter signs no text that could be a delivery', async () => {
    for (const crc_token of ['', '{"id":1}', 'a=b', 'v0:1:a', '1.a', 'x'.repeat(300)]) {
      expect((await ask(TWITTER, { crc_token })).status).toBe(400)
    }
    expect((await ask(TWITTER, {})).status).toBe(400)
  })

  it('twitter takes deliveries signed in base64, but none that its challenge would sign', async () => {
    const hook = start(TWITTER)
    const send = (body: string) =>
      hook.send(toRequest(body, { 'x-twitter-webhooks-signature': `sha256=${hash(body)}` }))
    expect((await send('{"for_user_id":"1"}')).status).toBe(202)
    expect(await send('12345')).toMatchObject({
      status: 401,
      body: { reason: 'signature_invalid' },
    })
    expect(hook.events.map(({ payload }) => payload)).toEqual([{ for_user_id: '1' }])
  })

  it('runs nothing for a question, takes deliveries as ever and names both methods', async () => {
    const hook = start(META, { env })
    const query = new URLSearchParams(question()).toString()
    const { handler } = startWebhook(hook.context)
    expect((await handler({ ...toRequest('', {}, 'GET'), query })).status).toBe(200)
    expect(hook.seen).toEqual([])
    expect((await hook.send(signed('{}', { scheme: 'github' }))).status).toBe(202)
    expect(await hook.send(toRequest('', {}, 'PUT'))).toMatchObject({
      status: 405,
      headers: { allow: 'GET, POST' },
    })
  })

  it.each<[Partial<WebhookTrigger>, string]>([
    [{ challenge: 'meta' }, 'webhook hook: challenge: meta needs verify_env'],
    [META, 'webhook hook: verify_env: set the environment variable HOOK_VERIFY'],
    [{ challenge: 'mets' as 'meta' }, 'webhook hook: challenge: must be one of meta, twitter'],
  ])('does not start with %o', (part, message) => {
    expect(() => start(part, { env: { HOOK_SECRET: SECRET, HOOK_VERIFY: ' ' } })).toThrow(message)
  })

  it('twitter does not start without a secret', () => {
    const { secret_env: _, ...open } = start(TWITTER).context.trigger
    const { context } = createRecordedSource<WebhookTrigger>(open)
    expect(() => startWebhook(context)).toThrow('challenge: twitter needs secret_env')
  })
})
