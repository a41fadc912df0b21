import { isRecord } from '../core/json.ts'

/** An entry of a list whose members have names: tool, field or trigger. */
export interface NamedEntry {
  readonly name: string
  readonly [key: string]: unknown
}

/** The same entry on all three sides; undefined is absence. */
export interface AlignedEntry {
  readonly base: NamedEntry | undefined
  readonly edited: NamedEntry | undefined
  readonly incoming: NamedEntry | undefined
  /** Index in the edited list. */
  readonly index: number | undefined
}

/** Tells whether a value is a list of entries with names. */
export function isNamedList(value: unknown): value is NamedEntry[] {
  return (
    Array.isArray(value) &&
    value.every((entry) => isRecord(entry) && typeof entry['name'] === 'string')
  )
}

/**
 * Lines up three lists by name, in the order of the edited one with new entries after their
 * predecessor. A tool that got another name is still the same when method and path say so.
 */
export function alignByName(
  base: readonly NamedEntry[],
  edited: readonly NamedEntry[],
  incoming: readonly NamedEntry[],
): AlignedEntry[] {
  const inEdited = matchTo(base, edited)
  const inIncoming = matchTo(base, incoming)
  const baseOf = (match: ReadonlyMap<NamedEntry, NamedEntry>): Map<NamedEntry, NamedEntry> =>
    new Map(Array.from(match, ([from, to]) => [to, from]))
  const editedToBase = baseOf(inEdited)
  const incomingToBase = baseOf(inIncoming)
  const used = new Set<NamedEntry>()
  const freshByName = new Map(
    incoming
      .filter((entry) => !incomingToBase.has(entry))
      .map((entry) => [identityOf(entry), entry]),
  )
  const rows: AlignedEntry[] = edited.map((entry, index) => {
    const origin = editedToBase.get(entry)
    const partner =
      origin === undefined ? freshByName.get(identityOf(entry)) : inIncoming.get(origin)
    if (partner) used.add(partner)
    return { base: origin, edited: entry, incoming: partner, index }
  })
  let position = 0
  for (const entry of incoming) {
    const at = rows.findIndex((row) => row.incoming === entry)
    if (at >= 0) {
      position = at + 1
      continue
    }
    const origin = incomingToBase.get(entry)
    rows.splice(position, 0, { base: origin, edited: undefined, incoming: entry, index: undefined })
    position += 1
  }
  return rows
}

/** Finds the partner of each base entry: by name, else by method and path when that is unique. */
function matchTo(
  base: readonly NamedEntry[],
  other: readonly NamedEntry[],
): Map<NamedEntry, NamedEntry> {
  const matches = new Map<NamedEntry, NamedEntry>()
  const byName = new Map(other.map((entry) => [identityOf(entry), entry]))
  for (const entry of base) {
    const partner = byName.get(identityOf(entry))
    if (partner) matches.set(entry, partner)
  }
  const taken = new Set(matches.values())
  for (const entry of base) {
    if (matches.has(entry) || requestOf(entry) === undefined) continue
    const candidates = other.filter(
      (candidate) => !taken.has(candidate) && requestOf(candidate) === requestOf(entry),
    )
    const [only, second] = candidates
    if (only === undefined || second !== undefined) continue
    matches.set(entry, only)
    taken.add(only)
  }
  return matches
}

/** Parameters of one name may travel in two places. */
function identityOf(entry: NamedEntry): string {
  return `${typeof entry['in'] === 'string' ? entry['in'] : ''}\n${entry.name}`
}

function requestOf(entry: NamedEntry): string | undefined {
  const { method, path } = entry
  return typeof method === 'string' && typeof path === 'string' ? `${method} ${path}` : undefined
}
