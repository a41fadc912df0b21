import {
  type ComponentKind,
  type Components,
  type ContentDescriptor,
  type ErrorDefinition,
  type Example,
  type ExamplePairing,
  type Link,
  type Reference,
  resolveReference,
} from '../core/index.ts'
import type { JsonSchema } from '../schema/index.ts'
import { groupBy, type JsonObject } from '../values/index.ts'
import type { DiscoveryDocument, FunctionObject } from './decode.ts'

/** A service as its documentation shows it: everything resolved, grouped and in a fixed order. */
export interface SiteModel {
  readonly document: DiscoveryDocument
  readonly groups: readonly SiteGroup[]
  readonly functions: readonly SiteFunction[]
  /** Declared errors by code, with the functions that answer them. */
  readonly errors: readonly {
    readonly error: ErrorDefinition
    readonly functions: readonly SiteFunction[]
  }[]
  readonly schemas: readonly (readonly [string, JsonSchema])[]
}

/** Functions that share the first part of their names. */
export interface SiteGroup<Entry = SiteFunction> {
  readonly name: string
  readonly functions: readonly Entry[]
}

/** One function with all its versions; the newest speaks for it. */
export interface SiteFunction {
  readonly name: string
  /** File name of its page. */
  readonly page: string
  readonly latest: SiteVersion
  /** Newest first. */
  readonly versions: readonly SiteVersion[]
}

/** One version of a function, resolved. */
export interface SiteVersion {
  readonly object: FunctionObject
  readonly arguments: readonly ContentDescriptor[]
  readonly result: ContentDescriptor | undefined
  readonly errors: readonly ErrorDefinition[]
  readonly examples: readonly SiteExample[]
  readonly links: readonly Link[]
}

/** An example with its arguments as an object. */
export interface SiteExample {
  readonly name: string
  readonly text: string | undefined
  readonly arguments: JsonObject
  readonly result: unknown
  readonly hasResult: boolean
}

/** Arranges a discovery document for its documentation. */
export function toSiteModel(document: DiscoveryDocument): SiteModel {
  const functions = groupVersions(document)
  return {
    document,
    functions,
    groups: groupByPrefix(functions),
    errors: collectErrors(functions),
    schemas: Object.entries(document.components?.schemas ?? {}).sort(byFirst),
  }
}

function groupVersions(document: DiscoveryDocument): readonly SiteFunction[] {
  const pages = new Set<string>(['index.html', 'errors.html', 'schemas.html'])
  return listFunctions(document).map(({ name, latest, versions }) => {
    const all = new Map(versions.map((object) => [object, toVersion(object, document)]))
    return {
      name,
      page: toPage(name, pages),
      latest: all.get(latest) ?? toVersion(latest, document),
      versions: [...all.values()],
    }
  })
}

/** Lists functions by name, the newest version of each first; a stable one speaks for it. */
export function listFunctions({ functions }: DiscoveryDocument): readonly {
  readonly name: string
  readonly latest: FunctionObject
  readonly versions: readonly FunctionObject[]
}[] {
  const byName = groupBy(functions, ({ name }) => name)
  return [...byName].sort(byFirst).flatMap(([name, listed]) => {
    // The document lists versions oldest first.
    const versions = listed.toReversed()
    const latest = versions.find(({ stability }) => stability === 'stable') ?? versions[0]
    return latest === undefined ? [] : [{ name, latest, versions }]
  })
}

/** Names that differ only in what a file name cannot hold get a number. */
function toPage(name: string, taken: Set<string>): string {
  const base =
    name
      .replace(/[^A-Za-z0-9._-]+/g, '-')
      .replace(/^\.+/, '')
      .slice(0, 120) || 'function'
  let page = `${base}.html`
  for (let count = 2; taken.has(page.toLowerCase()); count += 1) page = `${base}-${count}.html`
  taken.add(page.toLowerCase())
  return page
}

function toVersion(object: FunctionObject, { components = {} }: DiscoveryDocument): SiteVersion {
  const resolve = <Component>(
    kind: ComponentKind,
    values: readonly (Component | Reference)[] = [],
  ): Component[] =>
    values.flatMap((value) => resolveReference<Component>(value, components, kind) ?? [])
  const descriptors = resolve('contentDescriptors', object.arguments)
  const pairings = resolve('examplePairings', object.examples)
  return {
    object,
    arguments: descriptors,
    result: object.result && resolveReference(object.result, components, 'contentDescriptors'),
    errors: resolve('errors', object.errors),
    examples: pairings.map((pairing) => toExample(pairing, descriptors, components)),
    links: resolve('links', object.links),
  }
}

/** Params of an example stand in the order of the function's arguments. */
function toExample(
  pairing: ExamplePairing,
  descriptors: readonly ContentDescriptor[],
  components: Components,
): SiteExample {
  const values = pairing.params.map(
    (value) => resolveReference<Example>(value, components, 'examples')?.value,
  )
  const result = pairing.result && resolveReference<Example>(pairing.result, components, 'examples')
  const named = descriptors.flatMap(({ name }, index) =>
    values[index] === undefined ? [] : [[name, values[index]] as const],
  )
  return {
    name: pairing.name,
    text: pairing.description ?? pairing.summary,
    arguments: Object.fromEntries(named) as JsonObject,
    result: result?.value,
    hasResult: result !== undefined && 'value' in result,
  }
}

/** Groups functions by the first part of their names. */
export function groupByPrefix<Entry extends { readonly name: string }>(
  functions: readonly Entry[],
): readonly SiteGroup<Entry>[] {
  const groups = groupBy(functions, ({ name }) =>
    /^urn:/.test(name) ? 'urn' : (name.split(/[./]/, 1)[0] ?? name),
  )
  return [...groups].map(([name, members]) => ({ name, functions: members }))
}

function collectErrors(functions: readonly SiteFunction[]): SiteModel['errors'] {
  const all = functions.flatMap((entry) => entry.latest.errors.map((error) => ({ entry, error })))
  return [...groupBy(all, ({ error }) => error.code)]
    .sort(byFirst)
    .flatMap(([, same]) =>
      same.slice(0, 1).map(({ error }) => ({ error, functions: same.map(({ entry }) => entry) })),
    )
}

function byFirst(left: readonly [string, unknown], right: readonly [string, unknown]): number {
  return left[0] < right[0] ? -1 : 1
}
