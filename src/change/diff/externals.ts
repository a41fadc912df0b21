import { resolveLocation } from '../../schema/index.ts'
import {
  type ExternalFailure,
  type ReadExternalsOptions,
  readExternals,
} from '../../sources/openapi/index.ts'
import type { Externals } from './bundle.ts'
import { findUnreadReferences } from './model.ts'

/** The other documents of a description, with those that could not be read. */
export interface LoadedExternals extends Externals {
  readonly failures: readonly ExternalFailure[]
}

/** Reads the documents that a description at `url` refers to, and those that they refer to. */
export async function loadExternals(
  document: unknown,
  url: string,
  options: ReadExternalsOptions,
): Promise<LoadedExternals> {
  const look = (externals: ReadonlyMap<string, unknown>) => {
    const all = [[url, document] as const, ...externals]
    const named = all.flatMap(([home, one]) =>
      [...findUnreadReferences(one).keys()].map((place) => resolveLocation(place, home)),
    )
    return {
      wanted: [...new Set(named)].filter((address) => address !== url && !externals.has(address)),
    }
  }
  const { externals, failures } = await readExternals(look, options)
  return { url, documents: externals, failures }
}
