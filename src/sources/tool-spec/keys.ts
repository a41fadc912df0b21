import { isRecord } from '../../values/index.ts'
import { quote, type SpecPlace } from './finding.ts'
import { keysOf, type NodeKind } from './schema.ts'

/** Keys that the seed format knows; all others of the schema are extensions. Order is the order of writing. */
const SEED: Readonly<Record<NodeKind, string>> = {
  spec: 'domain version base_url auth tools triggers',
  tool: 'name description method path params body auth',
  field: 'name type required description default enum items properties',
  auth: 'type env header',
  group: '',
  response: '',
  responses: '',
  paginate: '',
  signature: '',
  webhook: 'type name description path event secret_env',
  schedule: 'type name description cron',
  emit: 'type name description event',
  queue: 'type name description queue_url queue_env',
  file: 'type name description watch_path events',
}

/** Lists the keys of a kind of mapping that the seed format knows. */
export function seedKeys(kind: NodeKind): readonly string[] {
  return SEED[kind].split(' ').filter(Boolean)
}

/** Lists every key of a kind of mapping, those of the seed first. */
export function knownKeys(kind: NodeKind | undefined): readonly string[] {
  return kind === undefined ? [] : [...new Set([...seedKeys(kind), ...keysOf(kind)])]
}

/** Keys whose value is a list of fields. */
export const FIELD_LISTS: readonly string[] = ['params', 'body', 'properties', 'payload']

/** The kind of mapping that a key holds, or a list of. */
const KINDS: ReadonlyMap<string, NodeKind> = new Map([
  ['tools', 'tool'],
  ['groups', 'group'],
  ['responses', 'responses'],
  ...[...FIELD_LISTS, 'any_of', 'items', 'values', 'body_root'].map(
    (key) => [key, 'field'] as const,
  ),
  ...['auth', 'also', 'or'].map((key) => [key, 'auth'] as const),
  ...(['response', 'paginate', 'signature'] as const).map((key) => [key, key] as const),
])

/** Tells which kind of mapping stands at a path of a spec. */
export function kindAt({ path }: SpecPlace, root: SpecPlace): NodeKind | undefined {
  if (path.length === 0) return 'spec'
  if (path[0] === 'triggers' && path.length === 2) {
    const type = root.at(...path, 'type').value
    return typeof type === 'string' && Object.hasOwn(SEED, type) ? (type as NodeKind) : undefined
  }
  return KINDS.get(String(path.findLast((step) => typeof step === 'string')))
}

/** Reports every key and value that the seed format does not know (E090). */
export function checkSeedOnly(root: SpecPlace): void {
  const visit = (place: SpecPlace): void => {
    const { value } = place
    if (Array.isArray(value)) place.each(value, (_, at) => visit(at))
    const kind = isRecord(value) ? kindAt(place, root) : undefined
    if (kind === undefined || !isRecord(value)) return
    const seed = seedKeys(kind)
    for (const [key, child] of Object.entries(value)) {
      const at = place.at(key)
      if (key.startsWith('x-') || key === 'default') continue
      if (!seed.includes(key)) {
        const message = `"${key}" is an extension; the seed knows ${seed.join(', ')}`
        at.sayKey('E090', message, 'remove it')
      } else if (key !== 'enum' || !Array.isArray(child)) visit(at)
      else {
        const odd: unknown = child.find((member) => typeof member !== 'string')
        const message = `enum values other than texts are an extension; found ${quote(odd)}`
        if (odd !== undefined) at.say('E090', message, 'use texts, or remove enum')
      }
    }
  }
  visit(root)
}
