import {
  type Call,
  type Extension,
  type ExtensionCall,
  invalidOption,
  type Outcome,
  readBoolean,
  readText,
  requireMilliseconds,
  type Service,
  type Target,
  toInvalidArguments,
  toSeconds,
} from '../../core/index.ts'
import { CallError } from '../../errors/index.ts'
import { type Store, toOwner } from '../../store/index.ts'
import { type Duration, formatTimestamp } from '../../values/index.ts'
import type { JobQueue } from '../../work/index.ts'
import { openLaterOutcomes } from '../idempotency/index.ts'
import type { Outgoing } from '../outgoing/index.ts'
import { claimKey, type EndedOperation, toKeyScope } from './end.ts'
import { createOperationId, operationFunctions, STATUS_FUNCTION } from './functions.ts'
import {
  ASYNC_URN,
  hasEnded,
  type OperationCall,
  type OperationRecord,
  readAsyncMode,
  toOperationCall,
} from './record.ts'
import { createOperationStore } from './store.ts'
import { createOperationWorker, type OperationWorker } from './worker.ts'

/** How calls go on in the background. */
export interface AsyncExtensionOptions {
  readonly store: Store
  /** Runs the operations; on the same backend as the store, so that an accepted one is as safe as its record. */
  readonly jobs: JobQueue
  /** Sends callbacks; a `callback_url` is refused when absent. */
  readonly outgoing?: Outgoing | undefined
  /** How long an operation is known after its end; 24 hours when absent. */
  readonly retention?: Duration
  /** How long an operation is known that never ends; 30 days when absent. */
  readonly maxAge?: Duration
  /** What callers are told to wait before they ask; 5 seconds when absent. */
  readonly retryAfter?: Duration
  /** Operations that run at the same time in this process; 10 when absent. */
  readonly concurrency?: number
  /** How often an operation is run whose process died, before it fails; 5 when absent. */
  readonly attempts?: number
  /** Larger results fail their operation; 900,000 bytes when absent, and at most that. */
  readonly maxResultBytes?: number
  /** How soon an operation hears of a cancellation that reached another process; half a second when absent. */
  readonly poll?: Duration
  /** Decides for one call, before the mode of its function and the wish of its caller; undefined leaves it to them. */
  readonly prefers?: (call: Call, target: Target) => 'background' | 'now' | undefined
  /** Told of every end, at least once. */
  readonly onEnd?: (ended: EndedOperation) => Promise<void>
}

const LARGEST_RESULT = 900_000
const LONGEST_URL = 2048

/** Creates the extension that accepts a call, answers at once and lets its function go on in the background. */
export function asyncExtension(options: AsyncExtensionOptions): Extension {
  const { store, jobs, outgoing, prefers } = options
  const openMs = milliseconds('maxAge', options.maxAge, { value: 30, unit: 'day' })
  const operations = createOperationStore(store, {
    retentionMs: milliseconds('retention', options.retention, { value: 24, unit: 'hour' }),
    openMs,
  })
  const retryAfter = toSeconds(
    milliseconds('retryAfter', options.retryAfter, { value: 5, unit: 'second' }),
  )
  const worker: OperationWorker = createOperationWorker({
    store,
    jobs,
    operations,
    outcomes: openLaterOutcomes(store),
    outgoing,
    onEnd: options.onEnd,
    concurrency: options.concurrency ?? 10,
    attempts: options.attempts ?? 5,
    maxResultBytes: Math.min(options.maxResultBytes ?? LARGEST_RESULT, LARGEST_RESULT),
    pollMs: milliseconds('poll', options.poll, { value: 500, unit: 'millisecond' }),
  })

  async function accept(exchange: ExtensionCall): Promise<Outcome> {
    const { call, target, service, answer } = exchange
    const callbackUrl = readCallbackUrl(exchange, outgoing)
    const checked = await target.checkInput(call.arguments)
    if (!checked.ok) return toInvalidArguments(checked.problems)
    service.start()
    const kept = toOperationCall(call, target.version, service.name)
    const record = await keep(toRecord(exchange, callbackUrl), kept, service.name)
    call.reply.disposition = 'started'
    answer({
      operation_id: record.id,
      status: record.status,
      poll: {
        function: STATUS_FUNCTION,
        version: '1.0.0',
        arguments: { operation_id: record.id },
      },
      retry_after: retryAfter,
      started_at: formatTimestamp(record.accepted),
    })
    return { ok: true, result: null }
  }

  /** Keeps an operation and its job; answers the one that its idempotency key stands for already, if there is one. */
  async function keep(
    record: OperationRecord,
    call: OperationCall,
    service: string,
  ): Promise<OperationRecord> {
    const scope = toKeyScope(call)
    const { id } = record
    // One under a key must not run before it has the key: a process that dies in between leaves it to the next call.
    await Promise.all([operations.create(record), !scope && operations.open(id, call)])
    const first = scope && (await claimKey(scope, record, { store, operations, openMs }))
    if (first) await operations.discard(record)
    const kept = first ?? record
    try {
      // The process that kept the first one may have died before it had its call or its job.
      if (scope && kept.status === 'pending') await operations.open(kept.id, call)
      if (!hasEnded(kept)) await worker.add(kept.id, service)
      return kept
    } catch (thrown) {
      // Whoever asks again under the key may be told of this operation at this moment: only one without may go.
      if (scope === undefined) await operations.discard(record).catch(() => {})
      throw thrown
    }
  }

  return {
    urn: ASYNC_URN,
    version: '1.0.0',
    phase: 'run',
    order: -30,
    functions: (service: Service) =>
      operationFunctions(service, { operations, onCancelled: worker.cancelled }),
    // Asked once per function, at start: where a mistake in its declaration is to be told.
    watches: (target) => readAsyncMode(target) === undefined,
    around(exchange, next) {
      const preferred = readBoolean(exchange, 'preferred')
      const { call, target } = exchange
      const mode = readAsyncMode(target)
      const own = mode === 'never' ? 'now' : prefers?.(call, target)
      const wish = preferred ?? mode === 'always'
      return own === 'background' || (own === undefined && wish) ? accept(exchange) : next(call)
    },
    start: worker.start,
    close: worker.close,
  }
}

function toRecord(
  { call, target, service }: ExtensionCall,
  callbackUrl: string | undefined,
): OperationRecord {
  const accepted = service.clock.now()
  return {
    id: createOperationId(accepted),
    owner: toOwner(call.principal),
    function: target.name,
    version: target.version,
    status: 'pending',
    request: call.id,
    accepted,
    ...(callbackUrl !== undefined && { callbackUrl }),
  }
}

function readCallbackUrl(
  exchange: ExtensionCall,
  outgoing: Outgoing | undefined,
): string | undefined {
  const url = readText(exchange, 'callback_url', { maxLength: LONGEST_URL })
  if (url === undefined) return undefined
  if (outgoing === undefined) {
    throw invalidOption(exchange, 'callback_url', 'left out: this service sends no callbacks')
  }
  const reason = outgoing.refuse(url)
  if (reason === undefined) return url
  throw new CallError('INVALID_ARGUMENTS', {
    message: `options.callback_url: ${reason}`,
    source: { pointer: `${exchange.pointer}/options/callback_url` },
  })
}

function milliseconds(name: string, given: Duration | undefined, fallback: Duration): number {
  return requireMilliseconds(`async: ${name}`, given ?? fallback)
}
