import { generateKeyPairSync, randomBytes } from 'node:crypto'
import { Webhook } from 'standardwebhooks'
import { describe, expect, it } from 'vitest'
import { fc, hostileJson } from '../../test/support/property.ts'
import {
  createWebhookSigner,
  createWebhookVerifier,
  type WebhookDelivery,
  type WebhookHeaders,
} from './webhook-signature.ts'

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const OTHER = `whsec_${Buffer.alloc(32, 8).toString('base64')}`
const NOW = Date.parse('2026-01-15T10:30:00Z')

const { privateKey, publicKey } = generateKeyPairSync('ed25519')
const SEED = Buffer.from(privateKey.export({ format: 'jwk' }).d ?? '', 'base64url')
const POINT = Buffer.from(publicKey.export({ format: 'jwk' }).x ?? '', 'base64url')
const PRIVATE = `whsk_${SEED.toString('base64')}`
const PUBLIC = `whpk_${POINT.toString('base64')}`

const message = { id: 'msg_1', sentAt: NOW, body: '{"type":"shop.order.shipped"}' }

function toDelivery(
  headers: Partial<WebhookHeaders>,
  rest: Partial<Omit<WebhookDelivery, 'header'>> = {},
): WebhookDelivery {
  const all: Readonly<Record<string, string | undefined>> = headers
  return { header: (name) => all[name], body: message.body, now: NOW, ...rest }
}

const ids = fc.stringMatching(/^[A-Za-z0-9_-]{1,40}$/)
const secrets = fc
  .uint8Array({ minLength: 24, maxLength: 64 })
  .map((bytes) => `whsec_${Buffer.from(bytes).toString('base64')}`)
const bodies = fc.string({ unit: 'grapheme' })

describe('Standard Webhooks beside the official package', () => {
  it('signs what the package signs, and believes what the package has signed', () => {
    fc.assert(
      fc.property(ids, secrets, bodies, (id, secret, body) => {
        const theirs = new Webhook(secret).sign(id, new Date(NOW), body)
        const ours = createWebhookSigner(secret)({ id, sentAt: NOW, body })
        expect(ours['webhook-signature']).toBe(theirs)
        expect(ours['webhook-timestamp']).toBe(String(NOW / 1000))
        const headers = { ...ours, 'webhook-signature': theirs }
        expect(createWebhookVerifier(secret)(toDelivery(headers, { body }))).toMatchObject({
          ok: true,
          id,
        })
      }),
    )
  })

  it('is believed by the package', () => {
    fc.assert(
      fc.property(ids, secrets, hostileJson(), (id, secret, value) => {
        const body = JSON.stringify(value)
        const headers = createWebhookSigner([OTHER, secret])({ id, sentAt: Date.now(), body })
        expect(new Webhook(secret).verify(body, { ...headers })).toEqual(JSON.parse(body))
      }),
    )
  })
})

describe('createWebhookVerifier', () => {
  it('believes bytes as well as text, and any header the sender wrote more than one signature in', () => {
    const headers = createWebhookSigner([SECRET, OTHER])(message)
    expect(headers['webhook-signature'].split(' ')).toHaveLength(2)
    for (const secret of [SECRET, OTHER, [OTHER, SECRET], SECRET.replace('whsec_', '')]) {
      const body = Buffer.from(message.body)
      expect(createWebhookVerifier(secret)(toDelivery(headers, { body }))).toEqual({
        ok: true,
        id: 'msg_1',
        sentAt: NOW,
      })
    }
  })

  it('believes Ed25519 signatures, from a seed or from a whole key', () => {
    const whole = `whsk_${Buffer.concat([SEED, POINT]).toString('base64')}`
    for (const secret of [PRIVATE, whole]) {
      const headers = createWebhookSigner(secret)(message)
      expect(headers['webhook-signature']).toMatch(/^v1a,[A-Za-z0-9+/]{86}==$/)
      expect(createWebhookVerifier(PUBLIC)(toDelivery(headers)).ok).toBe(true)
      expect(createWebhookVerifier([SECRET, PUBLIC])(toDelivery(headers)).ok).toBe(true)
      expect(createWebhookVerifier(SECRET)(toDelivery(headers)).ok).toBe(false)
    }
    const both = createWebhookSigner([SECRET, PRIVATE])(message)
    expect(createWebhookVerifier(PUBLIC)(toDelivery(both)).ok).toBe(true)
    expect(createWebhookVerifier(SECRET)(toDelivery(both)).ok).toBe(true)
  })

  it('refuses a delivery in which one thing was changed', () => {
    const verify = createWebhookVerifier([SECRET, PUBLIC])
    for (const secret of [SECRET, PRIVATE]) {
      const headers = createWebhookSigner(secret)(message)
      const reasonOf = (changed: Partial<WebhookHeaders>, body = message.body) => {
        const verdict = verify(toDelivery({ ...headers, ...changed }, { body }))
        return verdict.ok ? 'believed' : verdict.reason
      }
      expect(reasonOf({})).toBe('believed')
      expect(reasonOf({}, `${message.body} `)).toBe('signature_invalid')
      expect(reasonOf({ 'webhook-id': 'msg_2' })).toBe('signature_invalid')
      expect(reasonOf({ 'webhook-timestamp': String(NOW / 1000 + 1) })).toBe('signature_invalid')
      expect(reasonOf({ 'webhook-signature': headers['webhook-signature'].slice(0, -1) })).toBe(
        'signature_invalid',
      )
      expect(reasonOf({ 'webhook-signature': `${headers['webhook-signature']}x` })).toBe(
        'signature_invalid',
      )
    }
  })

  it('refuses what is more than five minutes old or ahead, or as much as it is told', () => {
    const headers = createWebhookSigner(SECRET)(message)
    const verify = createWebhookVerifier(SECRET)
    const at = (now: number) => verify(toDelivery(headers, { now }))
    expect(at(NOW + 300_000).ok).toBe(true)
    expect(at(NOW - 300_000).ok).toBe(true)
    expect(at(NOW + 301_000)).toEqual({ ok: false, reason: 'timestamp_too_old' })
    expect(at(NOW - 301_000)).toEqual({ ok: false, reason: 'timestamp_too_new' })
    const strict = createWebhookVerifier(SECRET, { toleranceMs: 1_000 })
    expect(strict(toDelivery(headers, { now: NOW + 2_000 })).ok).toBe(false)
  })

  it('answers why and never throws, whatever the headers hold', () => {
    const verify = createWebhookVerifier([SECRET, PUBLIC])
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.constantFrom('v1,', 'v1a,', 'v1,é', 'v1', ' ', `v1,${'A'.repeat(100_000)}`),
      fc.constant(undefined),
    )
    fc.assert(
      fc.property(text, text, text, (id, timestamp, signature) => {
        const header = (name: string) =>
          ({
            'webhook-id': id,
            'webhook-timestamp': timestamp,
            'webhook-signature': signature,
          })[name]
        expect(verify({ header, body: '', now: NOW }).ok).toBe(false)
      }),
    )
  })

  it.each([
    [{ 'webhook-id': 'a.b' }, 'id_invalid'],
    [{ 'webhook-id': 'mśg' }, 'id_invalid'],
    [{ 'webhook-id': 'x'.repeat(256) }, 'id_invalid'],
    [{ 'webhook-timestamp': '12e3' }, 'timestamp_invalid'],
    [{ 'webhook-timestamp': '-1' }, 'timestamp_invalid'],
    [{ 'webhook-timestamp': `0${NOW / 1000}` }, 'timestamp_invalid'],
    [
      { 'webhook-signature': 'v1,ééééééééééééééééééééééééééééééééééééééééééé=' },
      'signature_invalid',
    ],
    [{ 'webhook-signature': '' }, 'headers_missing'],
  ])('refuses %j with %s', (changed, reason) => {
    const headers = createWebhookSigner(SECRET)(message)
    expect(createWebhookVerifier(SECRET)(toDelivery({ ...headers, ...changed }))).toEqual({
      ok: false,
      reason,
    })
  })

  it('looks at 16 signatures and no more: each costs a check', () => {
    const good = createWebhookSigner(SECRET)(message)
    const flood = (count: number) => ({
      ...good,
      'webhook-signature': `${'v1,x '.repeat(count)}${good['webhook-signature']}`,
    })
    expect(createWebhookVerifier(SECRET)(toDelivery(flood(15))).ok).toBe(true)
    expect(createWebhookVerifier(SECRET)(toDelivery(flood(16))).ok).toBe(false)
  })
})

describe('webhook secrets', () => {
  it.each([
    ['', 'whsec_'],
    ['whsec_', 'whsec_'],
    ['whsec_not base64!', 'whsec_'],
    ['whsk_AAAA', 'whsk_'],
    ['whpk_AAAA', 'whpk_'],
    [`whsk_${randomBytes(64).toString('base64')}`, 'belong together'],
  ])('refuses %j at start, without repeating it', (secret, words) => {
    const make = () => createWebhookVerifier(secret)
    expect(make).toThrow(TypeError)
    expect(make).toThrow(words)
    if (secret.length > 8) expect(make).not.toThrow(secret)
  })

  it('refuses to sign with a public key, with no key, or an id that could pass for a timestamp', () => {
    expect(() => createWebhookSigner(PUBLIC)).toThrow(TypeError)
    expect(() => createWebhookSigner([])).toThrow(TypeError)
    expect(() => createWebhookSigner(SECRET)({ ...message, id: 'a.1' })).toThrow(TypeError)
    expect(() => createWebhookSigner(SECRET)({ ...message, id: 'a\r\nx: y' })).toThrow(TypeError)
  })
})
