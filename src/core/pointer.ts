/** Writes path segments as an RFC 6901 JSON Pointer. */
export function formatPointer(segments: readonly string[]): string {
  return segments.map((segment) => `/${escapeSegment(segment)}`).join('')
}

/** Reads an RFC 6901 JSON Pointer into its segments; undefined when it is none. */
export function parsePointer(pointer: string): readonly string[] | undefined {
  if (pointer === '') return []
  if (!pointer.startsWith('/')) return undefined
  return pointer.slice(1).split('/').map(unescapeSegment)
}

/** Follows a JSON Pointer through own members only; undefined when it leads nowhere. */
export function resolvePointer(document: unknown, pointer: string): unknown {
  const segments = parsePointer(pointer)
  if (segments === undefined) return undefined
  return segments.reduce<unknown>(
    (value, segment) =>
      typeof value === 'object' && value !== null && Object.hasOwn(value, segment)
        ? (value as Record<string, unknown>)[segment]
        : undefined,
    document,
  )
}

/** Cuts a pointer to what stands above its first segment beyond reason: names come from outside. */
export function shortenPointer(pointer: string): string {
  if (pointer.length <= LONGEST_POINTER) return pointer
  return pointer.slice(0, pointer.slice(0, LONGEST_POINTER).lastIndexOf('/'))
}

const LONGEST_POINTER = 1000

function escapeSegment(segment: string): string {
  return segment.replaceAll('~', '~0').replaceAll('/', '~1')
}

function unescapeSegment(segment: string): string {
  return segment.replaceAll('~1', '/').replaceAll('~0', '~')
}
