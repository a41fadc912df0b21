import { createHmac, generateKeyPairSync, sign } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { AgentTrigger } from './agent.ts'
import { createVerifier, type Verdict } from './webhook.ts'

const NOW = 1_700_000_000_000
const STAMP = '1700000000'
const KEY = Buffer.alloc(24, 7)
const SECRET = `whsec_${KEY.toString('base64')}`

function check(
  signature: AgentTrigger['signature'],
  headers: Readonly<Record<string, string>>,
  { body = '{}', secret = SECRET } = {},
): Verdict {
  const trigger = { type: 'webhook', name: 'w', description: 'w', secret_env: 'S', signature }
  const verify = createVerifier(trigger as unknown as AgentTrigger, { S: secret })
  const header = (name: string): string => headers[name] ?? ''
  return verify({ method: 'POST', path: '/', query: '', header, body }, NOW)
}

function standard(id: string, stamp = STAMP, body = '{}', key: string | Buffer = KEY) {
  const signature = createHmac('sha256', key).update(`${id}.${stamp}.${body}`).digest('base64')
  return {
    'webhook-id': id,
    'webhook-timestamp': stamp,
    'webhook-signature': `v1,${signature}`,
  }
}

describe('a secret of Standard Webhooks', () => {
  it.each(['whsec_', 'whsec_***', 'not base64!', 'whsk_AAAA', 'whpk_AAAA'])(
    'stops the start when it is %s: anybody could sign with what is left of it',
    (secret) => {
      expect(() => check('standard', {}, { secret })).toThrow(/webhook w: .*S/)
    },
  )

  it('may be a public key, which believes signatures of its private half only', () => {
    const { publicKey, privateKey } = generateKeyPairSync('ed25519')
    const raw = publicKey.export({ format: 'der', type: 'spki' }).subarray(-32).toString('base64')
    const secret = `whpk_${raw}`
    const signed = sign(null, Buffer.from(`m1.${STAMP}.{}`), privateKey).toString('base64')
    const headers = { ...standard('m1'), 'webhook-signature': `v1a,${signed}` }
    expect(check('standard', headers, { secret })).toEqual({ ok: true, id: 'm1' })
    const forged = standard('m1', STAMP, '{}', Buffer.from(raw, 'base64'))
    expect(check('standard', forged, { secret }).ok).toBe(false)
  })
})

describe('a delivery of Standard Webhooks', () => {
  it.each(['', 'a.1700000000', 'a b', 'é', 'x'.repeat(256)])(
    'is not believed under the id %j, however it is signed',
    (id) => {
      expect(check('standard', standard(id)).ok).toBe(false)
    },
  )

  it('may carry the headers of Svix', () => {
    const entries = Object.entries(standard('m1'))
    const svix = entries.map(([name, value]) => [name.replace('webhook-', 'svix-'), value])
    expect(check('standard', Object.fromEntries(svix))).toEqual({ ok: true, id: 'm1' })
    expect(check('standard', { ...Object.fromEntries(svix), 'webhook-id': 'm2' }).ok).toBe(false)
  })

  it.each(['01700000000', '1700000000.0', ' 1700000000', '1.7e9'])(
    'is not believed at the time %j',
    (stamp) => {
      expect(check('standard', standard('m1', stamp)).ok).toBe(false)
    },
  )
})

describe('an HMAC over the body', () => {
  const hex = createHmac('sha256', SECRET).update('{}').digest('hex')

  it('is understood with and without sha256=', () => {
    const named = { scheme: 'bitbucket', header: 'X-Signature' }
    expect(check(named, { 'x-signature': hex }).ok).toBe(true)
    expect(check(named, { 'x-signature': `sha256=${hex}` }).ok).toBe(true)
  })

  it('tells copies where the sender gives no id', () => {
    const verdict = check('github', { 'x-hub-signature-256': `sha256=${hex}` })
    const upper = check('github', { 'x-hub-signature-256': `sha256=${hex.toUpperCase()}` })
    expect(verdict).toEqual({ ok: true, id: expect.stringMatching(/^[0-9a-f]{64}$/) })
    expect(upper).toEqual(verdict)
  })
})

it('the id of a delivery with a shared secret is the one its sender gives, if any', () => {
  const secret = { 'x-webhook-secret': SECRET }
  expect(check('secret', { ...secret, 'x-request-id': 'r1' })).toEqual({ ok: true, id: 'r1' })
  expect(check('secret', secret)).toEqual({ ok: true })
})
