import { createHmac } from 'node:crypto'
import { createWebhookSigner } from '../../src/net/webhook-signature.ts'
import type { SignatureScheme, WebhookTrigger } from '../../src/sources/tool-spec/types.ts'
import { type StartWebhookOptions, startWebhook } from '../../src/triggers/webhook/webhook.ts'
import type { HttpRequest } from '../../src/wire/http.ts'
import {
  createRecordedSource,
  type RecordedSource,
  type RecordedSourceOptions,
} from './trigger-source.ts'

/** A secret that every scheme takes. */
export const SECRET: string = Buffer.from('a secret of 24 bytes or so').toString('base64')

/** What a sender knows of its delivery. */
export interface Sent {
  readonly id: string
  readonly sentAt: number
  readonly body: string
  readonly secret?: string
}

function hex(secret: string, text: string): string {
  return createHmac('sha256', secret).update(text).digest('hex')
}

const seconds = ({ sentAt }: Sent) => String(Math.floor(sentAt / 1000))

/** Signs a delivery as the sender of a scheme does. */
export const SIGN: Readonly<Record<SignatureScheme, (sent: Sent) => Record<string, string>>> = {
  standard: ({ secret = SECRET, ...sent }) => ({ ...createWebhookSigner(secret)(sent) }),
  github: ({ secret = SECRET, id, body }) => ({
    'x-hub-signature-256': `sha256=${hex(secret, body).toUpperCase()}`,
    'x-github-delivery': id,
    'x-github-event': 'push',
  }),
  bitbucket: ({ secret = SECRET, id, body }) => ({
    'x-hub-signature': `sha256=${hex(secret, body)}`,
    'x-request-uuid': id,
  }),
  slack: (sent) => ({
    'x-slack-request-timestamp': seconds(sent),
    'x-slack-signature': `v0=${hex(sent.secret ?? SECRET, `v0:${seconds(sent)}:${sent.body}`)}`,
  }),
  stripe: (sent) => ({
    'stripe-signature': `t=${seconds(sent)},v1=${'0'.repeat(64)},v1=${hex(sent.secret ?? SECRET, `${seconds(sent)}.${sent.body}`)}`,
  }),
  secret: ({ secret = SECRET, id }) => ({ 'x-webhook-secret': secret, 'x-request-id': id }),
}

/** Makes a request as a host hands it over. */
export function toRequest(
  body: string | Uint8Array,
  headers: Readonly<Record<string, string>>,
  method = 'POST',
): HttpRequest {
  return {
    method,
    path: '/hook',
    query: '',
    header: (name) => headers[name],
    body: typeof body === 'string' ? Buffer.from(body) : body,
    bodyTooLarge: false,
    signal: () => new AbortController().signal,
  }
}

/** The moment at which test webhooks live. */
export const NOW = 1_790_000_000_000

/** The header of a JSON delivery. */
export const JSON_TYPE = { 'content-type': 'application/json' }

/** A webhook under test. */
export interface Started extends RecordedSource<WebhookTrigger> {
  readonly send: (
    request: HttpRequest,
  ) => Promise<{ status: number; body: Record<string, unknown>; headers: object }>
  readonly stop: (signal: AbortSignal) => Promise<void>
}

/** Starts the webhook /hook, changed as told. */
export function start(
  part: Partial<WebhookTrigger> = {},
  options: RecordedSourceOptions & StartWebhookOptions = {},
): Started {
  const trigger: WebhookTrigger = {
    type: 'webhook',
    name: 'hook',
    description: 'Something happened.',
    path: '/hook',
    secret_env: 'HOOK_SECRET',
    ...part,
  }
  const record = { now: () => NOW, env: { HOOK_SECRET: SECRET }, ...options }
  const recorded = createRecordedSource(trigger, record)
  const source = startWebhook(recorded.context, options)
  return {
    ...recorded,
    stop: source.stop,
    async send(request) {
      const { status, body, headers } = await source.handler(request, () => undefined)
      return { status, body: JSON.parse(String(body)), headers }
    },
  }
}

/** Makes a delivery signed as a scheme says. */
export function signed(
  body: string,
  { scheme = 'standard', id = 'msg_1', at = NOW, type = JSON_TYPE } = {},
) {
  const headers = SIGN[scheme as SignatureScheme]({ id, sentAt: at, body })
  return toRequest(body, { ...type, ...headers })
}
