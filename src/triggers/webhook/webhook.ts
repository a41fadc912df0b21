import { createHash, randomUUID } from 'node:crypto'
import { CallError } from '../../errors/index.ts'
import { judgePlace } from '../../net/index.ts'
import type { WebhookTrigger } from '../../sources/tool-spec/index.ts'
import { isRecord, type Json, type Maybe } from '../../values/index.ts'
import type { HttpHandler, HttpRequest, HttpResponse, JudgeLocal } from '../../wire/index.ts'
import { whenAborted } from '../queue/runner.ts'
import type { SourceContext, TriggerEvent, TriggerSource } from '../trigger.ts'
import { answer, answerSettled, createChallenge, refuseChallenge } from './challenge.ts'
import { decodeWebhook, type WebhookContent } from './payload.ts'
import { createSignatureCheck, readScheme, type SignatureVerdict } from './signature.ts'

/** How deliveries are taken. */
export interface StartWebhookOptions {
  /** Longest body in bytes; 1 MiB when absent. */
  readonly maxBytes?: number
  /** How long a delivery with `wait: true` is waited for, in milliseconds; 30 s when absent. */
  readonly waitMs?: number
}

const MAX_BYTES = 1024 * 1024
const WAIT_MS = 30_000

/**
 * Takes signed deliveries over HTTP: mount the `handler` of the source at the path of the trigger, for every method.
 * Throws a TypeError when a secret is named but not set, or a challenge has none.
 *
 * @example
 * const { handler, stop } = startWebhook(context)
 * createApp(service, { surfaces, mounts: [{ path: context.trigger.path, match: 'exact', handler }] })
 */
export function startWebhook(
  context: SourceContext<WebhookTrigger>,
  { maxBytes = MAX_BYTES, waitMs = WAIT_MS }: StartWebhookOptions = {},
): TriggerSource & { readonly handler: HttpHandler } {
  const { trigger, log } = context
  const check = createSignatureCheck(trigger, context.env)
  const question = createChallenge(trigger, context.env)
  const place = judgePlace({ bind: context.host })
  if (check === undefined) {
    const rest =
      place === undefined
        ? 'it takes deliveries from this machine, but none that come through a proxy'
        : `it refuses every delivery: ${place}`
    log.warn(`webhook ${trigger.name} has no secret_env: ${rest}`, { path: trigger.path })
  }
  const running = new Set<Promise<unknown>>()
  let stopped = false

  function judgeUnsigned(request: HttpRequest, judgeLocal?: JudgeLocal): string | undefined {
    if (check !== undefined) return undefined
    return place ?? (judgeLocal ? judgeLocal(request) : NO_JUDGE)
  }

  function handle(request: HttpRequest, judgeLocal?: JudgeLocal): Maybe<HttpResponse> {
    const isQuestion = question !== undefined && request.method === 'GET'
    if (request.method !== 'POST' && !isQuestion) return question ? METHODS : METHOD
    if (request.bodyTooLarge || request.body.length > maxBytes) return TOO_LARGE
    const stranger = judgeUnsigned(request, judgeLocal)
    if (stranger !== undefined) return refuseUnsigned(stranger)
    if (stopped) return STOPPING
    if (isQuestion) return question.answer(request)
    if (check && request.bodyRewritten) return PARSED
    const verdict = check ? check(request, context.clock.now()) : UNCHECKED
    if (!verdict.ok) return refuseChallenge(401, verdict.reason, SIGN)
    if (question?.signs(request.body)) return refuseChallenge(401, 'signature_invalid', SIGN)
    const read = readContent(request, trigger)
    if ('status' in read) return read
    const challenge = findChallenge(trigger, read.payload)
    if (challenge !== undefined) return answer(200, { challenge })
    const event = toEvent(request, read, verdict, trigger)
    const work = trigger.wait ? settleWithin(context, event, waitMs) : accept(context, event)
    running.add(work)
    return work.finally(() => running.delete(work))
  }

  return {
    handler: handle,
    async stop(signal) {
      stopped = true
      await Promise.race([Promise.allSettled(running), whenAborted(signal)])
    },
  }
}

const UNCHECKED: SignatureVerdict = { ok: true }
// RFC 9110 wants a challenge with every 401; senders sign in many ways, and know which.
const SIGN = { 'www-authenticate': 'Signature' }
const METHOD = refuseChallenge(405, 'method_not_allowed', { allow: 'POST' })
const METHODS = refuseChallenge(405, 'method_not_allowed', { allow: 'GET, POST' })
const TOO_LARGE = refuseChallenge(413, 'body_too_large')
const NO_JUDGE = 'the webhook is not mounted in an app (createApp: mounts)'
// A signature over other bytes would look forged: the sender is not to blame, so this is not a 401.
const PARSED = refuseChallenge(
  500,
  'a body parser stands before the webhook: mount Waymark ahead of it',
)
const STOPPING = refuseChallenge(503, 'stopping', { 'retry-after': '5' })
const UNSTORED = refuseChallenge(503, 'not_stored', { 'retry-after': '5' })
const TIMEOUT = refuseChallenge(504, 'timeout')

function refuseUnsigned(reason: string): HttpResponse {
  return answer(403, {
    status: 'refused',
    reason: 'webhook_without_secret',
    message: `Without secret_env, deliveries are taken from this machine only: ${reason}`,
  })
}

/** Answers only when the delivery is stored: whoever gets no 202 sends it again. */
async function accept(
  context: SourceContext<WebhookTrigger>,
  event: TriggerEvent,
): Promise<HttpResponse> {
  try {
    const { delivery } = await context.accept(event)
    return answer(202, { status: 'accepted', delivery })
  } catch (error) {
    if (error instanceof CallError && error.status === 413) return TOO_LARGE
    context.log.error(`webhook ${context.trigger.name} could not store a delivery`, { error })
    return UNSTORED
  }
}

async function settleWithin(
  context: SourceContext<WebhookTrigger>,
  event: TriggerEvent,
  waitMs: number,
): Promise<HttpResponse> {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<HttpResponse>((resolve) => {
    timer = setTimeout(resolve, waitMs, TIMEOUT)
  })
  const settled = context.settle(event).then(answerSettled, (error) => {
    context.log.error(`webhook ${context.trigger.name} could not run a delivery`, { error })
    return UNSTORED
  })
  const response = await Promise.race([settled, late])
  clearTimeout(timer)
  return response
}

function readContent(request: HttpRequest, trigger: WebhookTrigger): WebhookContent | HttpResponse {
  try {
    return decodeWebhook(request, readScheme(trigger))
  } catch (thrown) {
    if (thrown instanceof CallError) {
      return refuseChallenge(thrown.status === 415 ? 415 : 400, thrown.errors[0].message)
    }
    throw thrown
  }
}

/** Slack asks once, signed like everything else, whether the endpoint is ours. */
function findChallenge(trigger: WebhookTrigger, payload: Json): string | undefined {
  if (readScheme(trigger) !== 'slack' || !isRecord(payload)) return undefined
  const { type, challenge } = payload
  return type === 'url_verification' && typeof challenge === 'string' ? challenge : undefined
}

function toEvent(
  request: HttpRequest,
  { payload, event, id: inner }: WebhookContent,
  verdict: SignatureVerdict & { readonly ok: true },
  trigger: WebhookTrigger,
): TriggerEvent {
  const own = inner ?? verdict.id ?? (request.header('webhook-id') || randomUUID())
  const name = event ?? trigger.event
  const meta = META_HEADERS.flatMap((header) => {
    const value = request.header(header)
    return value === undefined ? [] : [[header, value.slice(0, MAX_META)] as const]
  })
  return {
    id: shorten(own),
    ...(name !== undefined && { event: name }),
    payload,
    meta: { headers: Object.fromEntries(meta) },
  }
}

const META_HEADERS = ['content-type', 'user-agent', 'x-slack-retry-num', 'x-github-hook-id']
const MAX_META = 500
const MAX_ID = 200

function shorten(id: string): string {
  return id.length <= MAX_ID ? id : createHash('sha256').update(id).digest('hex')
}
