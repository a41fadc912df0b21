import type { UnknownArguments } from '../schema/index.ts'
import { checkDefinition } from './check-definition.ts'
import type { Components } from './description.ts'
import type { FunctionDefinition } from './function.ts'
import type { FunctionHealth } from './health.ts'
import { type PresetExclusions, type Target, type TargetShape, toTargetShape } from './target.ts'
import { compareVersions, isPrerelease } from './version.ts'

/** All versions of one function. */
export interface FunctionEntry {
  readonly name: string
  readonly versions: ReadonlyMap<string, Target>
  /** Ascending. */
  readonly ordered: readonly Target[]
  /** What a call without version reaches: the highest version that is stable. */
  readonly latest: Target | undefined
  /** What describe suggests: the best there is that was not removed; undefined when all were. */
  readonly recommended: Target | undefined
}

/** The functions of a service, by name and version. */
export interface Registry {
  readonly find: (name: string) => FunctionEntry | undefined
  readonly entries: () => IterableIterator<FunctionEntry>
  /** Adds a function; throws a TypeError naming function and field when the definition is wrong. */
  readonly add: (definition: FunctionDefinition, options?: { readonly system?: boolean }) => Target
  /** Takes a version, or all versions, of a function away; tells whether there was one. */
  readonly remove: (name: string, version?: string) => boolean
  readonly health: (name: string) => FunctionHealth
  /** Switches a function on, off or to maintenance while the service runs. */
  readonly setHealth: (name: string, health: FunctionHealth) => void
  /** Calls back whenever functions come, go or change state; returns what stops it. */
  readonly onChange: (listener: () => void) => () => void
  /** Every scope that some function requires. */
  readonly scopes: () => ReadonlySet<string>
  /** Counts changes, so that prepared descriptions know when they are old. */
  readonly revision: () => number
}

/** What a registry needs to make its functions callable. */
export interface RegistryOptions {
  readonly components: Components
  readonly validateResults: boolean
  readonly unknownArguments: UnknownArguments
  readonly exclusions: PresetExclusions
  /** Completes a function with what only the service knows. */
  readonly bind: (shape: TargetShape, health: () => FunctionHealth) => Target
}

const HEALTHY: FunctionHealth = { status: 'healthy' }

/** Creates an empty registry. */
export function createRegistry(options: RegistryOptions): Registry {
  const entries = new Map<string, FunctionEntry>()
  const states = new Map<string, FunctionHealth>()
  const listeners = new Set<() => void>()
  let revision = 0
  let scopes: ReadonlySet<string> | undefined

  function changed(): void {
    revision += 1
    scopes = undefined
    for (const listener of listeners) listener()
  }

  function replaceVersions(name: string, versions: ReadonlyMap<string, Target>): void {
    if (versions.size === 0) entries.delete(name)
    else entries.set(name, toEntry(name, versions))
    changed()
  }

  return {
    find: (name) => entries.get(name),
    entries: () => entries.values(),
    add(definition, { system = false } = {}) {
      const { name, version } = definition
      const shape = checkDefinition(definition, { ...options, system }, () =>
        toTargetShape(definition, options.components, {
          system,
          validateResults: options.validateResults,
          exclusions: options.exclusions,
          ...(!system && { unknownArguments: options.unknownArguments }),
        }),
      )
      const versions = entries.get(name)?.versions
      if (versions?.has(version)) {
        throw new TypeError(`function ${name}: version ${version} is defined twice`)
      }
      const target = options.bind(shape, () => states.get(name) ?? HEALTHY)
      if (definition.health !== undefined) states.set(name, definition.health)
      replaceVersions(name, new Map([...(versions ?? []), [version, target]]))
      return target
    },
    remove(name, version) {
      const versions = new Map(entries.get(name)?.versions)
      const before = versions.size
      if (version === undefined) versions.clear()
      else versions.delete(version)
      if (versions.size === before) return false
      replaceVersions(name, versions)
      return true
    },
    health: (name) => states.get(name) ?? HEALTHY,
    setHealth(name, health) {
      if (!entries.has(name)) throw new TypeError(`function ${name} is not registered`)
      states.set(name, health)
      changed()
    },
    onChange(listener) {
      listeners.add(listener)
      return () => listeners.delete(listener)
    },
    scopes() {
      scopes ??= collectScopes(entries.values())
      return scopes
    },
    revision: () => revision,
  }
}

function collectScopes(entries: Iterable<FunctionEntry>): ReadonlySet<string> {
  const scopes = new Set<string>()
  for (const { ordered } of entries) {
    for (const target of ordered) for (const scope of target.scopes) scopes.add(scope)
  }
  return scopes
}

function toEntry(name: string, versions: ReadonlyMap<string, Target>): FunctionEntry {
  const ordered = [...versions.values()].sort((left, right) =>
    compareVersions(left.version, right.version),
  )
  const stable = ordered.filter(
    ({ version, stability }) => stability === 'stable' && !isPrerelease(version),
  )
  const isCurrent = ({ definition }: Target) => !definition.deprecated
  const left = ordered.filter(({ stability }) => stability !== 'removed')
  return {
    name,
    versions,
    ordered,
    latest: stable.at(-1),
    recommended:
      stable.findLast(isCurrent) ?? stable.at(-1) ?? left.findLast(isCurrent) ?? left.at(-1),
  }
}
