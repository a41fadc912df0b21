import { createHmac } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import type { AgentTrigger } from './agent.ts'
import { createVerifier } from './webhook.ts'

const NOW = 1_700_000_000_000
const STAMP = '1700000000'
const body = '{"a":"é"}'

function hmac(key: string | Buffer, text: string, encoding: 'hex' | 'base64' = 'hex'): string {
  return createHmac('sha256', key).update(text).digest(encoding)
}

const key = Buffer.from('key').toString('base64')
const right: Record<string, Record<string, string>> = {
  standard: {
    'webhook-id': 'm1',
    'webhook-timestamp': STAMP,
    'webhook-signature': `v1,x v1,${hmac(Buffer.from('key'), `m1.${STAMP}.${body}`, 'base64')}`,
  },
  github: {
    'x-hub-signature-256': `sha256=${hmac(key, body).toUpperCase()}`,
    'x-github-delivery': 'd',
  },
  bitbucket: { 'x-hub-signature': `sha256=${hmac(key, body)}` },
  slack: {
    'x-slack-request-timestamp': STAMP,
    'x-slack-signature': `v0=${hmac(key, `v0:${STAMP}:${body}`)}`,
  },
  stripe: { 'stripe-signature': `t=${STAMP},v1=${hmac(key, `${STAMP}.${body}`)}` },
  secret: { 'x-webhook-secret': key },
}

function verify(scheme: string, headers: Record<string, string>, now = NOW, secret = key): boolean {
  const trigger = {
    type: 'webhook',
    name: 'w',
    description: 'w',
    secret_env: 'S',
    signature: scheme,
  }
  const check = createVerifier(trigger as AgentTrigger, { S: secret })
  const header = (name: string): string => headers[name] ?? ''
  return check({ method: 'POST', path: '/', query: '', header, body }, now).ok
}

describe.each(Object.keys(right))('webhook signatures: %s', (scheme) => {
  const headers = right[scheme] ?? {}

  it('[TS-59] [TS-83] [TS-84] accepts the right one', () => {
    expect(verify(scheme, headers)).toBe(true)
  })

  it('[TS-183] refuses wrong, missing, short and non-ASCII ones', () => {
    expect(verify(scheme, {})).toBe(false)
    for (const change of ['', 'é', 'x']) {
      const changed = Object.fromEntries(
        Object.entries(headers).map(([name, value]) => [name, value.slice(0, -2) + change]),
      )
      expect(verify(scheme, changed)).toBe(false)
    }
    expect(verify(scheme, headers, NOW, 'b3RoZXI=')).toBe(false)
  })

  it('accepts any of several secrets', () => {
    expect(verify(scheme, headers, NOW, `b3RoZXI=, ${key}`)).toBe(true)
  })
})

describe('webhook signatures', () => {
  it.each(['standard', 'slack', 'stripe'])('[TS-184] %s refuses a stale timestamp', (scheme) => {
    expect(verify(scheme, right[scheme] ?? {}, NOW + 301_000)).toBe(false)
  })

  it('[TS-185] stop the start when the secret is empty', () => {
    const trigger = { type: 'webhook', name: 'w', description: 'w', secret_env: 'S' } as const
    expect(() => createVerifier(trigger as unknown as AgentTrigger, { S: '' })).toThrow(
      /variable S/,
    )
  })
})
