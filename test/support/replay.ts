import { defineFunction } from '../../src/core/function.ts'
import { createMemoryStore, type Store } from '../../src/entries/store.ts'
import { CallError } from '../../src/errors/error.ts'
import { idempotencyExtension } from '../../src/extensions/idempotency/idempotency.ts'
import { maintenanceExtension } from '../../src/extensions/maintenance/maintenance.ts'
import { type ReplayExtensionOptions, replayExtension } from '../../src/extensions/replay/replay.ts'
import { createService } from '../../src/system/create-service.ts'
import type { Json } from '../../src/values/json.ts'
import { call, createTestClock, createTestLog, dataOf, type TestClock } from './forrst.ts'
import { createManualJobs, type ManualJobs } from './manual-jobs.ts'

/** The URN of the replay extension. */
export const URN = 'urn:forrst:ext:replay'
const ALWAYS = { refresh: { value: 0, unit: 'second' } } as const

/** The options of a replay entry. */
export type Wish = Readonly<Record<string, Json>>

/** What a second process of a service, or another service, has of its own. */
export interface SharedParts {
  readonly title?: string
  /** Of the functions. */
  readonly version?: string
  readonly clock?: TestClock
  readonly jobs?: ManualJobs
}

/** Makes a service with replay, maintenance and idempotency whose functions fail on demand and tell their runs. */
export function setUpReplay(
  store: Store = createMemoryStore(),
  options: Omit<ReplayExtensionOptions, 'store' | 'jobs'> = {},
  { title = 'Orders', version = '1.0.0', ...shared }: SharedParts = {},
) {
  const clock = shared.clock ?? createTestClock()
  const jobs = shared.jobs ?? createManualJobs(clock)
  const log = createTestLog()
  const runs: string[] = []
  const failures: string[] = []
  const work = (name: string, sideEffects: readonly string[]) =>
    defineFunction({
      name,
      version,
      sideEffects,
      input: { type: 'object', properties: { n: { type: 'number' } } },
      handler({ input, call: { principal } }) {
        const code = failures.shift()
        if (code) throw new CallError(code)
        runs.push(`${name} ${JSON.stringify(input)} ${principal?.id ?? ''}`.trim())
        return { done: input }
      },
    })
  const service = createService({
    info: { title, version: '1.0.0' },
    functions: [work('orders.create', ['create']), work('orders.get', [])],
    extensions: [
      replayExtension({ ...options, store, jobs }),
      maintenanceExtension({ ...ALWAYS, store }),
      idempotencyExtension({ store }),
    ],
    authenticate: ({ header }) => (header('x-user') ? { id: header('x-user') ?? '' } : undefined),
    clock,
    log,
  })
  service.start()
  const as = (user: string | undefined) => ({ headers: user ? { 'x-user': user } : {} })
  let count = 0
  const nextId = () => {
    count += 1
    return `req_${count}`
  }
  const ask = (
    n: number,
    wish: Wish = {},
    more: { name?: string; key?: string; user?: string } = {},
  ) =>
    call(
      service,
      {
        function: more.name ?? 'orders.create',
        arguments: { n },
        id: nextId(),
        extensions: [
          { urn: URN, options: wish },
          ...(more.key ? [{ urn: 'urn:forrst:ext:idempotency', options: { key: more.key } }] : []),
        ],
      },
      as(more.user),
    )
  const manage = (name: string, input: object, user?: string) =>
    call(service, { function: `forrst.replay.${name}`, arguments: input }, as(user))
  const idOf = (response: Awaited<ReturnType<typeof ask>>) =>
    String(dataOf(response, URN)?.['replay_id'])
  return { service, store, clock, jobs, log, runs, failures, ask, manage, idOf }
}
