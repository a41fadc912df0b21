import type { Target } from '../../core/index.ts'
import {
  extensionUrn,
  isList,
  isRecord,
  type JsonObject,
  toMilliseconds,
  toText,
} from '../../values/index.ts'

/** What a function says about caching in its `extensions`. */
export interface CacheDeclaration {
  /** How long a result stays fresh; 0 means that callers ask every time. */
  readonly maxAgeMs: number
  /** One entry for all callers, instead of one for each principal. */
  readonly shared: boolean
  /** Gives the tags of a call: a read is kept under them, a write makes them invalid. */
  readonly tags: (input: JsonObject) => readonly string[]
}

/** The URN of the extension. */
export const CACHING_URN: string = extensionUrn('caching')
const NO_TAGS: readonly string[] = []
const PLACE = /\{(\w+)\}/g

/** Reads the caching declaration of a function; a mistake throws a TypeError at start. */
export function readCacheDeclaration(
  target: Pick<Target, 'name' | 'definition'>,
  maxAgeMs: number,
): CacheDeclaration {
  const declared = target.definition.extensions?.find(({ urn }) => urn === CACHING_URN)
  const refuse = (field: string, expected: string): never => {
    throw new TypeError(
      `function ${target.name}: extensions ${CACHING_URN} ${field} must be ${expected}`,
    )
  }
  const ttl = readTtl(declared?.['ttl'])
  if (ttl === undefined) refuse('ttl', 'seconds or a duration')
  const tags: unknown = declared?.['tags'] ?? NO_TAGS
  if (!isList(tags) || !tags.every(isTag)) return refuse('tags', 'a list of texts')
  const shared = declared?.['shared'] ?? false
  if (typeof shared !== 'boolean') return refuse('shared', 'true or false')
  return {
    maxAgeMs: Math.min(ttl ?? 0, maxAgeMs),
    shared,
    tags: tags.some((tag) => tag.includes('{')) ? (input) => fill(tags, input) : () => tags,
  }
}

function isTag(value: unknown): value is string {
  return typeof value === 'string' && value !== ''
}

function readTtl(value: unknown): number | undefined {
  if (value === undefined) return 0
  if (typeof value === 'number') return toMilliseconds({ value, unit: 'second' })
  return isRecord(value) ? toMilliseconds(value) : undefined
}

/** `order:{id}` names the argument; without it the tag would be that of another call, so it is left out. */
function fill(tags: readonly string[], input: JsonObject): readonly string[] {
  return tags.flatMap((tag) => {
    const names = [...tag.matchAll(PLACE)].map(([, name = '']) => name)
    if (!names.every((name) => isPlain(input, name))) return []
    return [tag.replace(PLACE, (_, name: string) => toText(input[name]))]
  })
}

function isPlain(input: JsonObject, name: string): boolean {
  const value = Object.hasOwn(input, name) ? input[name] : undefined
  return typeof value === 'string' || typeof value === 'number'
}
