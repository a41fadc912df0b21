import type { DiscoveryDocument } from '../../discovery/index.ts'
import type { ToolSpec } from '../../sources/tool-spec/index.ts'
import { defined } from '../../values/index.ts'
import { bundle, type Externals, toPlace } from './bundle.ts'
import { compareServices } from './compare.ts'
import {
  type Change,
  type DescribedService,
  type DiffReport,
  findUnreadReferences,
} from './model.ts'
import { readDiscovery } from './read-discovery.ts'
import { readOpenApi } from './read-openapi.ts'
import { readToolSpec } from './read-tool-spec.ts'

/** A description to compare: parsed, and told apart by its kind. */
export type DiffSource =
  | {
      readonly kind: 'discovery'
      readonly document: DiscoveryDocument
      readonly externals?: Externals
    }
  | {
      readonly kind: 'openapi'
      readonly document: Readonly<Record<string, unknown>>
      /** Other documents it refers to, as `loadExternals` reads them. */
      readonly externals?: Externals
    }
  | { readonly kind: 'tool-spec'; readonly spec: ToolSpec }

/** How two descriptions are compared. */
export interface DiffOptions {
  /** Only changes of the function with this name. */
  readonly function?: string
}

/** Compares two descriptions and classifies every difference; throws a TypeError when their kinds differ. */
export function diffDescriptions(
  old: DiffSource,
  now: DiffSource,
  options: DiffOptions = {},
): DiffReport {
  if (old.kind !== now.kind) {
    throw new TypeError(`a ${old.kind} cannot be compared with a ${now.kind}`)
  }
  // What only one side could read would differ in everything.
  const withheld = new Set([...listUnread(old), ...listUnread(now)])
  const report = compareServices(
    read(withExternals(old, withheld), options),
    read(withExternals(now, withheld), options),
  )
  return { ...report, changes: report.changes.map(toOwnPlaces) }
}

function listUnread(source: DiffSource): Iterable<string> {
  const described = withExternals(source)
  return described.kind === 'tool-spec' ? [] : findUnreadReferences(described.document).keys()
}

function withExternals(source: DiffSource, withheld?: ReadonlySet<string>): DiffSource {
  if (source.kind === 'tool-spec') return source
  return { ...source, document: bundle(source.document, source.externals, withheld) } as DiffSource
}

function toOwnPlaces({ oldPointer, newPointer, ...change }: Change): Change {
  const place = (pointer?: string) => pointer && toPlace(pointer)
  return { ...change, ...defined({ oldPointer: place(oldPointer), newPointer: place(newPointer) }) }
}

function read(source: DiffSource, { function: name }: DiffOptions): DescribedService {
  const service = readSource(source)
  if (name === undefined) return service
  const functions = service.functions.filter((entry) => entry.name === name)
  return { ...service, functions, facets: new Map() }
}

function readSource(source: DiffSource): DescribedService {
  if (source.kind === 'discovery') return readDiscovery(source.document)
  return source.kind === 'openapi' ? readOpenApi(source.document) : readToolSpec(source.spec)
}

/** Lists the functions of a description by name, each once. */
export function listFunctionNames(source: DiffSource): readonly string[] {
  return [...new Set(readSource(withExternals(source)).functions.map(({ name }) => name))]
}
