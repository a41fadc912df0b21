import {
  type ComponentKind,
  type Components,
  type ContentDescriptor,
  compareVersions,
  type ErrorDefinition,
  type Example,
  type ExamplePairing,
  isPrerelease,
  isVersion,
  type Link,
  type QueryCapabilities,
  resolveReference,
} from '../../core/index.ts'
import type { DiscoveryDocument, FunctionObject } from '../../discovery/index.ts'
import { addressOf, referenceLabel } from '../../schema/index.ts'
import { asList, canonicalUrn, extensionUrn, isRecord } from '../../values/index.ts'
import { toMemberName } from './names.ts'

/** A function of a document with everything it refers to resolved. */
export interface FunctionModel {
  readonly name: string
  readonly version: string
  /** The one used when a call names no version. */
  readonly isMain: boolean
  readonly source: FunctionObject
  /** Undefined when the document says nothing about arguments. */
  readonly arguments: readonly ContentDescriptor[] | undefined
  readonly result: ContentDescriptor | undefined
  readonly errors: readonly ErrorDefinition[]
  readonly links: readonly LinkModel[]
  /** Arguments of example calls, by position. */
  readonly examples: readonly (readonly Example[])[]
  readonly query: QueryCapabilities | undefined
  /** True when the document says that it changes nothing. */
  readonly readOnly: boolean
  readonly streams: boolean
  readonly isAsync: boolean
}

/** A link with the member name it gets. */
export interface LinkModel {
  readonly wished: string
  readonly link: Link & { readonly function: string }
}

/** All versions of one function, newest first; the first is the main one. */
export interface FunctionGroup {
  readonly name: string
  readonly versions: readonly [FunctionModel, ...FunctionModel[]]
}

/** Groups the functions of a document by name, in an order that does not depend on that of the document. */
export function groupFunctions(document: DiscoveryDocument): readonly FunctionGroup[] {
  const components = document.components ?? {}
  const byName = new Map<string, Map<string, FunctionObject>>()
  for (const source of document.functions) {
    const versions = byName.get(source.name) ?? new Map<string, FunctionObject>()
    if (!versions.has(source.version)) versions.set(source.version, source)
    byName.set(source.name, versions)
  }
  return [...byName]
    .sort(([left], [right]) => compareText(left, right))
    .flatMap(([name, versions]) => {
      const [first, ...others] = [...versions.values()].sort(compareFunctions)
      if (first === undefined) return []
      const toEntry = (source: FunctionObject, isMain: boolean): FunctionModel =>
        toModel(source, { components, isMain })
      const rest = others.map((source) => toEntry(source, false))
      return [{ name, versions: [toEntry(first, true), ...rest] }]
    })
}

/** Orders texts by their characters, the same on every machine. */
export function compareText(left: string, right: string): number {
  return left === right ? 0 : left < right ? -1 : 1
}

/** A stable version is meant before a prerelease, a current one before a deprecated one, then the newest. */
function compareFunctions(left: FunctionObject, right: FunctionObject): number {
  return (
    Number(isUnsettled(left)) - Number(isUnsettled(right)) ||
    compareVersionText(right.version, left.version)
  )
}

function isUnsettled({ version }: FunctionObject): boolean {
  return isVersion(version) && isPrerelease(version)
}

function compareVersionText(left: string, right: string): number {
  const order = isVersion(left) && isVersion(right) ? compareVersions(left, right) : 0
  return order === 0 ? compareText(left, right) : order
}

interface Surroundings {
  readonly components: Components
  readonly isMain: boolean
}

function toModel(source: FunctionObject, { components, isMain }: Surroundings): FunctionModel {
  const resolve = <Component>(kind: ComponentKind, values: unknown): readonly Component[] =>
    asList(values).flatMap((value) => {
      const found = resolveReference(value, components, kind)
      return isRecord(found) ? [found as Component] : []
    })
  const described = resolve<ContentDescriptor>('contentDescriptors', source.arguments)
  const [result] = resolve<ContentDescriptor>('contentDescriptors', [source.result])
  const has = (urn: string): boolean =>
    asList(source.extensions).some(
      (entry) =>
        isRecord(entry) && typeof entry['urn'] === 'string' && canonicalUrn(entry['urn']) === urn,
    )
  return {
    name: source.name,
    version: source.version,
    isMain,
    source,
    arguments:
      source.arguments === undefined
        ? undefined
        : described.filter(({ name }) => typeof name === 'string'),
    result,
    errors: uniqueCodes(resolve<ErrorDefinition>('errors', source.errors)),
    links: asList(source.links).flatMap((link) => toLinks(link, components)),
    examples: resolve<ExamplePairing>('examplePairings', source.examples).map(({ params }) =>
      resolve<Example>('examples', params),
    ),
    query: isRecord(source.query) ? source.query : undefined,
    readOnly: Array.isArray(source.sideEffects) && source.sideEffects.length === 0,
    streams: has(extensionUrn('stream')),
    isAsync: has(extensionUrn('async')),
  }
}

function uniqueCodes(errors: readonly ErrorDefinition[]): readonly ErrorDefinition[] {
  const byCode = new Map<string, ErrorDefinition>()
  for (const error of errors) {
    if (typeof error.code === 'string' && !byCode.has(error.code)) byCode.set(error.code, error)
  }
  return [...byCode.values()]
}

function toLinks(value: unknown, components: Components): readonly LinkModel[] {
  const link = resolveReference<unknown>(value, components, 'links')
  if (!isRecord(link) || typeof link['function'] !== 'string') return []
  // A link to another server needs a client of that server; this one must not carry credentials there.
  if (link['server'] !== undefined) return []
  const address = addressOf(value)
  const key = address === undefined ? link['name'] : referenceLabel(address)
  const wished = toMemberName(typeof key === 'string' ? key : link['function'])
  return [{ wished, link: link as unknown as LinkModel['link'] }]
}
