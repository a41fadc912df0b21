import type { Admit } from '../../capabilities/index.ts'
import type { Service, Target, View } from '../../core/index.ts'
import { type CallerKey, readCallerKey } from '../../net/index.ts'
import type { Store } from '../../store/index.ts'
import type { Maybe } from '../../values/index.ts'
import type { Authorization } from './authorization.ts'
import { createResultWriter, type Implementation, type ResultWriter } from './encode.ts'
import type {
  McpPrompt,
  McpResource,
  McpResourceTemplate,
  Reader,
  ResourceReading,
} from './offer.ts'
import { DOCUMENT_URI } from './service-resources.ts'
import { createSeal, type Seal } from './session/sessions.ts'
import { type Changes, createChanges, type SubscriptionOptions } from './subscriptions.ts'
import { storeTaskRecords, type TaskRecords } from './tasks/records.ts'
import { createTasks, type TaskOptions, type Tasks } from './tasks/tasks.ts'
import {
  type Catalogue,
  type CatalogueOptions,
  createCatalogue,
  type TaskSupport,
} from './tools/catalogue.ts'

/** How a service is offered to agents. */
export interface McpOptions extends CatalogueOptions {
  /** `all`: every function is a tool. `search`: three tools find, describe and call them. `all` when absent. */
  readonly tools?: 'all' | 'search'
  /** What the service is for, as models should know it; its description when absent. */
  readonly instructions?: string
  /** Items per page of a list; 1000 when absent. */
  readonly pageSize?: number
  /** Tokens the list of tools may cost before a warning is written; 20000 when absent. */
  readonly toolBudget?: number
  /** Tokens a result may cost before it is cut; 25000 when absent. */
  readonly resultBudget?: number
  /** Tokens that answers of the search tools may cost; 4000 when absent. */
  readonly searchBudget?: number
  /** Resources besides the service's own description; a function is asked for them every time. */
  readonly resources?: readonly McpResource[] | (() => readonly McpResource[])
  readonly resourceTemplates?:
    | readonly McpResourceTemplate[]
    | (() => readonly McpResourceTemplate[])
  /** Reads what no list names; undefined when there is no such resource. */
  readonly readResource?: (uri: string, reader: Reader) => Maybe<ResourceReading | undefined>
  /** Told when the first client follows a resource; returns what is called when the last one stops. */
  readonly followResource?: (uri: string) => (() => void) | undefined
  /** Calls back whenever resources or prompts come or go; returns what stops it. */
  readonly onListsChange?: (listener: () => void) => () => void
  /** Calls back whenever the contents of a resource change; returns what stops it. */
  readonly onResourceUpdate?: (listener: (uri: string) => void) => () => void
  /** Prompts besides the examples of functions; a function is asked for them every time. */
  readonly prompts?: readonly McpPrompt[] | (() => readonly McpPrompt[])
  /** Long calls as tasks; `false` leaves them out. */
  readonly tasks?: TaskOptions | false
  /** Milliseconds after which a waiting client gets a sign of life; 15000 when absent. */
  readonly keepAliveMs?: number
  /** Milliseconds for which clients may keep lists; 60000 when absent. */
  readonly cacheMs?: number
  /** Judges calls of platforms that announce their capability profile; nobody does when absent. */
  readonly admit?: Admit
  /** Names the caller whose memory and budgets are counted; principal or network of the connection when absent. */
  readonly callerKey?: CallerKey
  /** Tells clients where to get a token, when the service asks for one. */
  readonly authorization?: Authorization
  /** Streams of notifications that may be open at one time. */
  readonly subscriptions?: SubscriptionOptions
  /** Signs what clients hand back to us. Processes that serve the same clients share it; random when absent. */
  readonly secret?: string
}

/** Everything the methods of one server share. */
export interface McpEnvironment {
  readonly service: Service
  readonly options: McpOptions
  readonly identity: Implementation
  readonly writer: ResultWriter
  readonly seal: Seal
  readonly callerKey: CallerKey
  /** Gives the tools of everybody, or of one view. */
  readonly catalogue: (view?: View) => Catalogue
  readonly changes: Changes
  readonly tasks: Tasks | undefined
  readonly taskAfterMs: number
  readonly taskMode: (target: Target) => 'always' | 'required' | 'never' | undefined
  readonly resultBudget: number
  readonly pageSize: number
  readonly keepAliveMs: number
  readonly cacheMs: number
}

const ASYNC = /^urn:(?:cline:)?forrst:ext:async$/

/** Creates what the methods of one server share. */
export function createEnvironment(service: Service, options: McpOptions): McpEnvironment {
  const { info, name, clock } = service
  const identity: Implementation = { name, title: info.title, version: info.version }
  const tasks = options.tasks === false ? undefined : (options.tasks ?? {})
  const taskMode: McpEnvironment['taskMode'] = (target) =>
    tasks?.mode?.(target.name) ?? declaredMode(target)
  const toTaskSupport = (target: Target): TaskSupport | undefined => {
    const mode = tasks === undefined ? 'never' : taskMode(target)
    if (mode === 'never') return undefined
    return mode === 'required' ? 'required' : 'optional'
  }
  return {
    service,
    options,
    identity,
    writer: createResultWriter(identity, service.authenticate ? 'private' : 'public'),
    seal: createSeal(options.secret, clock),
    callerKey: (request, principal) => readCallerKey(options.callerKey, request, principal),
    catalogue: createCatalogue(service, options, toTaskSupport),
    changes: createChanges(service, options, () => [DOCUMENT_URI]),
    tasks: tasks && createTasks({ ...defaultRecords(service), ...tasks }, clock, service.log),
    taskAfterMs: tasks?.afterMs ?? 5_000,
    taskMode,
    resultBudget: options.resultBudget ?? 25_000,
    pageSize: options.pageSize ?? 1_000,
    keepAliveMs: options.keepAliveMs ?? 15_000,
    cacheMs: options.cacheMs ?? 60_000,
  }
}

/** Tasks are remembered where the service remembers everything else; without its store a call stays an ordinary one. */
function defaultRecords(service: Service): { readonly records?: TaskRecords } {
  const store = service.store as Store | undefined
  if (store === undefined) return {}
  const records = storeTaskRecords(store, service.clock)
  const create: TaskRecords['create'] = async (record, caller) => {
    try {
      return await records.create(record, caller)
    } catch (error) {
      service.log.warn('a call cannot become a task without its store', { error })
      return false
    }
  }
  return { records: { ...records, create } }
}

function declaredMode({ definition }: Target): 'always' | 'never' | undefined {
  const declared = definition.extensions?.find(({ urn }) => ASYNC.test(urn))
  if (declared === undefined) return undefined
  return declared['mode'] === 'never' ? 'never' : 'always'
}
