import { isRecord } from '../../values/index.ts'
import { quote, type Report } from './finding.ts'
import type { PathStep } from './yaml.ts'

/** The kinds of mapping a tool spec is made of. */
export type NodeKind =
  | 'spec'
  | 'tool'
  | 'field'
  | 'auth'
  | 'response'
  | 'paginate'
  | 'signature'
  | 'webhook'
  | 'schedule'
  | 'emit'
  | 'queue'
  | 'file'

/** Keys of one kind of mapping: those of the seed, and ours. */
export interface KeyTable {
  readonly seed: readonly string[]
  readonly extensions: readonly string[]
}

/** Splits a list of words. */
const words = (text: string): readonly string[] => text.split(' ')

const TRIGGER_EXTENSIONS = words(
  'prompt payload_map tool version arguments attempts timeout concurrency payload',
)

/** Every key of the format, by the mapping it belongs to. Order is the order of writing. */
export const KEYS: Readonly<Record<NodeKind, KeyTable>> = {
  spec: { seed: ['domain', 'version', 'base_url', 'auth', 'tools', 'triggers'], extensions: [] },
  tool: {
    seed: ['name', 'description', 'method', 'path', 'params', 'body', 'auth'],
    extensions: words(
      'base_url content_type media_type body_root tags read_only destructive deprecated response paginate',
    ),
  },
  field: {
    seed: ['name', 'type', 'required', 'description', 'default', 'enum', 'items', 'properties'],
    extensions: words(
      'values rest const arg in style explode allow_reserved content_type wire_type nullable format minimum maximum exclusive_minimum exclusive_maximum multiple_of min_length max_length pattern min_items max_items unique_items any_of',
    ),
  },
  auth: {
    seed: ['type', 'env', 'header'],
    extensions: words(
      'in name prefix scopes token_url authorization_url discovery_url flow also or',
    ),
  },
  response: { seed: [], extensions: ['pick', 'max_bytes', 'max_items'] },
  paginate: { seed: [], extensions: ['style', 'cursor', 'limit', 'items', 'next'] },
  signature: { seed: [], extensions: ['scheme', 'header'] },
  webhook: {
    seed: ['type', 'name', 'description', 'path', 'event', 'secret_env'],
    extensions: [...TRIGGER_EXTENSIONS, 'signature', 'wait', 'challenge', 'verify_env'],
  },
  schedule: {
    seed: ['type', 'name', 'description', 'cron'],
    extensions: [...TRIGGER_EXTENSIONS, 'timezone', 'overlap', 'catch_up', 'jitter'],
  },
  emit: { seed: ['type', 'name', 'description', 'event'], extensions: TRIGGER_EXTENSIONS },
  queue: {
    seed: ['type', 'name', 'description', 'queue_url', 'queue_env'],
    extensions: TRIGGER_EXTENSIONS,
  },
  file: {
    seed: ['type', 'name', 'description', 'watch_path', 'events'],
    extensions: [...TRIGGER_EXTENSIONS, 'poll'],
  },
}

/** Keys whose value is a list of fields. */
export const FIELD_LISTS: readonly string[] = ['params', 'body', 'properties', 'payload']

/** Tells which kind of mapping stands at a path; `triggerType` answers for entries of `triggers`. */
export function kindAt(
  path: readonly PathStep[],
  triggerType: (index: number) => unknown,
): NodeKind | undefined {
  const [first, second] = path
  if (path.length === 0) return 'spec'
  if (first === 'triggers' && path.length === 2) {
    const type = triggerType(Number(second))
    return typeof type === 'string' && Object.hasOwn(KEYS, type) ? (type as NodeKind) : undefined
  }
  const last = path.findLast((step) => typeof step === 'string') ?? ''
  return typeof path.at(-1) === 'number' ? LISTS.get(last) : MAPPINGS.get(last)
}

const LISTS = new Map<string, NodeKind>([
  ['tools', 'tool'],
  ['params', 'field'],
  ['body', 'field'],
  ['properties', 'field'],
  ['payload', 'field'],
  ['any_of', 'field'],
  ['also', 'auth'],
  ['or', 'auth'],
])

const MAPPINGS = new Map<string, NodeKind>([
  ['auth', 'auth'],
  ['items', 'field'],
  ['values', 'field'],
  ['body_root', 'field'],
  ['response', 'response'],
  ['paginate', 'paginate'],
  ['signature', 'signature'],
])

/** Reports every key and value that the seed format does not know (E090). */
export function checkSeedOnly(value: unknown, report: Report): void {
  const triggers = isRecord(value) && Array.isArray(value['triggers']) ? value['triggers'] : []
  const visit = (node: unknown, path: readonly PathStep[]): void => {
    if (Array.isArray(node)) {
      for (const [index, child] of node.entries()) visit(child, [...path, index])
      return
    }
    if (!isRecord(node)) return
    const kind = kindAt(path, (index) => typeOf(triggers[index]))
    if (kind === undefined) return
    for (const [key, child] of Object.entries(node)) {
      if (key.startsWith('x-') || key === 'default') continue
      if (KEYS[kind].extensions.includes(key)) {
        const message = `"${key}" is an extension; the seed knows ${KEYS[kind].seed.join(', ')}`
        report({ code: 'E090', path: [...path, key], atKey: true, message, hint: 'remove it' })
      } else if (key === 'enum' && Array.isArray(child)) {
        checkSeedEnum(child, [...path, key], report)
      } else visit(child, [...path, key])
    }
  }
  visit(value, [])
}

function checkSeedEnum(
  members: readonly unknown[],
  path: readonly PathStep[],
  report: Report,
): void {
  const odd = members.find((member) => typeof member !== 'string')
  if (odd === undefined) return
  const message = `enum values other than texts are an extension; found ${quote(odd)}`
  report({ code: 'E090', path, message, hint: 'use texts, or remove enum' })
}

function typeOf(trigger: unknown): unknown {
  return isRecord(trigger) ? trigger['type'] : undefined
}
