import { CallError } from '../errors/index.ts'
import { findNoJson } from '../values/index.ts'
import type { Call } from './call.ts'
import type { Target } from './target.ts'

/** What a handler that yields came to: what it returned, and what it yielded when somebody wants the whole. */
export interface Drained {
  readonly result: unknown
  readonly items: readonly unknown[] | undefined
}

/** How many partial results are gathered for a caller who wants them in one answer. */
const MOST_GATHERED = 10_000
// A generator that never waits would keep timers and sockets of the whole process waiting.
const BREATHER = 1_000

/** Tells whether a handler gives its result piece by piece. */
export function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.asyncIterator in value
}

/** Takes partial results from a handler as fast as the caller reads them, or gathers them for one who does not. */
export async function drain(
  target: Target,
  call: Call,
  source: AsyncIterable<unknown>,
): Promise<Drained> {
  const iterator = source[Symbol.asyncIterator]()
  const watch = watchSignal(call.signal())
  const outlet = call.facts.outlet
  const gathered = createGathering(target, call)
  let busy = false
  let ended = false
  try {
    for (let count = 1; ; count += 1) {
      busy = true
      const step = await watch.wait(iterator.next())
      busy = false
      if (step.done) {
        ended = true
        return { result: step.value, items: gathered.items() }
      }
      await checkItem(target, step.value)
      gathered.add(step.value)
      const taken = outlet?.emit(step.value)
      if (taken !== undefined) await watch.wait(taken)
      else if (count % BREATHER === 0) await watch.wait(breathe())
    }
  } finally {
    watch.close()
    if (!ended) await leave(iterator, busy)
  }
}

interface Gathering {
  readonly add: (item: unknown) => void
  readonly items: () => readonly unknown[] | undefined
}

/** A streamed call under an idempotency key is answered in one piece when it is repeated. */
function createGathering(target: Target, { facts }: Call): Gathering {
  const { outlet, idempotencyKey } = facts
  const wanted = outlet === undefined || outlet.whole === true || idempotencyKey !== undefined
  let items: unknown[] | undefined = wanted ? [] : undefined
  return {
    add(item) {
      if (items === undefined) return
      if (items.length < MOST_GATHERED) items.push(item)
      // With an output schema the items are only on the way to a result that is still to come.
      else if (target.outputSchema !== undefined) items = undefined
      else throw tooMany(target)
    },
    items: () => items,
  }
}

function tooMany({ name }: Target): CallError {
  return new CallError('INTERNAL_ERROR', {
    message: `${name} gives more than ${MOST_GATHERED} items; read them as a stream`,
  })
}

async function checkItem(target: Target, item: unknown): Promise<void> {
  const noJson = findNoJson(item ?? null)
  if (noJson !== undefined) {
    throw new TypeError(
      `${target.name}@${target.version} yielded what JSON cannot hold at "${noJson.pointer}": ${noJson.found}`,
    )
  }
  const checked = await target.checkItem?.(item)
  if (checked === undefined || checked.ok) return
  const [problem] = checked.problems
  throw new TypeError(
    `${target.name}@${target.version} yielded an item that its item schema refuses at "${problem.pointer}": ${problem.message}`,
  )
}

/** Runs the generator's `finally`; one that is busy gets there by itself when it looks at its signal. */
async function leave(iterator: AsyncIterator<unknown>, busy: boolean): Promise<void> {
  const left = Promise.resolve(iterator.return?.()).catch(() => {})
  if (!busy) await left
}

interface SignalWatch {
  readonly wait: <Value>(promise: PromiseLike<Value>) => Promise<Value>
  readonly close: () => void
}

/** One listener for the whole stream: racing every item against the signal would pile up reactions on it. */
function watchSignal(signal: AbortSignal): SignalWatch {
  let refuse: ((reason: unknown) => void) | undefined
  const onAbort = () => refuse?.(signal.reason)
  signal.addEventListener('abort', onAbort, { once: true })
  return {
    wait: (promise) =>
      new Promise((resolve, reject) => {
        refuse = reject
        if (signal.aborted) reject(signal.reason)
        promise.then(resolve, reject)
      }),
    close: () => signal.removeEventListener('abort', onAbort),
  }
}

function breathe(): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, 0)
  })
}
