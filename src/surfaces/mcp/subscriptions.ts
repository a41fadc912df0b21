import type { Service } from '../../core/index.ts'
import { type JsonObject, once, openScope } from '../../values/index.ts'
import { readObject, requireText } from './decode.ts'
import type { McpEnvironment, McpOptions } from './environment.ts'
import { invalidParams, McpError, missingCapability, RPC } from './errors.ts'
import { isLogLevel, type McpExchange, META, type Methods, TASKS_EXTENSION } from './protocol.ts'
import { MOST_FOLLOWED } from './session/peer.ts'
import { encodeTask } from './tasks/records.ts'

/** Tells whoever listens that something they may have read is old. */
export interface Changes {
  /** Functions came, went or changed state. */
  readonly onLists: (listener: () => void) => () => void
  /** The contents of a resource changed. */
  readonly onResource: (listener: (uri: string) => void) => () => void
  /** Counts a client that follows a resource, so that whoever has it can be asked to tell; returns what ends it. */
  readonly follow: (uri: string) => () => void
  readonly close: () => void
}

type ChangeOptions = Pick<McpOptions, 'onResourceUpdate' | 'onListsChange' | 'followResource'>

/** Creates the place where changes are announced; many at once are announced as one. */
export function createChanges(
  service: Service,
  { onResourceUpdate, onListsChange, followResource }: ChangeOptions,
  dependentUris: () => readonly string[],
): Changes {
  const lists = new Set<() => void>()
  const resources = new Set<(uri: string) => void>()
  let announced = false

  const announceResource = (uri: string): void => {
    for (const listener of [...resources]) listener(uri)
  }
  const announceLists = () => {
    if (announced || lists.size + resources.size === 0) return
    announced = true
    queueMicrotask(() => {
      announced = false
      for (const listener of [...lists]) listener()
      if (resources.size > 0) for (const uri of dependentUris()) announceResource(uri)
    })
  }
  const stops = [
    service.registry.onChange(announceLists),
    onListsChange?.(announceLists),
    onResourceUpdate?.(announceResource),
  ]
  const follow = createFollowing(followResource)
  return {
    onLists: (listener) => subscribe(lists, listener),
    onResource: (listener) => subscribe(resources, listener),
    follow,
    close() {
      for (const stop of stops) stop?.()
      lists.clear()
      resources.clear()
    },
  }
}

/** Many clients that follow one resource are one to whoever has it. */
function createFollowing(followResource: McpOptions['followResource']): Changes['follow'] {
  if (followResource === undefined) return () => () => undefined
  const followed = new Map<string, { count: number; readonly stop: (() => void) | undefined }>()
  return (uri) => {
    const entry = followed.get(uri) ?? { count: 0, stop: followResource(uri) }
    entry.count += 1
    followed.set(uri, entry)
    return once(() => {
      entry.count -= 1
      if (entry.count > 0) return
      followed.delete(uri)
      entry.stop?.()
    })
  }
}

function subscribe<Listener>(listeners: Set<Listener>, listener: Listener): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

/** Lists that can change, by the name of the wish to hear about them. */
export const LIST_NOTIFICATIONS = {
  toolsListChanged: 'notifications/tools/list_changed',
  promptsListChanged: 'notifications/prompts/list_changed',
  resourcesListChanged: 'notifications/resources/list_changed',
} as const

/** What a client wants to hear about. */
interface Filter {
  readonly lists: readonly (keyof typeof LIST_NOTIFICATIONS)[]
  readonly uris: ReadonlySet<string>
  readonly taskIds: ReadonlySet<string>
}

/** How many streams of notifications may be open. */
export interface SubscriptionOptions {
  /** At one time; 1000 when absent. */
  readonly max?: number
  /** Of one caller; 100 when absent. */
  readonly maxPerCaller?: number
}

/** Makes the method behind which notifications flow until somebody ends it. */
export function createListenMethods(
  environment: McpEnvironment,
  closing: () => AbortSignal,
): Methods {
  const open = createOpenStreams(environment.options.subscriptions)
  return {
    async 'subscriptions/listen'(exchange) {
      const filter = readFilter(environment, exchange)
      const leave = open.enter(exchange.callerKey())
      try {
        return await listen(environment, exchange, filter, closing)
      } finally {
        leave()
      }
    },
  }
}

/** Streams cost memory for as long as their clients like, so they are counted. */
function createOpenStreams({ max = 1_000, maxPerCaller = 100 }: SubscriptionOptions = {}): {
  readonly enter: (caller: string) => () => void
} {
  const byCaller = new Map<string, number>()
  let total = 0
  return {
    enter(caller) {
      const own = byCaller.get(caller) ?? 0
      if (total >= max || own >= maxPerCaller) throw tooManyStreams()
      total += 1
      byCaller.set(caller, own + 1)
      return () => {
        total -= 1
        const left = (byCaller.get(caller) ?? 1) - 1
        if (left === 0) byCaller.delete(caller)
        else byCaller.set(caller, left)
      }
    },
  }
}

function tooManyStreams(): McpError {
  return new McpError(
    RPC.internalError,
    'Too many streams of notifications are open; end others or try again later',
    { status: 503, headers: { 'retry-after': '10' } },
  )
}

function readFilter({ tasks }: McpEnvironment, { params, capabilities }: McpExchange): Filter {
  const wanted = readObject(params, 'notifications')
  const taskIds = readTexts(wanted, 'taskIds')
  if (taskIds.length > 0 && capabilities.extensions?.[TASKS_EXTENSION] === undefined) {
    throw missingCapability({ extensions: { [TASKS_EXTENSION]: {} } })
  }
  return {
    lists: LISTS.filter((name) => wanted[name] === true),
    uris: new Set(readTexts(wanted, 'resourceSubscriptions')),
    taskIds: new Set(tasks === undefined ? [] : taskIds),
  }
}

const LISTS = Object.keys(LIST_NOTIFICATIONS) as (keyof typeof LIST_NOTIFICATIONS)[]

function readTexts(params: JsonObject, name: string): readonly string[] {
  const value = params[name] ?? []
  if (!Array.isArray(value) || !value.every((item) => typeof item === 'string')) {
    throw invalidParams(`params.notifications.${name} must be a list of strings`)
  }
  if (value.length > MOST_FOLLOWED) {
    throw invalidParams(`params.notifications.${name} may have at most ${MOST_FOLLOWED} entries`)
  }
  return value
}

async function listen(
  { changes, tasks, writer }: McpEnvironment,
  exchange: McpExchange,
  filter: Filter,
  closing: () => AbortSignal,
): Promise<string> {
  const { id, principal } = exchange
  const meta = { [META.subscription]: id }
  const notify = (method: string, params: JsonObject = {}) =>
    exchange.notify(method, { _meta: meta, ...params })
  const owner = principal?.id ?? ''
  void notify('notifications/subscriptions/acknowledged', { notifications: encodeFilter(filter) })
  const stops = [
    ...[...filter.uris].map(changes.follow),
    changes.onLists(() => {
      for (const name of filter.lists) void notify(LIST_NOTIFICATIONS[name])
    }),
    changes.onResource((uri) => {
      if (filter.uris.has(uri)) void notify('notifications/resources/updated', { uri })
    }),
    tasks?.onChange((record) => {
      if (!filter.taskIds.has(record.id) || record.owner !== owner) return
      void notify(
        'notifications/tasks',
        JSON.parse(`{${encodeTask(record, tasks.pollIntervalMs, 'modern')}}`) as JsonObject,
      )
    }),
  ]
  await ended([exchange.signal(), closing()])
  for (const stop of stops) stop?.()
  return writer.complete('modern', '', meta)
}

function encodeFilter({ lists, uris, taskIds }: Filter): JsonObject {
  return {
    ...Object.fromEntries(lists.map((name) => [name, true])),
    ...(uris.size > 0 && { resourceSubscriptions: [...uris] }),
    ...(taskIds.size > 0 && { taskIds: [...taskIds] }),
  }
}

function ended(signals: readonly AbortSignal[]): Promise<void> {
  const { signal, close } = openScope(signals)
  return new Promise<void>((resolve) => {
    if (signal.aborted) resolve()
    else signal.addEventListener('abort', () => resolve(), { once: true })
  }).finally(close)
}

/** Makes the methods by which clients of sessions say what they want to hear about. */
export function createPeerMethods({ writer, changes }: McpEnvironment): Methods {
  const done = () => writer.complete('legacy', '')
  return {
    ping: done,
    'logging/setLevel': ({ params, peer }) => {
      const { level } = params
      if (!isLogLevel(level)) throw invalidParams('params.level is not a log level')
      if (peer !== undefined) peer.logLevel = level
      return done()
    },
    'resources/subscribe': ({ params, peer }) => {
      const uri = requireText(params, 'uri')
      if (peer?.followed.add(uri, changes.follow) === false) {
        throw invalidParams(
          `At most ${MOST_FOLLOWED} resources can be followed, with short URIs; unsubscribe from others`,
        )
      }
      return done()
    },
    'resources/unsubscribe': ({ params, peer }) => {
      peer?.followed.delete(requireText(params, 'uri'))
      return done()
    },
  }
}
