import {
  type AnyFunction,
  type Call,
  type CallObserver,
  type ComponentCheck,
  type Components,
  type Credentials,
  checkComponents,
  createInvoke,
  createRegistry,
  createSuspects,
  dispatch,
  type FunctionDefinition,
  findPatternWarnings,
  flattenMiddleware,
  type Info,
  type Limits,
  type Link,
  type Logger,
  type Middleware,
  observeRefusals,
  type Principal,
  resolveReference,
  type Server,
  type Service,
  type ServiceProfile,
  type Target,
} from '../core/index.ts'
import { checkHead } from '../discovery/index.ts'
import { assertChallenge, DEFAULT_CHALLENGE } from '../errors/index.ts'
import {
  type CallLogOptions,
  createCallLog,
  defaultLogger,
  type PinoLogger,
  toLogger,
  toSteadyLogger,
} from '../observe/index.ts'
import type { UnknownArguments } from '../schema/index.ts'
import type { Store } from '../store/index.ts'
import {
  assertNoPrivateKeys,
  type Clock,
  didYouMean,
  isRecord,
  type Maybe,
  systemClock,
} from '../values/index.ts'
import { systemFunctions } from './functions.ts'
import {
  chooseExtensions,
  type ServiceExtensionOptions,
  type ServiceExtensions,
  useExtensions,
} from './service-extensions.ts'

/** What a service is made of. */
export interface ServiceOptions<Functions extends readonly AnyFunction[] = readonly AnyFunction[]>
  extends ServiceExtensionOptions {
  readonly info: Info
  readonly functions: Functions
  /** Identifier in capabilities and in `context.caller` of outgoing calls; made from the title when absent. */
  readonly name?: string
  readonly servers?: readonly Server[]
  readonly components?: Components
  /** Published at `/.well-known/ucp`; functions name their capability. */
  readonly profile?: ServiceProfile
  /** What happens to extension entries nobody knows; `reject` when absent. */
  readonly unknownExtensions?: 'reject' | 'ignore'
  /** What happens to arguments that a function does not have; `reject` when absent. A function may say otherwise. */
  readonly unknownArguments?: UnknownArguments
  readonly middleware?: readonly Middleware[]
  /** Checks by component name: database, cache, queue, storage, search, `<service>_api`. */
  readonly health?: Readonly<Record<string, ComponentCheck>>
  readonly limits?: Partial<Limits>
  /** Finds out who calls; a throw of UNAUTHORIZED refuses the call. */
  readonly authenticate?: (credentials: Credentials) => Maybe<Principal | undefined>
  /**
   * What callers are asked to show, as in the header `WWW-Authenticate` of every 401: `Bearer realm="orders"`; `Bearer`
   * when absent. A hook can ask for something else with `new CallError('UNAUTHORIZED', { challenge })`.
   */
  readonly challenge?: string
  /**
   * Who may read documents, lists and descriptions of a service with `authenticate`: those it knows, or with `public` also
   * callers who show no credentials. Everybody sees what they may call; `authenticated` when absent.
   */
  readonly discovery?: 'authenticated' | 'public'
  /**
   * What callers get whose scopes do not suffice for a function they name: FORBIDDEN with the scopes to ask for, or with
   * `not-found` the answer for a function that does not exist; `forbidden` when absent.
   */
  readonly denied?: 'forbidden' | 'not-found'
  /** Decides whether a call may go on; a throw of FORBIDDEN refuses it. */
  readonly authorize?: (call: Call, target: Target) => Maybe<void>
  /** Checks results against output schemas; on unless NODE_ENV is production. */
  readonly validateResults?: boolean
  readonly node?: string
  readonly clock?: Clock
  /** Where the service writes what an operator should know; pino works too. `jsonLogger()` when absent, or `prettyLogger()` on a terminal. */
  readonly log?: Logger | PinoLogger
  /** Writes a line for each call; none when absent. */
  readonly callLog?: boolean | CallLogOptions
  /** Told of every call and every refused caller: `createAudit()`, `openTelemetryMetrics()`. */
  readonly observers?: readonly CallObserver[]
  /** Releases what the functions hold, after the last call. */
  readonly onClose?: () => Maybe<void>
}

const DEFAULT_LIMITS: Limits = {
  maxRequestBytes: 1_048_576,
  maxResponseBytes: 10_485_760,
  maxDepth: 64,
}

/** Refuses options that do not exist: those of a type parameter are not looked at otherwise. */
export type KnownOptions<Given, Known> = {
  readonly [Name in keyof Given as Exclude<Name, keyof Known>]: UnknownOption<Name>
}

/** What an option that does not exist is not assignable to; its name is what a message shows. */
export interface UnknownOption<Name> {
  readonly unknownOption: Name
}

/** Creates a service: checks every definition, makes it callable, adds the system functions. */
export function createService<const Options extends ServiceOptions>(
  options: Options & KnownOptions<Options, ServiceOptions>,
): Service<Options> {
  return buildService(options, (facts) => chooseExtensions({ ...options, ...facts }))
}

/** What a service is made of that has no extensions but those it is given. */
export type BareServiceOptions<Functions extends readonly AnyFunction[] = readonly AnyFunction[]> =
  Omit<ServiceOptions<Functions>, 'defaults' | 'store' | 'stateful' | 'jobs' | 'callbacks'>

/**
 * Creates a service that has the extensions it is given and no others, so that a bundler can leave the rest out.
 *
 * @example
 * createBareService({ info, functions, extensions: [deadlineExtension()] })
 */
export function createBareService<const Options extends BareServiceOptions>(
  options: Options & KnownOptions<Options, BareServiceOptions>,
): Service<Options> {
  return buildService(options, () => useExtensions(options.extensions ?? []))
}

/** What is known of a service before its extensions are chosen. */
interface ServiceFacts {
  readonly service: string
  readonly clock: Clock
  readonly log: Logger
}

function buildService<Options extends ServiceOptions>(
  options: Options,
  choose: (facts: ServiceFacts) => ServiceExtensions,
): Service<Options> {
  const { info, middleware = [], clock = systemClock, store } = options
  const log = toSteadyLogger(toLogger(options.log ?? defaultLogger()))
  const { challenge = DEFAULT_CHALLENGE, name = toServiceName(info.title) } = options
  assertChallenge(challenge)
  assertDescribable(info, options.servers)
  const components = options.components ?? {}
  checkComponents(components)
  assertNoPrivateKeys(options.profile, 'profile')
  const { extensions, exclusions, background } = choose({ service: name, clock, log })
  const enabled = new Set(extensions.map(({ urn }) => urn))
  const carriesItems = extensions.some(({ streams }) => streams)
  const limits = { ...DEFAULT_LIMITS, ...options.limits }
  const suspects = createSuspects()
  const registry = createRegistry({
    components,
    exclusions,
    unknownArguments: options.unknownArguments ?? 'reject',
    validateResults: options.validateResults ?? process.env['NODE_ENV'] !== 'production',
    bind(shape, health) {
      // Target and runner know each other, so the target is completed in steps; nobody sees it before.
      const target: { -readonly [Member in keyof Target]: Target[Member] } = {
        ...shape,
        health,
        joining: [],
        maxResultBytes: limits.maxResponseBytes,
        streams: shape.itemSchema !== undefined && carriesItems,
        run: () => Promise.reject(new TypeError(`${shape.name} is not ready`)),
      }
      target.joining = listJoining(service, target)
      for (const warning of listWarnings(shape, options)) log.warn(warning)
      const layers = flattenMiddleware([...middleware, ...(shape.definition.use ?? [])])
      target.run = createInvoke(target, layers, log, suspects)
      return target
    },
  })
  let started = false
  const service: Service<Options> = {
    name,
    info,
    servers: options.servers ?? [],
    profile: options.profile,
    components,
    registry,
    extensions,
    supports: (urn) => enabled.has(urn),
    unknownExtensions: options.unknownExtensions ?? 'reject',
    healthChecks: {
      ...(store && { store: toStoreCheck(store, log) }),
      ...options.health,
    },
    lastSuccess: new Map(),
    limits,
    clock,
    log,
    node: options.node,
    store,
    authenticate: options.authenticate && observeRefusals(options.authenticate, () => service),
    challenge,
    discovery: pickWord('discovery', options.discovery, ['authenticated', 'public']),
    denied: pickWord('denied', options.denied, ['forbidden', 'not-found']),
    authorize: options.authorize,
    dispatch: (call, surface) => dispatch(service, call, surface),
    observers: [...(options.observers ?? [])],
    accuse: suspects.accuse,
    start() {
      if (started) return
      started = true
      background?.start()
      for (const extension of extensions) extension.start?.(service)
    },
    async close() {
      // First the work that uses them all: it ends, or is handed back.
      await background?.close()
      await Promise.all(extensions.map((extension) => extension.close?.()))
      await Promise.all(service.observers.map((observer) => observer.close?.()))
      await options.onClose?.()
    },
  }
  const { callLog = false } = options
  if (callLog) service.observers.push(createCallLog(log, callLog === true ? {} : callLog))
  for (const definition of listFunctions(options)) registry.add(definition)
  const provided = extensions.flatMap((extension) => extension.functions?.(service) ?? [])
  for (const definition of [...systemFunctions(service), ...provided]) {
    registry.add(definition, { system: true })
  }
  assertLinks(service)
  return service
}

/** Lists what an operator should know about a function before it is called. */
function listWarnings(
  shape: Parameters<typeof findPatternWarnings>[0] & Pick<Target, 'scopes'>,
  { authenticate }: Pick<ServiceOptions<readonly FunctionDefinition[]>, 'authenticate'>,
): readonly string[] {
  const isClosed = shape.scopes.length > 0 && authenticate === undefined
  return [
    ...findPatternWarnings(shape),
    ...(isClosed
      ? [
          `function ${shape.name} requires scopes, which nobody has: the service has no authenticate hook`,
        ]
      : []),
  ]
}

/** Reads an option that is one of a few words, the first when it is absent; a misspelt one must not open anything. */
function pickWord<Word extends string>(
  name: string,
  given: Word | undefined,
  words: readonly [Word, ...Word[]],
): Word {
  if (given === undefined) return words[0]
  if (words.includes(given)) return given
  throw new TypeError(`${name}: must be ${words.join(' or ')}`)
}

/** Lists the extensions that take part in calls to a function although nobody declares them. */
function listJoining(service: Service, target: Target): readonly string[] {
  return service.extensions
    .filter(
      ({ urn, joins, watches }) =>
        (target.accepts(urn) && joins?.(target, service)) || watches?.(target, service),
    )
    .map(({ urn }) => urn)
}

/** Links lead from a result to the next call; one that leads nowhere is a misspelt name. */
function assertLinks({ registry, components }: Service): void {
  const names = [...registry.entries()].map(({ name }) => name)
  for (const { ordered } of registry.entries()) {
    for (const { name, definition } of ordered) {
      for (const [index, given] of (definition.links ?? []).entries()) {
        const link = resolveReference<Link>(given, components, 'links')
        if (definition.imported || link?.function === undefined || link.server) continue
        if (registry.find(link.function) !== undefined) continue
        const hint = didYouMean(link.function, names)
        throw new TypeError(
          `function ${name}: links[${index}].function is "${link.function}", which this service does not have${hint ? `; ${hint}` : ''}`,
        )
      }
    }
  }
}

/** Refuses what a discovery document may not say about the service, with the place in the message. */
function assertDescribable(info: Info, servers: readonly Server[] | undefined): void {
  const [problem] = checkHead({ info, servers })
  if (problem === undefined) return
  throw new TypeError(`${problem.pointer.slice(1).replaceAll('/', '.')} ${problem.message}`)
}

/** Most calls go on without the store, so its absence does not take the service out of rotation. */
function toStoreCheck(store: Store, log: Logger): ComponentCheck {
  return {
    check: () =>
      store.check().then(
        () => undefined,
        (error: unknown) => {
          const message = `The ${store.kind} store does not answer`
          log.warn('a health check failed', { component: 'store', reason: message, error })
          return { status: 'degraded', message } as const
        },
      ),
  }
}

function toServiceName(title: string): string {
  return title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')
}

/** A service in plain JavaScript has no compiler that would have asked for its functions. */
function listFunctions({
  functions,
}: {
  readonly functions: unknown
}): readonly FunctionDefinition[] {
  if (!Array.isArray(functions)) {
    throw new TypeError('functions must be a list of definitions made by defineFunction')
  }
  for (const [index, definition] of functions.entries()) {
    if (!isRecord(definition)) {
      throw new TypeError(`functions[${index}] must be a definition made by defineFunction`)
    }
  }
  return functions as readonly FunctionDefinition[]
}
