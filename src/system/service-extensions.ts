import {
  type Extension,
  type Logger,
  orderExtensions,
  type PresetExclusions,
} from '../core/index.ts'
import {
  createOutgoing,
  type Outgoing,
  type OutgoingOptions,
} from '../extensions/outgoing/index.ts'
import type { Store } from '../store/index.ts'
import { type Clock, extensionUrn, isRecord } from '../values/index.ts'
import { createJobQueue, type JobQueue } from '../work/index.ts'
import { type DefaultExtensionOptions, defaultExtensions } from './default-extensions.ts'
import { type StatefulSettings, statefulExtensions } from './stateful-extensions.ts'

/** Where callbacks may go and how they are signed. */
export type CallbackOptions = Pick<
  OutgoingOptions,
  'secret' | 'allowHosts' | 'allowLoopback' | 'delaysMs'
>

/** Which extensions a service has. */
export interface ServiceExtensionOptions {
  /** Added to those the service has anyway; one with the URN of a default takes its place. */
  readonly extensions?: readonly Extension[]
  /** How the extensions that need no storage behave, such as `{ locale: { messages } }`; `false` leaves one, or all, out. */
  readonly defaults?: DefaultExtensionOptions | false
  /** Where extensions keep what they remember; its owner closes it, after the service. */
  readonly store?: Store
  /** How the extensions that need the store behave, such as `{ rateLimit: { policies } }`; `false` leaves one, or all, out. */
  readonly stateful?: StatefulSettings | false
  /** Runs what goes on in the background; made for the store when absent. Its owner closes it, after the service. */
  readonly jobs?: JobQueue
  /** How callbacks of operations are signed, and where they may go; any public https address when absent. */
  readonly callbacks?: CallbackOptions
}

/** The extensions of a service in the order in which they wrap a call, and what runs behind them. */
export interface ServiceExtensions {
  readonly extensions: readonly Extension[]
  readonly exclusions: PresetExclusions
  readonly background: Background | undefined
}

/** Puts the extensions of a service together: the defaults, those that need its store, and its own. */
export function chooseExtensions(
  options: ServiceExtensionOptions & {
    readonly service: string
    readonly clock: Clock
    readonly log: Logger
  },
): ServiceExtensions {
  const { defaults, stateful, store, extensions: given = [] } = options
  assertExtensions(given)
  if (stateful && store === undefined) {
    throw new TypeError(
      'stateful needs a store; give createService one, such as await openStore("sqlite:state.db")',
    )
  }
  const background =
    store && stateful !== false && !replaceBackground(given)
      ? createBackground({ ...options, store })
      : undefined
  const { jobs, outgoing } = background ?? {}
  const chosen = [
    ...(defaults === false ? [] : defaultExtensions(defaults)),
    ...(store && stateful !== false
      ? statefulExtensions({ ...stateful, store, jobs, outgoing })
      : []),
    ...given,
  ]
  return { ...useExtensions(chosen), background }
}

/** Puts extensions into the order in which they wrap a call; of two with one URN, the later counts. */
export function useExtensions(chosen: readonly Extension[]): ServiceExtensions {
  assertExtensions(chosen)
  // A Map keeps the place of the first and the value of the last.
  const byUrn = new Map(chosen.map((extension) => [extension.urn, extension]))
  const extensions = orderExtensions([...byUrn.values()])
  return { extensions, exclusions: toExclusions(extensions), background: undefined }
}

/** Released descriptions name these whether or not a service has them; callers may rely on it. */
const ALWAYS_EXCLUDED: PresetExclusions = {
  readOnly: [extensionUrn('idempotency'), extensionUrn('dry-run')],
  writes: [extensionUrn('caching')],
}

function toExclusions(extensions: readonly Extension[]): PresetExclusions {
  const list = (preset: keyof PresetExclusions) => {
    const declared = extensions.filter(({ excludedBy }) => excludedBy === preset)
    return [...new Set([...ALWAYS_EXCLUDED[preset], ...declared.map(({ urn }) => urn)])]
  }
  return { readOnly: list('readOnly'), writes: list('writes') }
}

/** A service in plain JavaScript has no compiler that would have looked at its extensions. */
function assertExtensions(given: unknown): void {
  if (!Array.isArray(given)) throw new TypeError('extensions must be a list of extensions')
  const wrong = given.findIndex((one) => !isRecord(one) || typeof one['urn'] !== 'string')
  if (wrong !== -1) throw new TypeError(`extensions[${wrong}] must be an extension with a urn`)
}

/** A second job queue on the same store would take jobs that the given extensions sign and time their own way. */
function replaceBackground(given: readonly Extension[]): boolean {
  return ['async', 'replay'].every((name) => given.some(({ urn }) => urn === extensionUrn(name)))
}

/** What a service with a store has for work that outlives a call. */
export interface Background {
  readonly jobs: JobQueue
  readonly outgoing: Outgoing
  /** Begins to send what an earlier process left to be sent. */
  readonly start: () => void
  readonly close: () => Promise<void>
}

/** Creates the job queue of a service and the sender of its callbacks; nothing runs before it starts or is used. */
function createBackground(options: {
  readonly store: Store
  /** Its owner closes it; made for the store, and closed with the service, when absent. */
  readonly jobs?: JobQueue
  readonly callbacks?: CallbackOptions
  readonly service: string
  readonly clock: Clock
  readonly log: Logger
}): Background {
  const { store, callbacks, service, clock, log } = options
  const jobs = options.jobs ?? createJobQueue(store, { clock, log })
  const outgoing = createOutgoing({ ...callbacks, store, jobs, service, clock, log })
  return {
    jobs,
    outgoing,
    start: outgoing.start,
    async close() {
      if (options.jobs === undefined) await jobs.close()
    },
  }
}
