import { createHmac } from 'node:crypto'
import { type CallError, formatRetryAfter } from '../../errors/index.ts'
import { isSameSecret } from '../../net/index.ts'
import {
  WEBHOOK_CHALLENGES,
  type WebhookChallenge,
  type WebhookTrigger,
} from '../../sources/tool-spec/index.ts'
import type { HttpRequest, HttpResponse } from '../../wire/index.ts'
import type { Settled } from '../trigger.ts'
import { readSecrets } from './signature.ts'

/** Writes an answer as JSON. */
export function answer(
  status: number,
  body: Readonly<Record<string, unknown>>,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  return {
    status,
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify(body),
  }
}

/** Writes an answer as text that a browser takes for nothing else. */
export function answerText(text: string): HttpResponse {
  return {
    status: 200,
    headers: {
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
      'cache-control': 'no-store',
    },
    body: text,
  }
}

/** Writes a refusal: a word a program can match, never the text of a failure. */
export function refuseChallenge(
  status: number,
  reason: string,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  return answer(status, { status: 'refused', reason }, headers)
}

/** Answers a delivery that is refused before anybody reads it; whoever gets 503 sends it again. */
export function refuseWebhook({ code, status = 400, errors }: CallError): HttpResponse {
  const retryAfter = formatRetryAfter(errors)
  const headers = retryAfter === undefined ? {} : { 'retry-after': retryAfter }
  return refuseChallenge(status, code.toLowerCase(), headers)
}

/** Tells a sender that waits how its delivery ended. */
export function answerSettled(settled: Settled): HttpResponse {
  const { status, delivery } = settled
  if (status === 'done') return answer(200, { status, delivery, result: settled.result ?? null })
  if (status === 'duplicate') return answer(200, { status, delivery })
  const failed = { status: 'failed', delivery }
  if (status === 'dead') return answer(500, failed)
  return answer(500, failed, { 'retry-after': String(Math.ceil(settled.delayMs / 1000)) })
}

/** Answers the question by GET that a sender asks before it sends. */
export interface Challenge {
  readonly answer: (request: HttpRequest) => HttpResponse
  /** Tells whether anybody could have the body signed by asking; its signature then proves nothing. */
  readonly signs: (body: Uint8Array) => boolean
}

type Env = Readonly<Record<string, string | undefined>>

/** Makes the challenge of a webhook, or nothing when it has none; throws a TypeError when its secret is missing. */
export function createChallenge(trigger: WebhookTrigger, env: Env): Challenge | undefined {
  const { name, challenge } = trigger
  if (challenge === undefined) return undefined
  if (!Object.hasOwn(CHALLENGES, challenge)) {
    const known = WEBHOOK_CHALLENGES.join(', ')
    throw new TypeError(`webhook ${name}: challenge: must be one of ${known}`)
  }
  const { key, create } = CHALLENGES[challenge]
  if (trigger[key] === undefined) {
    throw new TypeError(`webhook ${name}: challenge: ${challenge} needs ${key}`)
  }
  return create(readSecrets(trigger, key, env))
}

interface ChallengeKind {
  /** Names the variable with the secret. */
  readonly key: 'secret_env' | 'verify_env'
  readonly create: (secrets: readonly [string, ...string[]]) => Challenge
}

const CHALLENGES: Readonly<Record<WebhookChallenge, ChallengeKind>> = {
  meta: { key: 'verify_env', create: createMetaChallenge },
  twitter: { key: 'secret_env', create: createTwitterChallenge },
}

const MAX_CHALLENGE = 1024

function createMetaChallenge(tokens: readonly string[]): Challenge {
  return {
    answer({ query }) {
      const asked = new URLSearchParams(query)
      const given = asked.get('hub.verify_token') ?? ''
      const text = asked.get('hub.challenge') ?? ''
      const isKnown = tokens.some((token) => isSameSecret(given, token))
      const isRight = asked.get('hub.mode') === 'subscribe' && isKnown
      if (!isRight || text === '' || text.length > MAX_CHALLENGE) return REFUSED
      return answerText(text)
    },
    signs: () => false,
  }
}

// Whoever asks gets a signature made with the secret of the deliveries: no JSON object, form, or signed text of
// another scheme may pass for a token.
const TOKEN = /^[\w+/-]{1,256}={0,2}$/
const LONGEST_TOKEN = 258

function createTwitterChallenge([secret]: readonly [string, ...string[]]): Challenge {
  return {
    answer({ query }) {
      const token = new URLSearchParams(query.replaceAll('+', '%2B')).get('crc_token') ?? ''
      if (!TOKEN.test(token)) return NO_TOKEN
      const hash = createHmac('sha256', secret).update(token).digest('base64')
      return answer(200, { response_token: `sha256=${hash}` })
    },
    signs: (body) => body.length <= LONGEST_TOKEN && TOKEN.test(Buffer.from(body).toString()),
  }
}

const REFUSED = refuseChallenge(403, 'challenge_refused')
const NO_TOKEN = refuseChallenge(400, 'crc_token_invalid')
