import type { z } from 'zod'
import { didYouMean, isRecord, nearest, toText } from '../../values/index.ts'
import { quote, type SpecFinding } from './finding.ts'
import { FIELD_LISTS, KEYS, kindAt, type NodeKind } from './keys.ts'
import { MAX_NAME_LENGTH } from './schema.ts'
import { TRIGGER_TYPES } from './types.ts'
import type { PathStep } from './yaml.ts'

type Issue = z.core.$ZodIssue

/** Words what the schema found: code, expected, found and a hint, one finding per mistake. */
export function explainIssues(issues: readonly Issue[], value: unknown): SpecFinding[] {
  return issues.flatMap((issue) => explainIssue(issue, value))
}

function explainIssue(issue: Issue, root: unknown): SpecFinding[] {
  const path = issue.path.map((step) => (typeof step === 'number' ? step : String(step)))
  const found = valueAt(root, path)
  switch (issue.code) {
    case 'unrecognized_keys':
      return issue.keys
        .filter((key) => !key.startsWith('x-'))
        .map((key) => unknownKey(path, key, root))
    case 'invalid_type':
      return [wrongType(path, issue.expected, found, root)]
    case 'invalid_value':
      return [notInSet(path, issue.values.map(String), found, root)]
    case 'invalid_union':
      return [wrongUnion(path, issue, found, root)]
    case 'invalid_format':
    case 'too_big':
      if (issue.message in NAMED) return [named(issue.message, path, found)]
      return [{ code: 'E008', path, message: `${issue.message}; found ${quote(found)}` }]
    default:
      return [{ code: 'E008', path, message: `${issue.message}; found ${quote(found)}` }]
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

function named(code: string, path: readonly PathStep[], found: unknown): SpecFinding {
  const row = NAMED[code]
  const message = `${row?.expected ?? ''}; found ${quote(found)}`
  return { code, path, message, hint: row?.hint(toText(found)) }
}

function unknownKey(path: readonly PathStep[], key: string, root: unknown): SpecFinding {
  const kind = kindOf(path, root)
  const known = kind === undefined ? [] : [...KEYS[kind].seed, ...KEYS[kind].extensions]
  const owner = TRIGGER_TYPES.find((type) => type !== kind && KEYS[type].seed.includes(key))
  const isTrigger = TRIGGER_TYPES.some((type) => type === kind)
  const foreign =
    isTrigger && owner
      ? `"${key}" belongs to a ${owner} trigger, this is a ${kind} trigger`
      : undefined
  return {
    code: 'E006',
    path: [...path, key],
    atKey: true,
    message: `unknown key "${key}"; expected one of ${known.join(', ')}`,
    hint: foreign ?? didYouMean(key, known) ?? 'remove it, or start it with "x-" to keep it',
  }
}

function wrongType(
  path: readonly PathStep[],
  expected: string,
  found: unknown,
  root: unknown,
): SpecFinding {
  const key = path.at(-1)
  if (found === undefined) return missing(path, expected, root)
  if (path.length === 1 && key === 'version') return badVersion(path, found)
  if (expected === 'array' && FIELD_LISTS.includes(String(key)) && isRecord(found)) {
    return mapInsteadOfList(path, found)
  }
  const message = `must be ${WORDS[expected] ?? expected}; found ${quote(found)}`
  return { code: 'E008', path, message, hint: typeHint(expected, found) }
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

function missing(path: readonly PathStep[], expected: string, root: unknown): SpecFinding {
  const parent = path.slice(0, -1)
  const key = String(path.at(-1))
  const kind = kindOf(parent, root)
  const isTrigger = TRIGGER_TYPES.some((type) => type === kind)
  if (isTrigger && kind !== undefined && key in TRIGGER_HINTS) {
    const message = `required for a ${kind} trigger but missing`
    return { code: 'E071', path, message, hint: TRIGGER_HINTS[key] }
  }
  const what = WORDS[expected] ?? expected
  return {
    code: 'E007',
    path,
    message: `required but missing; expected ${what}, found nothing`,
    hint: misspelt(parent, key, root) ?? `add ${key}: …`,
  }
}

const TRIGGER_HINTS: Record<string, string> = {
  path: 'add the path to register, for example path: /webhooks/orders/created',
  cron: 'add a five-field cron expression, for example cron: "0 2 * * *"',
  event: 'add the name of the event, for example event: orders.created',
  queue_url: 'add the queue, for example queue_url: "amqp://localhost/orders"',
  watch_path: 'add a directory or glob, for example watch_path: ./inbox/**/*.csv',
}

/** A missing key often stands there under another spelling. */
function misspelt(parent: readonly PathStep[], key: string, root: unknown): string | undefined {
  const node = valueAt(root, parent)
  if (!isRecord(node)) return undefined
  const kind = kindOf(parent, root)
  const known = kind === undefined ? [] : [...KEYS[kind].seed, ...KEYS[kind].extensions]
  const strangers = Object.keys(node).filter((other) => !known.includes(other))
  const [near] = nearest(key, strangers)
  return near === undefined ? undefined : `rename "${near}" to "${key}"`
}

function badVersion(path: readonly PathStep[], found: unknown): SpecFinding {
  const text = typeof found === 'number' && Number.isInteger(found) ? `${found}.0` : toText(found)
  return {
    code: 'E010',
    path,
    message: `must be a text; found ${quote(found)}, which YAML reads as ${typeof found}`,
    hint: `write it in quotes: version: "${text}"`,
  }
}

function mapInsteadOfList(path: readonly PathStep[], found: Record<string, unknown>): SpecFinding {
  const lines = Object.entries(found)
    .slice(0, 20)
    .map(([name, entry]) => `  - ${flow({ name, ...fieldOf(entry) })}`)
  return {
    code: 'E041',
    path,
    message: `must be a list of fields; found ${quote(found)}`,
    hint: [`write it as a list:`, `${String(path.at(-1))}:`, ...lines].join('\n'),
  }
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

function notInSet(
  path: readonly PathStep[],
  members: readonly string[],
  found: unknown,
  root: unknown,
): SpecFinding {
  if (found === undefined) return missing(path, `one of ${members.join(', ')}`, root)
  const key = path.at(-1)
  const inEvents = path.at(-2) === 'events'
  const isField = kindOf(path.slice(0, -1), root) === 'field'
  const code = inEvents ? 'E076' : key === 'type' && isField ? 'E042' : 'E009'
  return {
    code,
    path,
    message: `must be ${members.length > 1 ? 'one of ' : ''}${members.join(', ')}; found ${quote(found)}`,
    hint: didYouMean(found, members) ?? SYNONYMS.get(toText(found)),
  }
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

function wrongUnion(
  path: readonly PathStep[],
  issue: Extract<Issue, { code: 'invalid_union' }>,
  found: unknown,
  root: unknown,
): SpecFinding {
  if (path[0] === 'triggers' && path.length === 3 && path[2] === 'type') {
    if (found === undefined) return missing(path, `one of ${TRIGGER_TYPES.join(', ')}`, root)
    const message = `must be one of ${TRIGGER_TYPES.join(', ')}; found ${quote(found)}`
    return { code: 'E073', path, message, hint: didYouMean(found, TRIGGER_TYPES) }
  }
  const options = issue.errors.flat().flatMap((inner) => ('values' in inner ? inner.values : []))
  const expected = options.length > 0 ? `one of ${options.join(', ')}` : 'a text, number or boolean'
  return { code: 'E008', path, message: `must be ${expected}; found ${quote(found)}` }
}

function kindOf(path: readonly PathStep[], root: unknown): NodeKind | undefined {
  return kindAt(path, (index) => valueAt(root, ['triggers', index, 'type']))
}

function valueAt(root: unknown, path: readonly PathStep[]): unknown {
  let node = root
  for (const step of path) {
    if (Array.isArray(node)) node = node[Number(step)]
    else if (isRecord(node) && Object.hasOwn(node, step)) node = node[step]
    else return undefined
  }
  return node
}

function snake(text: string): string {
  const words = text
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/[^A-Za-z0-9]+/g, '_')
    .replace(/^[^A-Za-z]+|_+$/g, '')
    .toLowerCase()
  return words.slice(0, MAX_NAME_LENGTH) || 'list_tickets'
}
