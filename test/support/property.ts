import fc from 'fast-check'
import { toText } from '../../src/values/json.ts'

// The same cases in each run of `npm test`: a red build is then about the change. `npm run test:fuzz` tries new ones.
const seed = Number(process.env['WAYMARK_SEED'] ?? 1)
fc.configureGlobal({ seed })

/** JSON that breaks code which takes a foreign object for an ordinary one. */
const HOSTILE_TEXTS = [
  '{"toString":null}',
  '{"toString":1,"valueOf":1}',
  '{"toJSON":1}',
  '{"__proto__":{"a":1}}',
  '{"constructor":null,"hasOwnProperty":0}',
  '{"then":1}',
  '{"length":-1}',
  '[{"toString":null}]',
]

/** An object for which `String`, `Number` and templates throw. */
export const TEXTLESS = { toString: null, valueOf: null }

/** A JSON value, often one that is hostile. */
export function hostileJson(constraints: fc.JsonSharedConstraints = {}): fc.Arbitrary<unknown> {
  const hostile = fc.constantFrom(...HOSTILE_TEXTS).map((text): unknown => JSON.parse(text))
  return fc.oneof({ weight: 4, arbitrary: fc.jsonValue(constraints) }, hostile)
}

/** Gives a copy for each value below a document, with that value replaced. */
export function replaceEach(value: unknown, replacement: unknown): unknown[] {
  return listPlaces(value).map((at) => replaceAt(value, parsePlace(at), replacement))
}

const TEXTLESS_NAME = 'an object without a text'

/** What stands, one at a time, at each place of a document that is read. */
const HOSTILE_VALUES: Readonly<Record<string, unknown>> = {
  [TEXTLESS_NAME]: TEXTLESS,
  null: null,
  'an empty list': [],
  'an empty object': {},
  'a negative number': -1,
  'a huge number': 1e308,
  'an empty text': '',
  'a long text': 'x'.repeat(100_000),
  'a prototype': JSON.parse('{"__proto__":{"polluted":true},"constructor":{"prototype":null}}'),
  'a thenable': JSON.parse('{"then":1}'),
  'a toJSON': { toJSON: 1 },
  'a length': { length: -1 },
  'a list of objects without a text': [TEXTLESS],
  'a name of the prototype': '__proto__',
  'a name all objects have': 'constructor',
}

/** A document with one value replaced. */
export interface HostileCase {
  /** Where what stands, such as `/paths: null`. */
  readonly title: string
  /** Where it stands, as a JSON Pointer. */
  readonly at: string
  readonly document: unknown
}

/**
 * Gives copies of a document in which one value is hostile: at each place an object without a text and, in turn, some
 * of the others. Another seed begins elsewhere, so that `npm run test:fuzz` comes to all of them.
 */
export function* hostileCases(document: unknown, others = 1): Generator<HostileCase> {
  const names = Object.keys(HOSTILE_VALUES)
  const places = listPlaces(document)
  for (const [index, at] of places.entries()) {
    const chosen = Array.from({ length: others }, (_, step) => seed + index + step)
    const further = chosen.flatMap((turn) => names[turn % names.length] ?? [])
    for (const name of new Set([TEXTLESS_NAME, ...further])) yield toCase(document, at, name)
  }
}

/** Tries each case and lists those that failed, did not end or changed the prototype of all objects. */
export async function findFaults(
  cases: Iterable<HostileCase>,
  attempt: (document: unknown, hostile: HostileCase) => unknown,
): Promise<string[]> {
  const faults: string[] = []
  for (const hostile of cases) {
    const fault = await findFault(hostile, attempt)
    if (fault !== undefined) faults.push(`${hostile.title}: ${fault}`)
  }
  return faults
}

async function findFault(
  hostile: HostileCase,
  attempt: (document: unknown, hostile: HostileCase) => unknown,
): Promise<string | undefined> {
  const before = Reflect.ownKeys(Object.prototype).length
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<string>((resolve) => {
    timer = setTimeout(() => resolve('it did not end'), 10_000)
  })
  try {
    const ended = Promise.resolve(attempt(hostile.document, hostile)).then(() => undefined)
    const fault = await Promise.race([ended, late])
    const polluted = Reflect.ownKeys(Object.prototype).length !== before
    return polluted ? 'it changed Object.prototype' : fault
  } catch (thrown) {
    const stack = thrown instanceof Error ? thrown.stack : undefined
    return stack?.split('\n').slice(0, 4).join(' ') ?? toText(thrown)
  } finally {
    clearTimeout(timer)
  }
}

function toCase(document: unknown, at: string, name: string): HostileCase {
  const changed = replaceAt(document, parsePlace(at), HOSTILE_VALUES[name])
  return { title: `${at}: ${name}`, at, document: changed }
}

function parsePlace(at: string): string[] {
  return at
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
}

function replaceAt(value: unknown, [step, ...rest]: readonly string[], changed: unknown): unknown {
  if (step === undefined) return changed
  if (Array.isArray(value)) {
    return value.with(Number(step), replaceAt(value[Number(step)], rest, changed))
  }
  const record = value as Readonly<Record<string, unknown>>
  return { ...record, [step]: replaceAt(record[step], rest, changed) }
}

/** Lists the places below a value as JSON Pointers. */
function listPlaces(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) return []
  return Object.entries(value).flatMap(([key, member]) => {
    const step = `/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`
    return ['', ...listPlaces(member)].map((inner) => `${step}${inner}`)
  })
}

export { fc }
