import { setTimeout as sleep } from 'node:timers/promises'
import { defineFunction, type FunctionDefinition } from '../../src/core/function.ts'
import type { Service } from '../../src/core/service.ts'
import { runQuery, toResource } from '../../src/entries/query.ts'
import { createMemoryStore, type Store } from '../../src/entries/store.ts'
import { CallError } from '../../src/errors/error.ts'
import { createOutgoing } from '../../src/extensions/outgoing/outgoing.ts'
import type { OnStoreFailure } from '../../src/store/guard.ts'
import { createService } from '../../src/system/create-service.ts'
import {
  type StatefulExtensionOptions,
  statefulExtensions,
} from '../../src/system/stateful-extensions.ts'
import { createInProcessQueue } from '../../src/work/in-process.ts'
import { call, createTestLog, dataOf, type TestResponse } from './forrst.ts'
import { type Receiver, startReceiver } from './receiver.ts'

/** A service with every extension, and what a test does with it. */
export interface Interplay {
  readonly service: Service
  readonly store: Store
  readonly receiver: Receiver
  /** Options that register the receiver. */
  readonly webhook: { readonly callback_url: string }
  /** Names of the functions that ran to their end, in order. */
  readonly runs: readonly string[]
  /** How often a run began while another went on. */
  readonly overlaps: () => number
  /** Calls a function of `jobs` with extensions, given by name with their options. */
  readonly ask: (
    name: string,
    input: object,
    extensions: Readonly<Record<string, object>>,
  ) => Promise<TestResponse>
  /** Tells how a queued call stands. */
  readonly follow: (queued: TestResponse) => Promise<Readonly<Record<string, unknown>>>
  /** Whether `authorize` lets calls of `jobs.work` pass. */
  readonly permit: (permitted: boolean) => void
  readonly close: () => Promise<void>
}

/** How the service differs from what a test of interplay needs. */
export interface InterplayOptions {
  readonly store?: Store
  /** Extensions that do not do what they do by default when the store is away. */
  readonly onStoreFailure?: Readonly<Partial<Record<Decides, OnStoreFailure>>>
}

/** The extensions that can be told what to do when the store is away. */
export type Decides = Extract<
  keyof StatefulExtensionOptions,
  'idempotency' | 'atomicLock' | 'caching' | 'rateLimit' | 'quota' | 'cancellation' | 'maintenance'
>

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
const USERS = [
  { id: 1, name: 'Ann' },
  { id: 2, name: 'Bob' },
]

/** Creates a service with every extension; time is real and pauses are short. */
export async function createInterplay(options: InterplayOptions = {}): Promise<Interplay> {
  const store = options.store ?? createMemoryStore()
  const away = (name: Decides) => {
    const onStoreFailure = options.onStoreFailure?.[name]
    return onStoreFailure ? { onStoreFailure } : {}
  }
  const receiver = await startReceiver()
  const log = createTestLog()
  const jobs = createInProcessQueue(store, { pollMs: 20 })
  const outgoing = createOutgoing({ jobs, secret: SECRET, allowLoopback: true })
  const runs: string[] = []
  let running = 0
  let overlapping = 0
  let permitted = true
  const work = (name: string, extensions: FunctionDefinition['extensions'] = []) =>
    defineFunction({
      name,
      version: '1.0.0',
      extensions,
      sideEffects: ['create'],
      simulations: [{ name: 'default', input: {}, output: { simulated: true } }],
      input: { type: 'object', properties: { wait: { type: 'number' } } },
      async handler({ input, signal, call: { facts } }) {
        const { wait = 0 } = input as { wait?: number }
        if (running > 0) overlapping += 1
        running += 1
        try {
          await sleep(wait, undefined, { signal })
        } finally {
          running -= 1
        }
        runs.push(name)
        return { email: 'alice@example.com', token: facts.fencingToken }
      },
    })
  const service = createService({
    info: { title: 'Interplay', version: '1.0.0' },
    functions: [
      work('jobs.work'),
      work('jobs.limited'),
      work('jobs.closed'),
      work('jobs.change', [{ urn: 'urn:forrst:ext:caching', tags: ['users'] }]),
      defineFunction({
        name: 'jobs.list',
        version: '1.0.0',
        readOnly: true,
        query: { filters: { allowed: ['name'] } },
        extensions: [{ urn: 'urn:forrst:ext:caching', ttl: 60 }],
        handler() {
          runs.push('jobs.list')
          return USERS
        },
        resources({ plan }) {
          runs.push('jobs.list')
          return runQuery(
            plan,
            USERS.map((user) => toResource('user', user)),
          )
        },
      }),
      defineFunction({
        name: 'jobs.feed',
        version: '1.0.0',
        item: { type: 'number' },
        async *handler() {
          yield 1
        },
      }),
    ],
    extensions: [
      ...statefulExtensions({
        store,
        jobs,
        outgoing,
        idempotency: away('idempotency'),
        atomicLock: away('atomicLock'),
        caching: away('caching'),
        cancellation: away('cancellation'),
        maintenance: { refresh: { value: 1, unit: 'millisecond' }, ...away('maintenance') },
        replay: { poll: { value: 1, unit: 'second' } },
        quota: {
          quotas: [{ type: 'requests', name: 'calls', limit: 1e6, period: 'day' }],
          ...away('quota'),
        },
        rateLimit: {
          ...away('rateLimit'),
          policies: [
            {
              scope: 'global',
              function: 'jobs.limited',
              limit: 3,
              window: { value: 1, unit: 'hour' },
            },
          ],
        },
      }),
    ],
    authorize(made) {
      if (!permitted && made.function === 'jobs.work') throw new CallError('FORBIDDEN')
    },
    log,
  })
  service.start()
  return {
    service,
    store,
    receiver,
    webhook: { callback_url: `${receiver.url}/hook` },
    runs,
    overlaps: () => overlapping,
    ask: (name, input, extensions) =>
      call(service, {
        function: `jobs.${name}`,
        arguments: input,
        context: {},
        extensions: Object.entries(extensions).map(([short, given]) => ({
          urn: `urn:forrst:ext:${short}`,
          options: given,
        })),
      }),
    async follow(queued) {
      const id = dataOf(queued, 'urn:forrst:ext:replay')?.['replay_id']
      const asked = { function: 'forrst.replay.status', arguments: { replay_id: id } }
      return ((await call(service, asked)).body.result ?? {}) as Record<string, unknown>
    },
    permit(now) {
      permitted = now
    },
    async close() {
      await service.close()
      await jobs.close()
      await receiver.close()
    },
  }
}
