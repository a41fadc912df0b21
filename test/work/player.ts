import { setTimeout as sleep } from 'node:timers/promises'
import { defineFunction } from '../../src/core/function.ts'
import type { Service } from '../../src/core/service.ts'
import type { Store } from '../../src/entries/store.ts'
import { CallError } from '../../src/errors/error.ts'
import { asyncExtension } from '../../src/extensions/async/async.ts'
import { idempotencyExtension } from '../../src/extensions/idempotency/idempotency.ts'
import { createService } from '../../src/system/create-service.ts'
import type { Clock } from '../../src/values/time.ts'
import { createInProcessQueue } from '../../src/work/in-process.ts'
import type { JobQueue } from '../../src/work/queue.ts'
import { call, createTestLog, dataOf } from '../support/forrst.ts'
import { follow, type ItemEvent, type ItemState, passKeyOn } from './specification.ts'

const ASYNC = 'urn:forrst:ext:async'
const LEASE_MS = 800
/** A store that refuses everything for longer may cost a worker its lease, which may be a third over by then. */
const LONG_MS = LEASE_MS / 2
/** Longer pauses may cost a worker its lease; shorter ones must not. */
const NOTICEABLE_MS = LEASE_MS / 4

/** A schedule is its seed: the same numbers make the same calls and the same faults. */
export function createRandom(seed: number): (below: number) => number {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

/** Where a schedule is played. */
export interface Stage {
  readonly store: Store
  /** Jobs as entries of the store when absent; workers on others are stopped, not killed. */
  readonly openJobs?: () => JobQueue
}

interface Written {
  readonly id: string
  readonly revision: number
  readonly event: ItemEvent
}

/** What all workers of a schedule have seen. */
interface Trace {
  readonly written: Written[]
  /** By operation: the workers whose function ran to its end. */
  readonly effects: Map<string, string[]>
  /** When a worker may have lost what it held: killed, stopped or cut off. */
  readonly faulty: Set<string>
  /** Workers that the store refused: they may have given up what they began, and not what they finished. */
  readonly refused: Set<string>
  /** What the store was asked and has not answered: others may see a write before its writer hears of it. */
  readonly asked: Set<Promise<unknown>>
}

interface Worker {
  readonly name: string
  readonly version: string
  readonly service: Service
  readonly alive: () => boolean
  /** Holds up the answers of the store. */
  readonly stall: (milliseconds: number) => void
  /** Has the store refuse everything. */
  readonly refuse: (milliseconds: number) => void
  readonly step: (milliseconds: number) => void
  readonly kill: () => Promise<void>
  readonly close: () => Promise<void>
}

/** What a caller was promised. */
interface Accepted {
  readonly n: number
  readonly version: string
}

const NEVER = new Promise<never>(() => {})

/** Starts one process of the service: its functions, its connection to the store, its clock. */
function startWorker(
  stage: Stage,
  { name, version, title }: { name: string; version: string; title: string },
  trace: Trace,
): Worker {
  let dead = false
  let stalled: Promise<void> = Promise.resolve()
  let refusedSince = 0
  let refusedUntil = 0
  let offset = 0
  const clock: Clock = { now: () => Date.now() + offset, elapsed: () => performance.now() }
  const store = watch(stage.store, name, trace, async () => {
    await stalled
    if (dead || performance.now() < refusedUntil) throw new CallError('UNAVAILABLE')
  })
  const jobs =
    stage.openJobs?.() ?? createInProcessQueue(store, { leaseMs: LEASE_MS, pollMs: 100, clock })
  const service = createService({
    info: { title, version: '1.0.0' },
    functions: [
      defineFunction({
        name: 'work.do',
        version,
        input: {
          type: 'object',
          properties: { n: { type: 'integer' }, ms: { type: 'integer' } },
        },
        async handler({ input, progress }) {
          const { n, ms } = input as { n: number; ms: number }
          progress(0.5, 'half')
          await sleep(ms)
          // What a killed process would still do is not done.
          if (dead) await NEVER
          const seen = trace.effects.get(`${n}`) ?? []
          trace.effects.set(`${n}`, [...seen, name])
          return { n }
        },
      }),
    ],
    extensions: [
      idempotencyExtension({ store, lease: { value: 1, unit: 'second' } }),
      asyncExtension({ store, jobs, attempts: 50, poll: { value: 50, unit: 'millisecond' } }),
    ],
    clock,
    log: createTestLog(),
  })
  service.start()
  const close = async () => {
    await jobs.close(200)
    await service.close()
  }
  return {
    name,
    version,
    service,
    alive: () => !dead,
    stall(milliseconds) {
      if (milliseconds > NOTICEABLE_MS) trace.faulty.add(name)
      stalled = Promise.all([stalled, sleep(milliseconds)]).then(() => {})
    },
    refuse(milliseconds) {
      const now = performance.now()
      if (now > refusedUntil) refusedSince = now
      refusedUntil = now + milliseconds
      trace.refused.add(name)
      if (refusedUntil - refusedSince > LONG_MS) trace.faulty.add(name)
    },
    step(milliseconds) {
      offset += milliseconds
    },
    async kill() {
      trace.faulty.add(name)
      dead = stage.openJobs === undefined
      if (!dead) {
        dead = true
        await jobs.close(0)
      }
    },
    close,
  }
}

/** Passes everything on to the store, and notes what becomes of operations in it. */
function watch(inner: Store, worker: string, trace: Trace, gate: () => Promise<void>): Store {
  return new Proxy(inner, {
    get(target, member: keyof Store) {
      const value = target[member]
      if (typeof value !== 'function') return value
      return async (...args: never[]) => {
        await gate()
        const askedAt = performance.now()
        const asking = (value as (...args: never[]) => Promise<unknown>).apply(target, args)
        trace.asked.add(asking)
        const answer = await asking.finally(() => trace.asked.delete(asking))
        if (performance.now() - askedAt > NOTICEABLE_MS) trace.faulty.add(worker)
        note(member, args as readonly unknown[], answer)
        // An answer that comes while the process is cut off comes after that.
        await gate()
        return answer
      }
    },
  })

  function note(member: string, [key, value]: readonly unknown[], answer: unknown): void {
    const [, id] = /^operation:(op_\w+)$/.exec(String(key)) ?? []
    const { revision, created, swapped } = (answer ?? {}) as Record<string, unknown>
    if (id === undefined || typeof revision !== 'number' || member === 'get') return
    const { status, run = '' } = value as { status: string; run?: string }
    const isNew = member === 'putIfAbsent' && created === true
    if (isNew) trace.written.push({ id, revision, event: { kind: 'added' } })
    if (member === 'compareAndSet' && swapped === true) {
      trace.written.push({ id, revision, event: toEvent(status, run) })
    }
  }

  function toEvent(status: string, run: string): ItemEvent {
    if (status === 'cancelled') return { kind: 'cancelled' }
    if (status !== 'processing') return { kind: 'ended', run, end: status }
    const isBegun = !trace.written.some(({ event }) => 'run' in event && event.run === run)
    return isBegun ? { kind: 'begun', run, worker } : { kind: 'reported', run }
  }
}

/** Plays one schedule and checks every promise; throws the first that was broken. */
export async function playSchedule(stage: Stage, seed: number): Promise<void> {
  const random = createRandom(seed)
  const trace: Trace = {
    written: [],
    effects: new Map(),
    faulty: new Set(),
    refused: new Set(),
    asked: new Set(),
  }
  const versions = ['1.0.0', '2.0.0', random(2) === 0 ? '1.0.0' : '2.0.0']
  const workers = versions.map((version, at) =>
    startWorker(stage, { name: `w${at}`, version, title: `Work ${seed}` }, trace),
  )
  /** By id, in the order in which callers were told of them. */
  const accepted = new Map<string, Accepted>()
  const knownBy = (version: string) => workers.filter((worker) => worker.version === version)
  // The last one of each version stays: somebody has to know the function in the end.
  const expendable = workers.filter((worker) => knownBy(worker.version).length > 1).slice(0, 1)

  async function callSome(n: number): Promise<void> {
    const at = random(workers.length)
    const ms = random(60)
    for (const repeat of random(3) === 0 ? [0, 1] : [0]) {
      const worker = workers[(at + repeat) % workers.length]
      // A duplicate goes to the same version: a key counts per function and version.
      if (!worker?.alive() || worker.version !== workers[at]?.version) continue
      const answer = await call(worker.service, {
        function: 'work.do',
        version: worker.version,
        arguments: { n, ms },
        extensions: [
          { urn: ASYNC, options: { preferred: true } },
          { urn: 'urn:forrst:ext:idempotency', options: { key: `k${seed}-${n}` } },
        ],
      })
      const id = dataOf(answer, ASYNC)?.['operation_id']
      if (typeof id === 'string') accepted.set(id, { n, version: worker.version })
    }
  }

  async function disturb(): Promise<void> {
    const worker = workers[random(workers.length)]
    const kind = random(5)
    if (kind === 0) worker?.stall(random(1_800))
    // The store refuses everybody, for less than a lease: nobody loses anything.
    if (kind === 1) for (const one of workers) one.refuse(300)
    if (kind === 2) worker?.step(random(2_000) - 1_000)
    if (kind === 3) await expendable.pop()?.kill()
    if (kind === 4) {
      const id = [...accepted.keys()][random(5)]
      if (id !== undefined && worker?.alive()) await cancel(worker, id)
    }
  }

  const beat = watchPauses(() => {
    for (const { name } of workers) trace.faulty.add(name)
  })
  try {
    const count = 3 + random(5)
    const calls: Promise<void>[] = []
    for (let n = 0; n < count; n += 1) {
      calls.push(callSome(n))
      if (random(2) === 0) await disturb()
      await sleep(random(80))
    }
    await Promise.all(calls)
    await untilOver(workers, [...accepted.keys()])
    await Promise.allSettled(trace.asked)
    await sleep(0)
    judge(trace, workers, accepted)
  } catch (thrown) {
    throw new Error(`schedule ${seed}: ${(thrown as Error).message}`, { cause: thrown })
  } finally {
    clearInterval(beat)
    await Promise.all(workers.filter((worker) => worker.alive()).map((worker) => worker.close()))
  }
}

/** Tells of pauses of the whole process: on a busy machine they are faults that nobody planned. */
function watchPauses(onPause: () => void): NodeJS.Timeout {
  let last = performance.now()
  return setInterval(() => {
    const now = performance.now()
    if (now - last > NOTICEABLE_MS) onPause()
    last = now
  }, 10)
}

async function cancel({ service }: Worker, id: string): Promise<void> {
  await call(service, {
    function: 'urn:cline:forrst:ext:async:fn:cancel',
    arguments: { operation_id: id },
  })
}

async function untilOver(workers: readonly Worker[], ids: readonly string[]): Promise<void> {
  const end = performance.now() + 45_000
  const service = workers.find((worker) => worker.alive())?.service
  for (const id of ids) {
    for (;;) {
      const { body } = await call(service as Service, {
        function: 'urn:cline:forrst:ext:async:fn:status',
        arguments: { operation_id: id },
      })
      if (body.errors?.[0].code === 'ASYNC_OPERATION_FAILED') break
      const status = (body.result as { status?: string } | null)?.status
      if (status !== undefined && status !== 'pending' && status !== 'processing') break
      if (performance.now() > end) throw new Error(`at least once: ${id} is ${status} for ever`)
      await sleep(20)
    }
  }
}

function judge(
  trace: Trace,
  workers: readonly Worker[],
  accepted: ReadonlyMap<string, Accepted>,
): void {
  const last = new Map<number, ItemState>()
  const counts = new Map<number, number>()
  for (const [id, { n, version }] of accepted) {
    const before = last.get(n)
    if (before !== undefined) passKeyOn(before)
    counts.set(n, (counts.get(n) ?? 0) + 1)
    const events = trace.written
      .filter((written) => written.id === id)
      .toSorted((left, right) => left.revision - right.revision)
    let state: ItemState = { kind: 'absent' }
    for (const { event } of events) {
      state = follow(state, event, {
        knows: (name) => workers.find((worker) => worker.name === name)?.version === version,
        mayHaveLost: (name) => trace.faulty.has(name) || trace.refused.has(name),
      })
    }
    if (state.kind !== 'over') throw new Error(`${id} has no end in the store`)
    last.set(n, state)
    if (state.end === 'completed' && !trace.effects.has(`${n}`))
      throw new Error(`${id} ended without a run`)
  }
  for (const [n, count] of counts) {
    const effects = trace.effects.get(`${n}`) ?? []
    // Each operation runs once, and once more for each worker that may have lost it.
    if (effects.filter((name) => !trace.faulty.has(name)).length > count)
      throw new Error(`call ${n} ran ${effects.join(', ')} though nobody lost it`)
  }
}
