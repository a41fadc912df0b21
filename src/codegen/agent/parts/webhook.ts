import { createHash, createHmac, timingSafeEqual } from 'node:crypto'
import { type AgentRequest, type AgentTrigger, toFacts } from './agent.ts'
import { parseKey } from './webhook-key.ts'

const TOLERANCE_S = 300
const MAX_SIGNATURES = 16

/** What checking a delivery gives: whether it is genuine, and what tells it from others. */
export type Verdict = { readonly ok: false } | { readonly ok: true; readonly id?: string }

/** Checks the signature of a delivery. */
export type Verifier = (request: AgentRequest, now: number) => Verdict

/** Makes the check of a webhook; throws when its secret is not set, or is none. */
export function createVerifier(
  trigger: AgentTrigger,
  env: Readonly<Record<string, string | undefined>>,
): Verifier {
  const { name, secret_env: variable } = trigger
  if (variable === undefined) return () => ({ ok: true })
  const secrets = readSecrets(trigger, variable, env)
  const { signature = 'standard' } = trigger
  const header = typeof signature === 'string' ? undefined : signature.header?.toLowerCase()
  const scheme = readScheme(trigger)
  const create = Object.hasOwn(SCHEMES, scheme) ? SCHEMES[scheme] : undefined
  if (create === undefined) throw new Error(`webhook ${name}: signature ${scheme} is not known`)
  try {
    const checks = secrets.map((secret) => create(secret, header))
    return (request, now) => {
      const verdicts = checks.map((check) => check(request, now))
      return verdicts.find(({ ok }) => ok) ?? REFUSED
    }
  } catch (thrown) {
    throw new Error(`webhook ${name}: variable ${variable}: ${toFacts(thrown).message as string}`)
  }
}

/** Reads the scheme of a webhook; `standard` when none is named. */
export function readScheme({ signature = 'standard' }: AgentTrigger): string {
  return typeof signature === 'string' ? signature : signature.scheme
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

type CreateCheck = (secret: string, header: string | undefined) => Verifier

const REFUSED: Verdict = { ok: false }

const SCHEMES: Readonly<Record<string, CreateCheck>> = {
  standard: createStandardCheck,
  github: (secret, header = 'x-hub-signature-256') =>
    createHubCheck(secret, header, 'x-github-delivery'),
  bitbucket: (secret, header = 'x-hub-signature') =>
    createHubCheck(secret, header, 'x-request-uuid'),
  slack: createSlackCheck,
  stripe: createStripeCheck,
  secret: createSecretCheck,
}

function createStandardCheck(secret: string, header: string | undefined): Verifier {
  const isSigned = parseKey(secret)
  return (request, now) => {
    // Senders that run on Svix use its own names for the three; all of them, or none.
    const prefix = request.header('webhook-id') === '' ? 'svix' : 'webhook'
    const id = request.header(`${prefix}-id`)
    const timestamp = request.header(`${prefix}-timestamp`)
    if (!isMessageId(id) || !isFresh(timestamp, now)) return REFUSED
    const given = request.header(header ?? `${prefix}-signature`).split(' ', MAX_SIGNATURES)
    const text = `${id}.${timestamp}.${request.body}`
    return given.some((one) => isSigned(text, one)) ? { ok: true, id } : REFUSED
  }
}

// The full stop separates the signed parts: an id that held one could pass a part of the body off as its time.
function isMessageId(id: string): boolean {
  return id.length <= 255 && /^[\x21-\x2d\x2f-\x7e]+$/.test(id)
}

/** `sha256=<hex or base64>` over the body; many senders of that kind leave the prefix out. */
function createHubCheck(secret: string, header: string, idHeader: string): Verifier {
  return (request) => {
    const given = request.header(header).replace(/^sha256=/i, '')
    const digest = hmac(secret, request.body)
    const hex = digest.toString('hex')
    const fits = equal(given.toLowerCase(), hex) || equal(given, digest.toString('base64'))
    return fits ? { ok: true, id: request.header(idHeader) || toId(hex) } : REFUSED
  }
}

function createSlackCheck(secret: string, header = 'x-slack-signature'): Verifier {
  return (request, now) => {
    const timestamp = request.header('x-slack-request-timestamp')
    const expected = `v0=${hmac(secret, `v0:${timestamp}:${request.body}`).toString('hex')}`
    const fits = isFresh(timestamp, now) && equal(request.header(header), expected)
    return fits ? { ok: true, id: toId(expected) } : REFUSED
  }
}

function createStripeCheck(secret: string, header = 'stripe-signature'): Verifier {
  return (request, now) => {
    const parts = request.header(header).split(',', MAX_SIGNATURES)
    const named = parts.map((part) => part.trim().split('=', 2))
    const timestamp = named.find(([name]) => name === 't')?.[1] ?? ''
    const expected = hmac(secret, `${timestamp}.${request.body}`).toString('hex')
    const isSigned = named.some(([name, value]) => name === 'v1' && equal(value ?? '', expected))
    return isFresh(timestamp, now) && isSigned ? { ok: true, id: toId(expected) } : REFUSED
  }
}

function createSecretCheck(secret: string, header = 'x-webhook-secret'): Verifier {
  return (request) => {
    if (!equal(request.header(header), secret)) return REFUSED
    // The secret is the same for every delivery: without an id two equal bodies are two deliveries.
    const id = request.header('webhook-id') || request.header('x-request-id')
    return id === '' ? { ok: true } : { ok: true, id }
  }
}

function hmac(key: string, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest()
}

/** A signature tells one delivery from another; as an id it is not shown as it is. */
function toId(signature: string): string {
  return createHash('sha256').update(signature).digest('hex')
}

/** Compares digests of equal length: how far two texts agree must not show in the time it takes. */
export function equal(given: string, expected: string): boolean {
  const digest = (text: string): Buffer => createHash('sha256').update(text).digest()
  return given !== '' && timingSafeEqual(digest(given), digest(expected))
}

function isFresh(timestamp: string, now: number): boolean {
  const isWhole = /^(?:0|[1-9]\d{0,11})$/.test(timestamp)
  return isWhole && Math.abs(now / 1000 - Number(timestamp)) <= TOLERANCE_S
}
