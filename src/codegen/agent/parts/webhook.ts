import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import type { AgentRequest, AgentTrigger } from './agent.ts'

const TOLERANCE_S = 300

/** What checking a delivery gives: whether it is genuine, and what tells it from others. */
export type Verdict =
  | { readonly ok: false }
  | { readonly ok: true; readonly id?: string | undefined }

/** Checks the signature of a delivery. */
export type Verifier = (request: AgentRequest, now: number) => Verdict

/** Makes the check of a webhook; throws when its secret is not set. */
export function createVerifier(
  trigger: AgentTrigger,
  env: Readonly<Record<string, string | undefined>>,
): Verifier {
  if (trigger.secret_env === undefined) return () => ({ ok: true })
  const secrets = readSecrets(trigger, trigger.secret_env, env)
  const { signature = 'standard' } = trigger
  const { scheme, header } = typeof signature === 'string' ? { scheme: signature } : signature
  const check = SCHEMES[scheme]
  if (check === undefined)
    throw new Error(`webhook ${trigger.name}: signature ${scheme} is not known`)
  return (request, now) => {
    const verdicts = secrets.map((secret) => check({ request, secret, now, header }))
    return verdicts.find((verdict) => verdict.ok) ?? { ok: false }
  }
}

/** Reads the secrets that a variable holds, separated by commas; throws when there is none. */
export function readSecrets(
  { name }: AgentTrigger,
  variable: string,
  env: Readonly<Record<string, string | undefined>>,
): readonly string[] {
  const texts = (env[variable] ?? '').split(',').map((secret) => secret.trim())
  const secrets = texts.filter((secret) => secret !== '')
  if (secrets.length > 0) return secrets
  throw new Error(`webhook ${name}: set the environment variable ${variable}`)
}

interface Delivery {
  readonly request: AgentRequest
  readonly secret: string
  readonly now: number
  /** Header named in the spec instead of the usual one. */
  readonly header: string | undefined
}

type Scheme = (delivery: Delivery) => Verdict

const SCHEMES: Readonly<Record<string, Scheme>> = {
  standard: ({ request, secret, now, header }) => {
    const id = request.header('webhook-id')
    const timestamp = request.header('webhook-timestamp')
    const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64')
    const expected = hmac(key, `${id}.${timestamp}.${request.body}`).toString('base64')
    const given = request.header(header?.toLowerCase() ?? 'webhook-signature').split(' ')
    const ok = given.some((one) => one.startsWith('v1,') && equal(one.slice(3), expected))
    return isFresh(timestamp, now) && ok ? { ok, id } : { ok: false }
  },
  github: (delivery) => hubSignature(delivery, 'x-hub-signature-256', 'x-github-delivery'),
  bitbucket: (delivery) => hubSignature(delivery, 'x-hub-signature', 'x-request-uuid'),
  slack: ({ request, secret, now, header }) => {
    const timestamp = request.header('x-slack-request-timestamp')
    const expected = `v0=${hmac(secret, `v0:${timestamp}:${request.body}`).toString('hex')}`
    const given = request.header(header?.toLowerCase() ?? 'x-slack-signature')
    return isFresh(timestamp, now) && equal(given, expected)
      ? { ok: true, id: given }
      : { ok: false }
  },
  stripe: ({ request, secret, now, header }) => {
    const given = request.header(header?.toLowerCase() ?? 'stripe-signature')
    const parts = given.split(',').map((part) => part.trim().split('=', 2))
    const timestamp = parts.find(([name]) => name === 't')?.[1] ?? ''
    const expected = hmac(secret, `${timestamp}.${request.body}`).toString('hex')
    const ok = parts.some(([name, value]) => name === 'v1' && equal(value ?? '', expected))
    return isFresh(timestamp, now) && ok ? { ok, id: given } : { ok: false }
  },
  secret: ({ request, secret, header }) => {
    return { ok: equal(request.header(header?.toLowerCase() ?? 'x-webhook-secret'), secret) }
  },
}

function hubSignature(delivery: Delivery, usual: string, idHeader: string): Verdict {
  const { request, secret, header } = delivery
  const given = request.header(header?.toLowerCase() ?? usual)
  const digest = hmac(secret, request.body)
  const isHex = equal(given.toLowerCase(), `sha256=${digest.toString('hex')}`)
  return isHex || equal(given, `sha256=${digest.toString('base64')}`)
    ? { ok: true, id: request.header(idHeader) || undefined }
    : { ok: false }
}

function hmac(key: string | Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

/** Compares digests of equal length: how far two texts agree must not show in the time it takes. */
export function equal(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return given !== '' && timingSafeEqual(digest(given), digest(expected))
}

function isFresh(timestamp: string, now: number): boolean {
  return /^\d+$/.test(timestamp) && Math.abs(now / 1000 - Number(timestamp)) <= TOLERANCE_S
}
