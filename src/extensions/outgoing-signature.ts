import { createHmac } from 'node:crypto'
import { createWebhookSigner, type WebhookMessage } from '../wire/standard-webhooks.ts'
import { parseWebhookKey } from '../wire/webhook-key.ts'

/** How a delivery is signed: with the headers of Standard Webhooks (HMAC or Ed25519), or as Forrst callbacks are. */
export type OutgoingSignature = 'standard' | 'standard-ed25519' | 'forrst'

/** The signers that the given secrets allow; each gives the headers that sign a message. */
export type OutgoingSigners = Readonly<
  Partial<Record<OutgoingSignature, (message: WebhookMessage) => Readonly<Record<string, string>>>>
>

/** Makes the signers; a secret that says it is for Standard Webhooks and is not throws a TypeError. */
export function createOutgoingSigners(secret: string | readonly string[] = []): OutgoingSigners {
  const secrets = [secret].flat()
  if (secrets.includes('')) throw new TypeError('outgoing: secret must not be empty')
  const keys = secrets.filter((text) => text.startsWith('whsk_'))
  const texts = secrets.filter((text) => !text.startsWith('whsk_'))
  const shared = texts.filter(isShared)
  const [newest] = texts
  return {
    ...(shared.length > 0 && { standard: toSigner(shared) }),
    ...(keys.length > 0 && { 'standard-ed25519': toSigner(keys) }),
    ...(newest !== undefined && { forrst: ({ body }) => signForrst(newest, body) }),
  }
}

function toSigner(secrets: readonly string[]): NonNullable<OutgoingSigners['standard']> {
  const sign = createWebhookSigner(secrets)
  return (message) => ({ ...sign(message) })
}

const MIN_BYTES = 24
const MAX_BYTES = 64

/** Any text signs Forrst callbacks, so one without the prefix may be no Standard Webhooks secret at all. */
function isShared(text: string): boolean {
  try {
    const key = parseWebhookKey(text)
    if (key.kind !== 'shared') throw new TypeError('outgoing: a public key (whpk_) cannot sign')
    const fits = key.bytes.length >= MIN_BYTES && key.bytes.length <= MAX_BYTES
    if (!fits && text.startsWith('whsec_')) {
      throw new TypeError(`outgoing: whsec_ takes base64 of ${MIN_BYTES} to ${MAX_BYTES} bytes`)
    }
    return fits
  } catch (thrown) {
    if (/^wh(?:sec|pk)_/.test(text)) throw thrown
    return false
  }
}

/** The page knows one signature and no prefix: the secret's text is the key, and the first of several signs. */
function signForrst(secret: string, body: string | Uint8Array): Readonly<Record<string, string>> {
  const digest = createHmac('sha256', secret).update(body).digest('hex')
  return { 'x-forrst-signature': `sha256=${digest}` }
}
