/** Tells whether arguments hold a file. */
export function hasFiles(value: unknown, depth = 20): boolean {
  if (value instanceof Blob) return true
  if (typeof value !== 'object' || value === null || depth === 0) return false
  for (const name in value) {
    if (hasFiles((value as Readonly<Record<string, unknown>>)[name], depth - 1)) return true
  }
  return false
}
