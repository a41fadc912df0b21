import type { z } from 'zod'
import { didYouMean, isRecord, nearest, toText } from '../../values/index.ts'
import { quote, type SpecPlace } from './finding.ts'
import { FIELD_LISTS, kindAt, knownKeys, seedKeys } from './keys.ts'
import { MAX_NAME_LENGTH } from './schema.ts'
import { TRIGGER_TYPES } from './types.ts'

type Issue = z.core.$ZodIssue

/** Words what the schema found: code, expected, found and a hint, one finding per mistake. */
export function explainIssues(issues: readonly Issue[], root: SpecPlace): void {
  for (const issue of issues) {
    const path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)))
    explainIssue(issue, root.at(...path), root)
  }
}

function explainIssue(issue: Issue, place: SpecPlace, root: SpecPlace): void {
  if (issue.code === 'unrecognized_keys') {
    for (const key of issue.keys) if (!key.startsWith('x-')) sayUnknown(key, place, root)
  } else if (issue.code === 'invalid_type') sayType(issue.expected, place, root)
  else if (issue.code === 'invalid_value') sayChoice(issue.values.map(String), place, root)
  else if (issue.code === 'invalid_union') sayUnion(issue, place, root)
  else {
    // A message that is a code stands for a pattern with a sentence of its own.
    const named = NAMED[issue.message]
    if (named === undefined) place.wrong('E008', issue.message)
    else place.wrong(issue.message, named.expected, named.hint(toText(place.value)))
  }
}

const NAMED: Record<
  string,
  { readonly expected: string; readonly hint: (text: string) => string }
> = {
  E011: {
    expected:
      'must start with a letter and hold at most 32 letters, digits, "-" and "_" (it becomes a file name)',
    hint: (text) =>
      `for example domain: ${
        text
          .replace(/[^A-Za-z0-9]+/g, '_')
          .replace(/^[^A-Za-z]+/, '')
          .slice(0, 32) || 'billing'
      }`,
  },
  E020: {
    expected: `must be snake_case: a small letter, then small letters, digits and "_", at most ${MAX_NAME_LENGTH} characters`,
    hint: (text) => `for example name: ${snake(text)}`,
  },
}

function sayUnknown(key: string, place: SpecPlace, root: SpecPlace): void {
  const kind = kindAt(place, root)
  const known = knownKeys(kind)
  const isTrigger = TRIGGER_TYPES.some((type) => type === kind)
  const owner = isTrigger && TRIGGER_TYPES.find((type) => seedKeys(type).includes(key))
  const hint = owner
    ? `"${key}" belongs to a ${owner} trigger, this is a ${kind} trigger`
    : (didYouMean(key, known) ?? 'remove it, or start it with "x-" to keep it')
  place.at(key).sayKey('E006', `unknown key "${key}"; expected one of ${known.join(', ')}`, hint)
}

function sayType(expected: string, place: SpecPlace, root: SpecPlace): void {
  const { path, value: found } = place
  const key = String(path.at(-1))
  if (found === undefined) sayMissing(WORDS[expected] ?? expected, place, root)
  else if (path.length === 1 && key === 'version') {
    const text = `${toText(found)}${Number.isInteger(found) ? '.0' : ''}`
    const message = `must be a text; found ${quote(found)}, which YAML reads as ${typeof found}`
    place.say('E010', message, `write it in quotes: version: "${text}"`)
  } else if (expected === 'array' && FIELD_LISTS.includes(key) && isRecord(found)) {
    place.wrong('E041', 'must be a list of fields', writeAsList(key, found))
  } else place.wrong('E008', `must be ${WORDS[expected] ?? expected}`, typeHint(expected, found))
}

const WORDS: Record<string, string> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'a mapping',
  record: 'a mapping',
}

function typeHint(expected: string, found: unknown): string | undefined {
  if (expected === 'string' && (typeof found === 'number' || typeof found === 'boolean')) {
    return `write it in quotes: "${String(found)}"`
  }
  if (expected === 'boolean' && typeof found === 'string') {
    return `write ${/^(yes|on|true|1)$/i.test(found) ? 'true' : 'false'} without quotes`
  }
  return undefined
}

function sayMissing(what: string, place: SpecPlace, root: SpecPlace): void {
  const parent = root.at(...place.path.slice(0, -1))
  const key = String(place.path.at(-1))
  const kind = kindAt(parent, root)
  if (TRIGGER_TYPES.some((type) => type === kind) && Object.hasOwn(TRIGGER_HINTS, key)) {
    place.say('E071', `required for a ${kind} trigger but missing`, TRIGGER_HINTS[key])
    return
  }
  // A missing key often stands there under another spelling.
  const known = knownKeys(kind)
  const strangers = Object.keys(parent.value ?? {}).filter((other) => !known.includes(other))
  const [near] = nearest(key, strangers)
  const hint = near === undefined ? `add ${key}: …` : `rename "${near}" to "${key}"`
  place.say('E007', `required but missing; expected ${what}, found nothing`, hint)
}

const TRIGGER_HINTS: Record<string, string> = {
  path: 'add the path to register, for example path: /webhooks/orders/created',
  cron: 'add a five-field cron expression, for example cron: "0 2 * * *"',
  event: 'add the name of the event, for example event: orders.created',
  queue_url: 'add the queue, for example queue_url: "amqp://localhost/orders"',
  watch_path: 'add a directory or glob, for example watch_path: ./inbox/**/*.csv',
}

function writeAsList(key: string, found: Record<string, unknown>): string {
  const lines = Object.entries(found)
    .slice(0, 20)
    .map(([name, entry]) => `  - ${flow({ name, ...fieldOf(entry) })}`)
  return ['write it as a list:', `${key}:`, ...lines].join('\n')
}

function fieldOf(entry: unknown): Record<string, unknown> {
  const given = isRecord(entry) ? entry : { type: typeof entry === 'string' ? entry : 'string' }
  const { type, required, description } = given
  return { type, ...(required !== undefined && { required }), description: description ?? '…' }
}

function flow(value: Record<string, unknown>): string {
  const pairs = Object.entries(value).map(([key, entry]) => {
    const plain = typeof entry === 'string' && /^[\w…][\w …]*$/.test(entry)
    return `${key}: ${plain ? entry : JSON.stringify(entry)}`
  })
  return `{ ${pairs.join(', ')} }`
}

function sayChoice(members: readonly string[], place: SpecPlace, root: SpecPlace): void {
  const { path, value: found } = place
  const list = members.join(', ')
  if (found === undefined) {
    sayMissing(`one of ${list}`, place, root)
    return
  }
  const isFieldType =
    path.at(-1) === 'type' && kindAt(root.at(...path.slice(0, -1)), root) === 'field'
  const code = path.at(-2) === 'events' ? 'E076' : isFieldType ? 'E042' : 'E009'
  const hint = didYouMean(found, members) ?? SYNONYMS.get(toText(found))
  place.wrong(code, `must be ${members.length > 1 ? 'one of ' : ''}${list}`, hint)
}

const SYNONYMS = new Map([
  ['float', 'write "number"'],
  ['double', 'write "number"'],
  ['int', 'write "integer"'],
  ['long', 'write "integer"'],
  ['text', 'write "string"'],
  ['date', 'write "string" with format: date'],
  ['map', 'write "object"'],
  ['dict', 'write "object"'],
  ['list', 'write "array"'],
  ['HEAD', 'leave the tool out, or use GET'],
])

function sayUnion(
  issue: Extract<Issue, { code: 'invalid_union' }>,
  place: SpecPlace,
  root: SpecPlace,
): void {
  const { path, value: found } = place
  const types = `one of ${TRIGGER_TYPES.join(', ')}`
  if (path[0] === 'triggers' && path.length === 3 && path[2] === 'type') {
    if (found === undefined) sayMissing(types, place, root)
    else place.wrong('E073', `must be ${types}`, didYouMean(found, TRIGGER_TYPES))
    return
  }
  const options = issue.errors.flat().flatMap((inner) => ('values' in inner ? inner.values : []))
  const expected = options.length > 0 ? `one of ${options.join(', ')}` : 'a text, number or boolean'
  place.wrong('E008', `must be ${expected}`)
}

function snake(text: string): string {
  const words = text
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^[^A-Za-z]+|_+$/g, '')
    .toLowerCase()
  return words.slice(0, MAX_NAME_LENGTH) || 'list_tickets'
}
