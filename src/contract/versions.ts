import {
  type Deprecated,
  EVERYTHING,
  type FunctionEntry,
  isDiscoverable,
  isVisible,
  type Service,
  type Stability,
  type Target,
  toToolName,
  type View,
} from '../core/index.ts'
import { MAX_TOOL_NAME } from '../values/index.ts'

/** One version of a function, as a list of versions shows it. */
export interface ContractVersion {
  readonly version: string
  readonly stability: Stability
  readonly deprecated?: Deprecated
  /** True for the version that a call without version reaches. */
  readonly isDefault: boolean
}

/** Picks what a function is to those who name no version: what such a call reaches, or the newest there is. */
export function selectDefault({ latest, ordered }: FunctionEntry): Target | undefined {
  const target = latest ?? ordered.findLast(({ stability }) => stability !== 'removed')
  return target !== undefined && isDiscoverable(target) ? target : undefined
}

/** Lists the versions of a function that a view shows, oldest first. */
export function listVersions(
  { registry }: Service,
  name: string,
  view: View = EVERYTHING,
): readonly ContractVersion[] {
  const entry = registry.find(name)
  const shown = (entry?.ordered ?? []).filter((target) => isVisible(target, view))
  return shown.map((target) => ({
    version: target.version,
    stability: target.stability,
    ...(target.definition.deprecated && { deprecated: target.definition.deprecated }),
    isDefault: target === entry?.latest,
  }))
}

/** Names a version of a function: plainly when that is what the plain name reaches. */
export function toVersionedName(service: Service, { name, version }: Target): string {
  return isLatest(service, name, version) ? name : `${name}@${version}`
}

/** Splits `orders.get@1.0.0`; a name without version is the whole. */
export function parseVersionedName(text: string): {
  readonly name: string
  readonly version: string | undefined
} {
  const at = text.lastIndexOf('@')
  return at <= 0
    ? { name: text, version: undefined }
    : { name: text.slice(0, at), version: text.slice(at + 1) }
}

/** Names a version for agents; the name never changes while the same version is the one that is reached plainly. */
export function toVersionedToolName(service: Service, { name, version }: Target): string {
  const tool = toToolName(name)
  return isLatest(service, name, version) ? tool : toPinnedToolName(tool, name, version)
}

/** Names exactly one version for agents, whatever other versions there are; `tool` is the name of the plain one. */
export function toPinnedToolName(tool: string, name: string, version: string): string {
  const pinned = `${tool}_v${version.replace(/[^0-9A-Za-z]+/g, '_')}`
  return pinned.length <= MAX_TOOL_NAME ? pinned : toToolName(`${name}@${version}`)
}

function isLatest({ registry }: Service, name: string, version: string): boolean {
  return registry.find(name)?.latest?.version === version
}
