import type { Logger } from '../../core/index.ts'
import { CallError } from '../../errors/index.ts'
import { createPublicFetch, type PublicFetchOptions } from '../../net/index.ts'
import { createMemoryStore, type Store, storeKey } from '../../store/index.ts'
import { type Clock, once, systemClock } from '../../values/index.ts'
import {
  createLedger,
  type Job,
  type JobQueue,
  JobRetry,
  repeatWrite,
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
  type OutgoingSigners,
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
  /** Where callbacks are recorded, so that one that was sent is not sent again; in this process when absent. */
  readonly store?: Store
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
const HOUR_MS = 3_600_000

/** A callback as the ledger keeps it; what is sent is with its job. */
interface Callback {
  readonly id: string
  /** Paths and queries of callback addresses often hold secrets. */
  readonly host: string
  readonly state: 'waiting' | 'delivered' | 'dead'
  /** When it was asked for, in epoch milliseconds. */
  readonly at: number
  readonly tried: number
  /** Why the last attempt failed. */
  readonly reason?: string
}

/** Makes the sender of callbacks; one per job queue. */
export function createOutgoing(options: OutgoingOptions): Outgoing {
  const { jobs, service, clock = systemClock, random = Math.random, delaysMs = DELAYS_MS } = options
  const { log, store = createMemoryStore() } = options
  const jobName = service === undefined ? JOB : toJobName(JOB, service)
  const callbacks = createLedger<Callback>(store, {
    key: ({ id }) => storeKey('callback', service ?? '', id),
    isOver: ({ state }) => state !== 'waiting',
    keptMs: ({ state }) => (store.kind === 'memory' ? 1 : KEPT_HOURS[state]) * HOUR_MS,
  })
  const signers = createOutgoingSigners(options.secret)
  const attempt = createAttempt(options, signers)

  async function deliver(job: Job): Promise<void> {
    const { request, tried } = readJob(job)
    const known = await callbacks.read(request)
    if (known && known.item.state !== 'waiting') return
    const verdict = await attempt(request, job.signal)
    const reason = verdict.kind === 'delivered' ? undefined : verdict.reason
    const planned = verdict.kind === 'failed' ? delaysMs[tried - 1] : undefined
    const state =
      verdict.kind === 'delivered' ? 'delivered' : planned === undefined ? 'dead' : 'waiting'
    const end = { state, tried, ...(reason !== undefined && { reason }) } as const
    // It was sent: that must be known when the store is back.
    const isStopped = () => job.signal.aborted
    const record = () => callbacks.change(request, (item) => ({ ...item, ...end }), known)
    await repeatWrite(record, { log, id: request.id, isStopped })
    const facts = { id: request.id, host: toHost(request), attempt: tried, reason: reason ?? '' }
    if (state === 'dead') log?.error('a callback was given up', facts)
    if (state !== 'waiting') return
    log?.warn('a callback failed and will be repeated', facts)
    const notBeforeMs = verdict.kind === 'failed' ? (verdict.notBeforeMs ?? 0) : 0
    throw new JobRetry(Math.max(planned ?? 0, notBeforeMs) * (1 + random() / 5), facts.reason)
  }

  const start = once(() => {
    const plan: WorkOptions = {
      concurrency: CONCURRENCY,
      // Attempts whose process died come on top of those that are planned.
      attempts: delaysMs.length + 10,
      async onGivenUp(job) {
        const { request, tried } = readJob(job)
        const reason = 'the job queue failed'
        await callbacks.change(request, (item) => ({ ...item, state: 'dead', tried, reason }))
        const facts = { id: request.id, host: toHost(request), attempt: tried, reason }
        log?.error('a callback was given up', facts)
      },
    }
    if (service === undefined) jobs.work(JOB, deliver, plan)
    else workForService(jobs, { label: JOB, service }, deliver, plan)
  })

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
      const { id } = request
      const fresh = {
        id,
        host: toHost(request),
        state: 'waiting',
        at: clock.now(),
        tried: 0,
      } as const
      // Announced twice, as after a crash, it is still the same callback.
      const { item } = await callbacks.add(request, fresh)
      if (item.state !== 'waiting') return
      await jobs.add({ name: jobName, id, data: { request: { ...request } } })
    },
  }
}

const KEPT_HOURS = { waiting: 30 * 24, delivered: 24, dead: 7 * 24 }

/** Makes one attempt to send a request. */
function createAttempt(
  { clock = systemClock, allowLoopback = false, timeoutMs = TIMEOUT_MS, lookup }: OutgoingOptions,
  signers: OutgoingSigners,
): (request: OutgoingRequest, signal: AbortSignal) => Promise<RequestOutcome> {
  const fetch = createPublicFetch({
    allowLoopback,
    requireHttps: true,
    maxBytes: MAX_ANSWER_BYTES,
    timeoutMs,
    redirects: 'refuse',
    ...(lookup && { lookup }),
  })
  return async ({ id, url, body, headers, signature }, signal) => {
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
}

const JSON_TYPE = { 'content-type': 'application/json' }

/** Reads a job; those of earlier releases count their repetitions, each of which is a job of its own. */
function readJob({ data, attempt }: Job): {
  readonly request: OutgoingRequest
  readonly tried: number
} {
  const { request, repetition = 0 } = data as unknown as {
    readonly request: OutgoingRequest
    readonly repetition?: number
  }
  return { request, tried: repetition + attempt }
}

function toHost({ url }: OutgoingRequest): string {
  return new URL(url).host
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
