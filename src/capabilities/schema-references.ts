import { isRecord } from '../core/json.ts'
import { resolvePointer } from '../core/pointer.ts'

// A response schema that nests deeper than this is not a list of alternatives any more.
const MAX_DEPTH = 32

/** Follows a local reference (`#/…`) through a document; undefined for any other reference. */
function resolveLocal(document: unknown, reference: string): unknown {
  if (!reference.startsWith('#/')) return undefined
  return resolvePointer(document, decodeFragment(reference.slice(1)))
}

/** Gives a value, or what it points at when it is a local reference; undefined for an external one. */
export function dereference(document: unknown, value: unknown): unknown {
  let current = value
  for (let depth = 0; depth < MAX_DEPTH; depth += 1) {
    if (!isRecord(current) || typeof current['$ref'] !== 'string') return current
    current = resolveLocal(document, current['$ref'])
  }
  return undefined
}

/** Collects the addresses of the schema files that a schema stands for, without fragments. */
export function collectSchemaFiles(
  schema: unknown,
  document: unknown,
  base: string,
): ReadonlySet<string> {
  const files = new Set<string>()
  const seen = new Set<unknown>()
  const visit = (value: unknown, depth: number): void => {
    if (!isRecord(value) || depth > MAX_DEPTH || seen.has(value)) return
    seen.add(value)
    const reference = value['$ref']
    if (typeof reference === 'string') {
      if (reference.startsWith('#')) visit(resolveLocal(document, reference), depth + 1)
      else files.add(toFile(reference, base))
    }
    for (const keyword of ['oneOf', 'anyOf', 'allOf'] as const) {
      const branches = value[keyword]
      if (Array.isArray(branches)) for (const branch of branches) visit(branch, depth + 1)
    }
  }
  visit(schema, 0)
  return files
}

function toFile(reference: string, base: string): string {
  const [file = ''] = reference.split('#', 1)
  if (/^[a-z][a-z0-9+.-]*:/i.test(file)) return file
  return URL.canParse(file, base) ? new URL(file, base).href : file
}

function decodeFragment(fragment: string): string {
  try {
    return decodeURIComponent(fragment)
  } catch {
    return fragment
  }
}
