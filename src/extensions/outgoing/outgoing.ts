import type { Logger } from '../../core/index.ts'
import { CallError } from '../../errors/index.ts'
import { createPublicFetch, type PublicFetchOptions } from '../../net/index.ts'
import { type Clock, type JsonObject, systemClock } from '../../values/index.ts'
import {
  type Job,
  type JobQueue,
  toJobName,
  type WorkOptions,
  workForService,
} from '../../work/index.ts'
import {
  createOutgoingSigners,
  findHeaderProblem,
  findUrlProblem,
  judgeFailure,
  judgeResponse,
  type OutgoingSignature,
  type RequestOutcome,
} from './request.ts'

/** A request that this service owes somebody. */
export interface OutgoingRequest {
  /** Same on every attempt: receivers tell repeats by it. No full stop in it. */
  readonly id: string
  readonly url: string
  readonly body: string
  readonly headers?: Readonly<Record<string, string>>
  /** Unsigned when absent. */
  readonly signature?: OutgoingSignature
}

/** Sends callbacks and webhook events in the background. */
export interface Outgoing {
  /** Tells why a URL is refused (not https, not public, too long, not on the allowlist); undefined when it is not. */
  readonly refuse: (url: string) => string | undefined
  /** Tells whether there is a secret for this signature. */
  readonly signs: (signature: OutgoingSignature) => boolean
  /** Resolves when the job queue keeps the request; it is sent, and sent again after a failure, in the background. */
  readonly send: (request: OutgoingRequest) => Promise<void>
  /** Begins to send what an earlier process left; the first `send` does so too. */
  readonly start: () => void
}

/** Where requests may go, how they are signed and when they are repeated. */
export interface OutgoingOptions {
  readonly jobs: JobQueue
  /** Name of the service: another one on the same queue has other secrets. None when absent. */
  readonly service?: string
  /** `whsec_…` and `whsk_…` for Standard Webhooks; any text for Forrst signatures. Several while one replaces another. */
  readonly secret?: string | readonly string[]
  /** Hosts that may be called, `*.example.com` for those below one; every public host when absent. */
  readonly allowHosts?: readonly string[]
  /** Development and tests: addresses of this machine too, and http to them. */
  readonly allowLoopback?: boolean
  /** Milliseconds before each repetition; 5 s, 30 s, 2 min, 10 min and 1 h when absent, each up to a fifth longer. */
  readonly delaysMs?: readonly number[]
  /** How long one attempt may take, in milliseconds; 15 s when absent. */
  readonly timeoutMs?: number
  /** Resolves names; the system's resolver when absent. */
  readonly lookup?: PublicFetchOptions['lookup']
  readonly clock?: Clock
  /** Between 0 and 1, for jitter. */
  readonly random?: () => number
  readonly log?: Logger
}

const JOB = 'outgoing'
const DELAYS_MS = [5_000, 30_000, 120_000, 600_000, 3_600_000]
const TIMEOUT_MS = 15_000
/** Nobody reads what a receiver says beside its status. */
const MAX_ANSWER_BYTES = 64 * 1024
/** A receiver that takes its time holds a place; others must not wait behind it. */
const CONCURRENCY = 50

/** Makes the sender of callbacks; one per job queue. */
export function createOutgoing(options: OutgoingOptions): Outgoing {
  const {
    jobs,
    service,
    clock = systemClock,
    random = Math.random,
    delaysMs = DELAYS_MS,
    log,
  } = options
  const signers = createOutgoingSigners(options.secret)
  const fetch = createPublicFetch({
    allowLoopback: options.allowLoopback === true,
    requireHttps: true,
    maxBytes: MAX_ANSWER_BYTES,
    timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
    redirects: 'refuse',
    ...(options.lookup && { lookup: options.lookup }),
  })

  async function attempt({ request }: Delivery, signal: AbortSignal): Promise<RequestOutcome> {
    const { id, url, body, headers, signature } = request
    const signed = signature && signers[signature]?.({ id, body, sentAt: clock.now() })
    try {
      const response = await fetch(url, {
        method: 'POST',
        headers: { 'user-agent': 'waymark', ...headers, ...signed, ...JSON_TYPE },
        body,
        signal,
      })
      return judgeResponse(response.status, response.header('retry-after'), clock.now())
    } catch (thrown) {
      // The queue closes, or gave the job to somebody else: whoever has it next begins again.
      if (signal.aborted) throw thrown
      return judgeFailure(thrown)
    }
  }

  async function deliver({ data, signal }: Job): Promise<void> {
    const delivery = toDelivery(data)
    const verdict = await attempt(delivery, signal)
    if (verdict.kind === 'delivered') return
    const planned = delaysMs[delivery.repetition]
    if (verdict.kind === 'final' || planned === undefined) {
      log?.error('a callback was given up', toFacts(delivery, verdict.reason))
      return
    }
    const delayMs = Math.max(planned, verdict.notBeforeMs ?? 0) * (1 + random() / 5)
    await keep({ ...delivery, repetition: delivery.repetition + 1 }, delayMs)
    log?.warn('a callback failed and will be repeated', toFacts(delivery, verdict.reason))
  }

  function keep({ request, repetition }: Delivery, delayMs: number): Promise<void> {
    const id = repetition === 0 ? request.id : `${request.id}#${repetition}`
    const data: JsonObject = { request: { ...request }, repetition }
    return jobs.add({
      name: service === undefined ? JOB : toJobName(JOB, service),
      id,
      data,
      delayMs,
    })
  }

  let working = false
  function start(): void {
    if (working) return
    working = true
    const plan: WorkOptions = {
      concurrency: CONCURRENCY,
      async onGivenUp(job) {
        log?.error('a callback was given up', toFacts(toDelivery(job.data), 'the job queue failed'))
      },
    }
    if (service === undefined) jobs.work(JOB, deliver, plan)
    else workForService(jobs, { label: JOB, service }, deliver, plan)
  }

  return {
    start,
    refuse: (url) => findUrlProblem(url, options),
    signs: (signature) => signers[signature] !== undefined,
    async send(request) {
      assertSendable(request, {
        url: findUrlProblem(request.url, options),
        headers: findHeaderProblem(request.headers)?.message,
        signature: request.signature && !signers[request.signature] && 'has no secret to sign with',
      })
      start()
      await keep({ request, repetition: 0 }, 0)
    },
  }
}

const JSON_TYPE = { 'content-type': 'application/json' }

interface Delivery {
  readonly request: OutgoingRequest
  readonly repetition: number
}

// Only `keep` writes these jobs.
function toDelivery(data: unknown): Delivery {
  return data as Delivery
}

// Paths and queries of callback addresses often hold secrets, so logs name the host only.
function toFacts({ request, repetition }: Delivery, reason: string): JsonObject {
  return { id: request.id, host: new URL(request.url).host, attempt: repetition + 1, reason }
}

function assertSendable(
  { id }: OutgoingRequest,
  problems: Readonly<Record<'url' | 'headers' | 'signature', string | false | undefined>>,
): void {
  for (const [field, problem] of Object.entries(problems)) {
    if (!problem) continue
    throw new CallError('INVALID_ARGUMENTS', {
      message: `The ${field} of callback ${id} ${problem}`,
      details: { field },
    })
  }
}
