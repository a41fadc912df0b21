import { isRecord } from '../../values/index.ts'

/** Writes a sensitive text so that its owner recognises it and nobody else learns it. */
export type PartialMask = (text: string) => string

/** What stands for a value nobody may see. */
export const FULL_MASK = '***'

/** The masks for kinds of values, by the names such members usually have. */
export const PARTIAL_MASKS: Readonly<Record<string, PartialMask>> = {
  email: maskEmail,
  phone: (text) => maskDigits(text, '***-***-', 7),
  card_number: (text) => maskDigits(text, '****-****-****-', 12),
  account_number: (text) => maskDigits(text, '****-****-****-', 8),
  ssn: (text) => maskDigits(text, '***-**-', 9),
  tax_id: (text) => maskDigits(text, '***-**-', 9),
  name: maskName,
  first_name: maskName,
  last_name: maskName,
  full_name: maskName,
  cardholder: maskName,
  expiry: () => '**/**',
}

/** Makes names comparable that differ only in how words are joined: `cardNumber`, `card_number`, `card-number`. */
export function normalizeName(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, '')
}

function maskEmail(text: string): string {
  const match = /^([^@\s])[^@\s]*@[^@\s]+(\.[a-z]{2,})$/i.exec(text)
  return match === null ? FULL_MASK : `${match[1]}***@***${match[2]}`
}

/** Shows the last four digits only when that leaves enough of them unknown. */
function maskDigits(text: string, prefix: string, minimum: number): string {
  const digits = text.replaceAll(/\D/g, '')
  return digits.length < minimum ? FULL_MASK : `${prefix}${digits.slice(-4)}`
}

function maskName(text: string): string {
  const words = text.trim().split(/\s+/).filter(Boolean).slice(0, 5)
  if (words.length === 0) return FULL_MASK
  return words.map((word) => `${Array.from(word)[0]}***`).join(' ')
}

/** What to do with what is found, and where to note it. */
interface Redaction {
  readonly mode: 'full' | 'partial'
  /** Gets the paths of what was masked, without positions in lists. */
  readonly found: Set<string>
  /** Where the value stands, for `found`. */
  readonly path: readonly string[]
}

/** Gives a copy of a value with its sensitive members masked; parts without any are shared, nothing is changed. */
export type Redactor = (value: unknown, redaction: Redaction) => unknown

const MAX_DEPTH = 500
const REMEMBERED_NAMES = 5000
const LONGEST_REMEMBERED = 100

/** Where a value stands; spelled out only when something there is masked. */
interface Place {
  readonly name: string
  readonly above: Place | undefined
  readonly depth: number
}

/** Creates a redactor for member names, which count anywhere, and dotted paths, which count from the root. */
export function createRedactor(
  fields: readonly string[],
  masks: Readonly<Record<string, PartialMask>>,
): Redactor {
  const isSensitive = createSensitivity(fields)
  const partial = new Map(
    Object.entries(masks).map(([name, mask]) => [normalizeName(name), mask] as const),
  )

  function redact(value: unknown, redaction: Redaction, place: Place | undefined): unknown {
    if (typeof value !== 'object' || value === null) return value
    const depth = (place?.depth ?? 0) + 1
    if (depth > MAX_DEPTH) throw new TypeError('a result nests too deeply to redact')
    if (Array.isArray(value)) {
      const here = { name: '', above: place, depth }
      return keepIfSame(value, (item) => redact(item, redaction, here))
    }
    if (hasToJson(value))
      return redact(value.toJSON(), redaction, { name: '', above: place, depth })
    return redactMembers(value as Record<string, unknown>, redaction, place)
  }

  function redactMembers(
    value: Record<string, unknown>,
    redaction: Redaction,
    above: Place | undefined,
  ): unknown {
    const depth = (above?.depth ?? 0) + 1
    let changed = false
    const members = Object.entries(value).map(([name, member]) => {
      const place = { name, above, depth }
      const next = isSensitive(place)
        ? mask(place, member, redaction)
        : redact(member, redaction, place)
      changed ||= next !== member
      return [name, next] as const
    })
    return changed ? Object.fromEntries(members) : value
  }

  function mask(place: Place, member: unknown, { mode, found, path }: Redaction): unknown {
    if (member === null || member === undefined) return member
    found.add([...path, ...toSegments(place)].join('.'))
    if (mode === 'full') return FULL_MASK
    const byName = partial.get(normalizeName(place.name))
    const plain = typeof member === 'string' || typeof member === 'number'
    return byName !== undefined && plain ? byName(String(member)) : FULL_MASK
  }

  return (value, redaction) => redact(value, redaction, undefined)
}

function createSensitivity(fields: readonly string[]): (place: Place) => boolean {
  const names = new Set(fields.filter((field) => !isPath(field)).map(normalizeName))
  const paths = new Set(fields.filter(isPath).map(toPath))
  const remembered = new Map<string, boolean>()
  const byName = (name: string): boolean => {
    const known = remembered.get(name)
    if (known !== undefined) return known
    const sensitive = names.has(normalizeName(name))
    // Results hold names that callers made up, as long as they like.
    if (remembered.size < REMEMBERED_NAMES && name.length <= LONGEST_REMEMBERED)
      remembered.set(name, sensitive)
    return sensitive
  }
  return (place) =>
    byName(place.name) || (paths.size > 0 && paths.has(toPath(toSegments(place).join('.'))))
}

/** Creates the test whether members with a name may be masked, wherever they stand. */
export function createNameTest(fields: readonly string[]): (name: string) => boolean {
  const names = new Set(fields.map((field) => toPath(field).split('.').at(-1)))
  return (name) => names.has(normalizeName(name))
}

/** Lists the member names that lead to a place; positions in lists have none. */
function toSegments(place: Place): readonly string[] {
  const segments: string[] = []
  for (let at: Place | undefined = place; at !== undefined; at = at.above) {
    if (at.name !== '') segments.unshift(at.name)
  }
  return segments
}

function keepIfSame(items: readonly unknown[], change: (item: unknown) => unknown): unknown {
  const next = items.map(change)
  return next.some((item, index) => item !== items[index]) ? next : items
}

function isPath(field: string): boolean {
  return /[./]/.test(field)
}

function toPath(field: string): string {
  return field.replace(/^\//, '').replaceAll('/', '.').split('.').map(normalizeName).join('.')
}

/** What JSON.stringify would ask for its own form has to be asked here, or its members would slip through. */
function hasToJson(value: object): value is { toJSON(): unknown } {
  return isRecord(value) && typeof value['toJSON'] === 'function'
}
