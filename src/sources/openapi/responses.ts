import type { JsonSchema } from '../../schema/index.ts'
import { asList, defined, entriesOf, isRecord, type Json } from '../../values/index.ts'
import type { ResponseDef } from '../tool-spec/index.ts'
import { cleanText, cutText } from './describe.ts'
import { asFilledText, asNode, type Node, read, toPlainJson, type Warn } from './node.ts'
import type { OpenedDocument } from './operations.ts'
import { createResponseSchemas } from './response-schemas.ts'

/** Reads what the operations of a document answer. */
export interface ResponseReader {
  /** Lists the described answers of an operation, by status. */
  read(operation: unknown, responses: unknown, warn: Warn): readonly ResponseDef[]
  /** The schemas that answers refer to, by name. */
  schemas(): Readonly<Record<string, JsonSchema>>
}

const MAX_STATUSES = 20

/** Creates a reader for one document. */
export function createResponseReader(opened: OpenedDocument): ResponseReader {
  const schemas = createResponseSchemas(opened.resolver)
  const follow = (value: unknown): Node | undefined => {
    const resolved = opened.resolver.resolve(value)
    return resolved.found ? asNode(resolved.node) : undefined
  }
  return {
    schemas: () => schemas.named(),
    read(operation, responses, warn) {
      const known = schemas.missing.size
      const described = entriesOf(responses)
        .flatMap(([key, value]): ResponseDef[] => {
          const status = toStatus(key)
          const response = follow(value)
          if (status === undefined || response === undefined) return []
          const media = chooseMedia(response, mediaTypesOf(operation, opened))
          const schema = toSchema(status, media, (given) => schemas.convert(given))
          const text = cleanText(asFilledText(response['description']) ?? '')
          const example = exampleOf(response, media, follow)
          if (schema === undefined && example === undefined && /^[^2]/.test(status)) return []
          return [
            {
              status,
              ...(text !== '' && { description: cutText(text, 200) }),
              ...defined({ media_type: media?.type, schema, example }),
            },
          ]
        })
        .toSorted((one, other) => (one.status < other.status ? -1 : 1))
        .slice(0, MAX_STATUSES)
      for (const ref of [...schemas.missing].slice(known))
        warn('W115', `a response refers to "${ref.slice(0, 200)}", which cannot be followed`)
      return described
    },
  }
}

/** `200`, `4XX` or `default`; YAML may have read a number. */
function toStatus(key: string): string | undefined {
  const status = key.trim()
  if (/^[1-5]\d\d$/.test(status) || status.toLowerCase() === 'default') return status.toLowerCase()
  return /^[1-5]xx$/i.test(status) ? status.toUpperCase() : undefined
}

interface Media {
  readonly type: string | undefined
  readonly node: Node
  readonly schema: unknown
}

/** What a Swagger 2.0 operation produces. */
function mediaTypesOf(operation: unknown, { document }: OpenedDocument): readonly string[] {
  const own = read(operation, 'produces') ?? read(document, 'produces')
  return asList(own).flatMap((type) => asFilledText(type)?.trim() ?? [])
}

/** The JSON among the forms of an answer, which is what tools read best, else the first. */
function chooseMedia(response: Node, produced: readonly string[]): Media | undefined {
  const content = entriesOf(response['content']).filter(([, value]) => isRecord(value))
  if (content.length > 0) {
    const [type, value] = content.find(([key]) => isJson(key)) ?? content[0] ?? []
    return { type: baseOf(type ?? ''), node: asNode(value) ?? {}, schema: read(value, 'schema') }
  }
  const { schema } = response
  if (schema === undefined) return undefined
  const type = produced.find(isJson) ?? produced[0]
  return { type: type && baseOf(type), node: response, schema }
}

function baseOf(type: string): string {
  return (type.split(';')[0] ?? '').trim().toLowerCase()
}

function isJson(type: string): boolean {
  return /[/+]json$|^(?:\*|application)\/\*$/.test(baseOf(type))
}

/** What a tool gives for bytes. */
const BYTES: JsonSchema = {
  type: 'object',
  properties: {
    mime: { type: 'string' },
    bytes: { type: 'integer' },
    base64: { type: 'string' },
  },
  required: ['mime', 'bytes', 'base64'],
}

/** The schema of what a tool gives, which for anything but JSON is text or bytes; undefined when nothing is known. */
function toSchema(
  status: string,
  media: Media | undefined,
  convert: (schema: unknown) => JsonSchema,
): JsonSchema | undefined {
  if (media === undefined) return /^(?:204|205)$/.test(status) ? { type: 'null' } : undefined
  const { type, schema } = media
  const isFile = read(schema, 'type') === 'file' || read(schema, 'format') === 'binary'
  if (type === undefined || isJson(type)) {
    if (isFile || !isRecord(schema)) return undefined
    const converted = convert(schema)
    return Object.keys(converted).length === 0 ? undefined : converted
  }
  if (/^text\/|xml|yaml|javascript|x-www-form-urlencoded|ndjson|jsonl|json-seq/.test(type))
    return { type: 'string' }
  return /^(?:image|audio|video|font)\/[a-z]|pdf$|zip$|octet-stream$/.test(type) ? BYTES : undefined
}

/** The first example the document shows of an answer. */
function exampleOf(
  response: Node,
  media: Media | undefined,
  follow: (value: unknown) => Node | undefined,
): Json | undefined {
  const single = read(media?.node, 'example')
  const shown = read(media?.node, 'examples')
  // 2.0 lists examples by media type, 3 by name.
  const old = entriesOf(read(response, 'examples')).find(([type]) => isJson(type))?.[1]
  const [first] = Array.isArray(shown) ? shown : Object.values(asNode(shown) ?? {})
  const example = follow(first)
  const value = single ?? (media?.node === response ? old : read(example, 'value'))
  if (value === undefined || (media?.type !== undefined && !isJson(media.type))) return undefined
  const plain = toPlainJson(value, { depth: 12, nodes: 400 })
  // A JSON text in place of the value is a common slip.
  return typeof plain === 'string' && /^\s*[[{]/.test(plain) ? parseOr(plain) : plain
}

function parseOr(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json
  } catch {
    return undefined
  }
}
