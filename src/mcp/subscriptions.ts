import type { JsonObject } from '../core/json.ts'
import { readObject, requireText } from './decode.ts'
import type { Environment } from './environment.ts'
import { invalidParams, missingCapability } from './errors.ts'
import type { Exchange } from './exchange.ts'
import type { Methods } from './methods.ts'
import { isLogLevel, META, TASKS_EXTENSION } from './protocol.ts'
import { encodeTask } from './task-encoding.ts'

/** Lists that can change, by the name of the wish to hear about them. */
export const LIST_NOTIFICATIONS = {
  toolsListChanged: 'notifications/tools/list_changed',
  promptsListChanged: 'notifications/prompts/list_changed',
  resourcesListChanged: 'notifications/resources/list_changed',
} as const

const MOST_FOLLOWED = 1_000

/** What a client wants to hear about. */
interface Filter {
  readonly lists: readonly (keyof typeof LIST_NOTIFICATIONS)[]
  readonly uris: ReadonlySet<string>
  readonly taskIds: ReadonlySet<string>
}

/** Makes the method behind which notifications flow until somebody ends it. */
export function createListenMethods(environment: Environment, closing: AbortSignal): Methods {
  return {
    'subscriptions/listen': (exchange) =>
      listen(environment, exchange, readFilter(environment, exchange), closing),
  }
}

function readFilter({ tasks }: Environment, { params, capabilities }: Exchange): Filter {
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
  { changes, tasks, writer }: Environment,
  exchange: Exchange,
  filter: Filter,
  closing: AbortSignal,
): Promise<string> {
  const { id, principal } = exchange
  const meta = { [META.subscription]: id }
  const notify = (method: string, params: JsonObject = {}) =>
    exchange.notify(method, { _meta: meta, ...params })
  const owner = principal?.id ?? ''
  notify('notifications/subscriptions/acknowledged', { notifications: encodeFilter(filter) })
  const stops = [
    changes.onLists(() => {
      for (const name of filter.lists) notify(LIST_NOTIFICATIONS[name])
    }),
    changes.onResource((uri) => {
      if (filter.uris.has(uri)) notify('notifications/resources/updated', { uri })
    }),
    tasks?.onChange((record) => {
      if (!filter.taskIds.has(record.id) || record.owner !== owner) return
      notify(
        'notifications/tasks',
        JSON.parse(`{${encodeTask(record, tasks.pollIntervalMs, 'modern')}}`) as JsonObject,
      )
    }),
  ]
  await ended([exchange.signal(), closing])
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
  const any = AbortSignal.any([...signals])
  return new Promise((resolve) => {
    if (any.aborted) resolve()
    else any.addEventListener('abort', () => resolve(), { once: true })
  })
}

/** Makes the methods by which clients of sessions say what they want to hear about. */
export function createPeerMethods({ writer }: Environment): Methods {
  const done = () => writer.complete('legacy', '')
  return {
    ping: done,
    'logging/setLevel': ({ params, peer }) => {
      const { level } = params
      if (!isLogLevel(level)) throw invalidParams('params.level is no log level')
      if (peer !== undefined) peer.logLevel = level
      return done()
    },
    'resources/subscribe': ({ params, peer }) => {
      const uri = requireText(params, 'uri')
      if (peer !== undefined && peer.followed.size >= MOST_FOLLOWED) {
        throw invalidParams(`At most ${MOST_FOLLOWED} resources can be followed`)
      }
      peer?.followed.add(uri)
      return done()
    },
    'resources/unsubscribe': ({ params, peer }) => {
      peer?.followed.delete(requireText(params, 'uri'))
      return done()
    },
  }
}
