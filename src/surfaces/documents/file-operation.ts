import type { Contract } from '../../contract/index.ts'
import { type JsonSchema, mapSchema, readFileRule } from '../../schema/index.ts'
import { isRecord, toText } from '../../values/index.ts'

type Move = (schema: JsonSchema) => JsonSchema
type MediaTypes = Readonly<Record<string, object>>

/** The way in which generators know bytes: `format` for those of 3.0, `contentMediaType` for those of 3.1. */
function toBytes(type: string | undefined): JsonSchema {
  return {
    type: 'string',
    format: 'binary',
    ...(type !== undefined && { contentMediaType: type }),
  }
}

/** Describes bodies that hold files: forms, and the file alone where there is one. */
export function toFileBodies({ files }: Contract, body: JsonSchema, move: Move): MediaTypes {
  const members = files.arguments?.members
  const { properties } = body
  const names = Object.keys(members ?? {}).filter(
    (name) => isRecord(properties) && Object.hasOwn(properties, name),
  )
  const [name, ...others] = names
  if (members === undefined || name === undefined) return {}
  const form = mapSchema(body, (part) => {
    const rule = readFileRule(part)
    if (rule === undefined) return part
    const { description } = part
    return {
      ...toBytes(rule.types?.length === 1 ? rule.types[0] : undefined),
      ...(description !== undefined && { description: toFormText(description) }),
    }
  })
  const encoding = names.flatMap((one) => {
    const types = (members[one]?.rule ?? members[one]?.items?.rule)?.types ?? []
    return types.length === 0 ? [] : [[one, { contentType: types.join(', ') }] as const]
  })
  return {
    'multipart/form-data': {
      schema: move(form),
      ...(encoding.length > 0 && { encoding: Object.fromEntries(encoding) }),
    },
    ...(others.length === 0 &&
      isAlone(body, name) && { 'application/octet-stream': { schema: toBytes(undefined) } }),
  }
}

/** In a form it is the bytes that are sent. */
function toFormText(description: unknown): string {
  return toText(description).replace(', in base64, or as a data URL with its type and name', '')
}

function isAlone({ required }: JsonSchema, name: string): boolean {
  return !Array.isArray(required) || required.every((one) => one === name)
}

/** Describes a result that is a file; undefined when it is not one. */
export function toFileResults({ files }: Contract): MediaTypes | undefined {
  const rule = files.result?.rule
  if (rule === undefined) return undefined
  const types = rule.types?.length ? rule.types : ['application/octet-stream']
  return Object.fromEntries(types.map((type) => [type, { schema: toBytes(undefined) }]))
}

/** Describes a range of a file. */
export function toPart(contract: Contract): object {
  return {
    description: 'The range that Range asks for',
    headers: { 'Content-Range': { schema: { type: 'string' } } },
    content: toFileResults(contract),
  }
}
