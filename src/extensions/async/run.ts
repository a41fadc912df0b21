import { randomUUID } from 'node:crypto'
import {
  type Call,
  captureReply,
  createReply,
  dispatchInside,
  mayFit,
  type Outcome,
  type Service,
  toFailure,
  toResultText,
} from '../../core/index.ts'
import { CallError } from '../../errors/index.ts'
import { openScope, parseExactJson, unref } from '../../values/index.ts'
import { type Job, JobPutBack, toStoredJson } from '../../work/index.ts'
import type { KnownEnd } from './end.ts'
import {
  hasEnded,
  type OperationCall,
  type OperationOutcome,
  type OperationProgress,
  type OperationRecord,
} from './record.ts'
import type { OperationStore, OperationWatch } from './store.ts'

/** Takes reports of progress as often as they come, and writes them down now and then. */
export interface ProgressWriter {
  readonly report: (fraction: number, message?: string) => void
  /** Stops writing; resolves to the newest report when a write that is under way has settled. */
  readonly stop: () => Promise<OperationProgress | undefined>
}

const LONGEST_MESSAGE = 500

/** Creates a writer that writes the first report at once and then the newest one per interval. */
export function createProgressWriter(
  everyMs: number,
  write: (progress: OperationProgress) => Promise<void>,
): ProgressWriter {
  let newest: OperationProgress | undefined
  let last: OperationProgress | undefined
  let writing: Promise<void> | undefined
  let timer: NodeJS.Timeout | undefined
  let stopped = false

  function flush(): void {
    timer = undefined
    if (newest === undefined || stopped) return
    const progress = newest
    newest = undefined
    writing = write(progress).finally(() => {
      writing = undefined
      if (!stopped) timer = unref(setTimeout(flush, everyMs))
    })
  }

  return {
    report(fraction, message) {
      if (!Number.isFinite(fraction)) return
      newest = {
        progress: Math.min(1, Math.max(0, fraction)),
        ...(message !== undefined && { message: String(message).slice(0, LONGEST_MESSAGE) }),
      }
      last = newest
      if (timer === undefined && writing === undefined) flush()
    },
    async stop() {
      stopped = true
      clearTimeout(timer)
      await writing
      return last
    },
  }
}

/** What running operations needs. */
export interface OperationRunOptions {
  readonly service: Service
  readonly operations: OperationStore
  readonly watch: OperationWatch
  /** URN of the extension that accepted the call; those inside it run with the operation. */
  readonly urn: string
  /** Larger results fail the operation. */
  readonly maxResultBytes: number
  readonly progressMs: number
}

/** Records the end of a run, as often as it takes; answers the record, and what this run knows of it. */
export type RecordEnd = () => Promise<{
  readonly record: OperationRecord | undefined
  readonly known?: KnownEnd
}>

/**
 * Runs an operation in the hands of a worker and answers what records its end. Throws when another process should try:
 * the job was taken away, or this process does not know the function (yet).
 */
export async function runOperation(job: Job, options: OperationRunOptions): Promise<RecordEnd> {
  const { operations, service } = options
  const run = randomUUID()
  const begun = await operations.change({ id: job.id }, (record) => {
    // Whoever has the job now begins it.
    job.signal.throwIfAborted()
    if (!hasEnded(record)) assertKnown(service, record)
    return toProcessing(record, run)
  })
  if (begun === undefined || !begun.changed) return async () => ({ record: begun?.item })
  const call = await operations.readCall(job.id)
  if (call === undefined) return async () => ({ record: undefined })
  const outcome = await execute(job, { ...options, call, run })
  const at = service.clock.now()
  return async () => {
    const record = await operations.end(job.id, { run, seen: begun }, { ...outcome, at })
    // An operation that was cancelled, or that another run has ended, is finished by whoever did so.
    const isOurs = record?.run === run && record.status !== 'cancelled'
    const end = toStoredJson(outcome.outcome) as unknown as Outcome
    return { record, ...(isOurs && { known: { call, outcome: end } }) }
  }
}

const DAY_MS = 24 * 3_600_000

/** While versions of a service change, and where several share a store, another process knows the function. */
function assertKnown({ registry, clock }: Service, record: OperationRecord): void {
  const { function: name, version, accepted } = record
  if (registry.find(name)?.versions.has(version)) return
  const ageMs = clock.now() - accepted
  if (ageMs > DAY_MS) throw new CallError('FUNCTION_NOT_FOUND', { details: { function: name } })
  const delayMs = Math.min(Math.max(ageMs / 10, 500), 60_000)
  throw new JobPutBack(delayMs, `This process does not know ${name}@${version}`)
}

function toProcessing(record: OperationRecord, run: string): OperationRecord | undefined {
  if (hasEnded(record)) return undefined
  // What an earlier run reported says nothing about this one.
  const { progress: _progress, message: _message, ...rest } = record
  return { ...rest, status: 'processing', run }
}

interface Execution extends OperationRunOptions {
  readonly call: OperationCall
  readonly run: string
}

async function execute(
  job: Job,
  execution: Execution,
): Promise<OperationOutcome & { readonly report?: OperationProgress }> {
  const { service, operations, watch, call, run } = execution
  const stop = new AbortController()
  const watched = watch.add({ id: job.id, run, abort: (reason) => stop.abort(reason) })
  const progress = createProgressWriter(execution.progressMs, async (report) => {
    await operations
      .change({ id: job.id }, (record) =>
        record.status === 'processing' && record.run === run ? { ...record, ...report } : undefined,
      )
      .catch((error: unknown) => service.log.warn('progress could not be recorded', { error }))
  })
  const deadline = startDeadline(service, call, stop)
  const scope = openScope([stop.signal, job.signal])
  const live = toLiveCall(service, call, { signal: scope.signal, progress: progress.report })
  const answers = captureReply(service, live.reply)
  try {
    const outcome = await Promise.race([dispatchHere(execution, live), whenAborted(live, service)])
    // Whoever has the job now records the end; a cancelled operation has its end already.
    if (job.signal.aborted && !stop.signal.aborted) throw job.signal.reason
    const entries = answers()
    const kept = toKept(outcome, live, execution)
    const report = await progress.stop()
    return { outcome: kept, ...(entries.length > 0 && { entries }), ...(report && { report }) }
  } finally {
    clearTimeout(deadline)
    scope.close()
    watched.remove()
    await progress.stop()
  }
}

async function dispatchHere({ service, urn }: Execution, call: Call): Promise<Outcome> {
  try {
    return await dispatchInside(service, call, urn)
  } catch (thrown) {
    return toFailure(thrown, { call, log: service.log })
  }
}

/** An operation that was cancelled or is late ends, also when its handler does not care. */
function whenAborted(call: Call, service: Service): Promise<Outcome> {
  const signal = call.signal()
  const toOutcome = () => toFailure(signal.reason, { call, log: service.log })
  return new Promise((resolve) => {
    if (signal.aborted) resolve(toOutcome())
    else signal.addEventListener('abort', () => resolve(toOutcome()), { once: true })
  })
}

function toLiveCall(
  service: Service,
  { facts, ...call }: OperationCall,
  { signal, progress }: { signal: AbortSignal; progress: Call['facts']['progress'] & object },
): Call {
  return {
    ...call,
    context: call.context,
    principal: call.principal,
    facts: { ...facts, progress },
    signal: () => signal,
    startedAt: service.clock.elapsed(),
    reply: createReply(),
  }
}

// A longer setTimeout fires at once.
const LONGEST_TIMER_MS = 2 ** 31 - 1

function startDeadline(
  { clock }: Service,
  { facts: { deadline } }: OperationCall,
  stop: AbortController,
): NodeJS.Timeout | undefined {
  if (deadline === undefined) return undefined
  const expire = () => stop.abort(new CallError('DEADLINE_EXCEEDED'))
  const left = deadline - clock.now()
  if (left > 0) return setTimeout(expire, Math.min(left, LONGEST_TIMER_MS))
  expire()
  return undefined
}

/** What JSON cannot hold ends an operation as it ends a call, instead of having the function run again. */
function toKept(outcome: Outcome, call: Call, { service, maxResultBytes }: Execution): Outcome {
  try {
    if (outcome.ok) return toFitting(outcome.result, maxResultBytes)
    toStoredJson(outcome.errors)
    return outcome
  } catch (thrown) {
    return toFailure(thrown, { call, log: service.log })
  }
}

/** What is kept must fit: a function that did its work is not run again because its result is large. */
function toFitting(result: unknown, maxBytes: number): Outcome {
  // Far longer ones are not written only to be measured.
  const most = maxBytes * 4
  const text = mayFit(result, most) ? toResultText(result, most) : undefined
  const bytes = text === undefined ? undefined : Buffer.byteLength(text)
  if (text !== undefined && Number(bytes) <= maxBytes)
    return { ok: true, result: parseExactJson(text) }
  const { errors } = new CallError('CONFLICT', {
    message: `The function is done, but its result has ${bytes ?? 'many more'} bytes; at most ${maxBytes} are kept`,
    details: { ...(bytes !== undefined && { result_bytes: bytes }), max_result_bytes: maxBytes },
  })
  return { ok: false, errors }
}
