import { createHash, createHmac } from 'node:crypto'
import { createWebhookVerifier, isSameSecret } from '../../net/index.ts'
import type { SignatureScheme, WebhookTrigger } from '../../sources/tool-spec/index.ts'
import type { HttpRequest } from '../../wire/index.ts'

/** What checking a delivery gives: an id that tells its copies, where the scheme has one, or why it is not believed. */
export type SignatureVerdict =
  | { readonly ok: true; readonly id?: string }
  | { readonly ok: false; readonly reason: string }

/** Checks the raw bytes of a delivery; never throws. */
export type SignatureCheck = (request: HttpRequest, now: number) => SignatureVerdict

const TOLERANCE_S = 300
// Stripe allows several signatures in one header; each costs a comparison.
const MAX_PARTS = 16

/** Reads the scheme of a webhook; `standard` when none is named. */
export function readScheme({ signature = 'standard' }: WebhookTrigger): SignatureScheme {
  return typeof signature === 'string' ? signature : signature.scheme
}

/**
 * Makes the check of a webhook, or nothing when it has no secret. A variable that is named but empty is refused: an
 * endpoint that was meant to be closed must not start open.
 */
export function createSignatureCheck(
  trigger: WebhookTrigger,
  env: Readonly<Record<string, string | undefined>>,
): SignatureCheck | undefined {
  const { name, secret_env: variable, signature = 'standard' } = trigger
  if (variable === undefined) return undefined
  const secrets = readSecrets(trigger, 'secret_env', env)
  const { scheme, header } =
    typeof signature === 'string' ? { scheme: signature, header: undefined } : signature
  const create = Object.hasOwn(SCHEMES, scheme) ? SCHEMES[scheme] : undefined
  if (create === undefined) throw new TypeError(`webhook ${name}: signature: unknown scheme`)
  try {
    return create(secrets, header?.toLowerCase())
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : 'not usable'
    throw new TypeError(`webhook ${name}: environment variable ${variable}: ${reason}`)
  }
}

/** Reads the secrets of the variable that a key of a webhook names; throws when there is none. */
export function readSecrets(
  trigger: WebhookTrigger,
  key: 'secret_env' | 'verify_env',
  env: Readonly<Record<string, string | undefined>>,
): readonly [string, ...string[]] {
  const variable = trigger[key]
  const [first, ...others] = splitSecrets(env[variable ?? ''])
  if (first !== undefined) return [first, ...others]
  throw new TypeError(`webhook ${trigger.name}: ${key}: set the environment variable ${variable}`)
}

type CreateCheck = (secrets: readonly string[], header: string | undefined) => SignatureCheck

const SCHEMES: Readonly<Record<SignatureScheme, CreateCheck>> = {
  standard: createStandardCheck,
  github: (secrets, header = 'x-hub-signature-256') =>
    createHubCheck(secrets, header, 'x-github-delivery'),
  bitbucket: (secrets, header = 'x-hub-signature') =>
    createHubCheck(secrets, header, 'x-request-uuid'),
  slack: createSlackCheck,
  stripe: createStripeCheck,
  secret: createSecretCheck,
}

function createStandardCheck(secrets: readonly string[], header?: string): SignatureCheck {
  const verify = createWebhookVerifier(secrets)
  return (request, now) => {
    // Senders that run on Svix use its own names for the three; all of them, or none.
    const prefix = request.header('webhook-id') === undefined ? 'svix-' : 'webhook-'
    const look = (name: string) =>
      name === 'webhook-signature' && header !== undefined
        ? request.header(header)
        : request.header(name.replace('webhook-', prefix))
    const verdict = verify({ header: look, body: request.body, now })
    return verdict.ok ? { ok: true, id: verdict.id } : verdict
  }
}

/** `sha256=<hex or base64>` over the body; the prefix may be missing, as many senders of that kind leave it out. */
function createHubCheck(
  secrets: readonly string[],
  header: string,
  idHeader: string,
): SignatureCheck {
  return (request) => {
    const given = request.header(header)?.replace(/^sha256=/i, '')
    if (!given) return MISSING
    const right = secrets
      .map((secret) => toHex(secret, '', request.body))
      .find((hex) => isSameSecret(given.toLowerCase(), hex) || isSameSecret(given, toBase64(hex)))
    return right ? { ok: true, id: request.header(idHeader) || toId(right) } : INVALID
  }
}

function createSlackCheck(
  secrets: readonly string[],
  header = 'x-slack-signature',
): SignatureCheck {
  return (request, now) => {
    const timestamp = request.header('x-slack-request-timestamp')
    const given = request.header(header)?.toLowerCase()
    if (!timestamp || !given) return MISSING
    if (!isNear(timestamp, now)) return STALE
    const prefix = `v0:${timestamp}:`
    const fits = secrets.some((secret) =>
      isSameSecret(given, `v0=${toHex(secret, prefix, request.body)}`),
    )
    return fits ? { ok: true, id: toId(given) } : INVALID
  }
}

function createStripeCheck(
  secrets: readonly string[],
  header = 'stripe-signature',
): SignatureCheck {
  return (request, now) => {
    const given = request.header(header)
    if (!given) return MISSING
    const parts = given.split(',', MAX_PARTS).map((part) => part.trim())
    const timestamp = parts.find((part) => part.startsWith('t='))?.slice(2) ?? ''
    if (!isNear(timestamp, now)) return STALE
    const signatures = parts
      .filter((part) => part.startsWith('v1='))
      .map((part) => part.slice(3).toLowerCase())
    const fits = secrets.some((secret) => {
      const expected = toHex(secret, `${timestamp}.`, request.body)
      return signatures.some((signature) => isSameSecret(signature, expected))
    })
    return fits ? { ok: true, id: toId(`${timestamp}.${signatures.join()}`) } : INVALID
  }
}

function createSecretCheck(
  secrets: readonly string[],
  header = 'x-webhook-secret',
): SignatureCheck {
  return (request) => {
    const given = request.header(header)
    if (!given) return MISSING
    const fits = secrets.some((secret) => isSameSecret(given, secret))
    if (!fits) return INVALID
    // The secret is the same for every delivery: without an id two equal bodies are two deliveries.
    const id = request.header('webhook-id') || request.header('x-request-id')
    return id ? { ok: true, id } : { ok: true }
  }
}

const MISSING: SignatureVerdict = { ok: false, reason: 'signature_missing' }
const INVALID: SignatureVerdict = { ok: false, reason: 'signature_invalid' }
const STALE: SignatureVerdict = { ok: false, reason: 'timestamp_not_near' }

/** A signature tells one delivery from another; as an id it is not shown as it is. */
function toId(signature: string): string {
  return createHash('sha256').update(signature).digest('hex')
}

function splitSecrets(text = ''): readonly string[] {
  return text
    .split(',')
    .map((secret) => secret.trim())
    .filter((secret) => secret !== '')
}

function toHex(secret: string, prefix: string, body: Uint8Array): string {
  return createHmac('sha256', secret).update(prefix).update(body).digest('hex')
}

function toBase64(hex: string): string {
  return Buffer.from(hex, 'hex').toString('base64')
}

function isNear(timestamp: string, now: number): boolean {
  const isWhole = /^(?:0|[1-9]\d{0,11})$/.test(timestamp)
  return isWhole && Math.abs(now / 1000 - Number(timestamp)) <= TOLERANCE_S
}
