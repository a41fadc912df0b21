import type { DiscoveryDocument } from '../discovery/types.ts'
import type { ToolSpec } from '../spec/types.ts'
import type { DiffReport } from './change.ts'
import { compareServices } from './compare.ts'
import type { DescribedService } from './model.ts'
import { readDiscovery } from './read-discovery.ts'
import { readOpenApi } from './read-openapi.ts'
import { readToolSpec } from './read-tool-spec.ts'

/** A description to compare: parsed, and told apart by its kind. */
export type DiffSource =
  | { readonly kind: 'discovery'; readonly document: DiscoveryDocument }
  | { readonly kind: 'openapi'; readonly document: Readonly<Record<string, unknown>> }
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
  return compareServices(read(old, options), read(now, options))
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
  return [...new Set(readSource(source).functions.map(({ name }) => name))]
}
