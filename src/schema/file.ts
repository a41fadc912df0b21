import type { $ZodTypeInternals, ParsePayload } from 'zod/v4/core'
import { CallError } from '../errors/index.ts'
import {
  assumeSize,
  createFile,
  type FileRule,
  findFault,
  isStreamed,
  limitBytes,
  parseFile,
  readRange,
} from '../files/index.ts'
import { andThen, asList, asRecord, formatPointer, isRecord } from '../values/index.ts'
import type { Check, JsonSchema, Problem, TypedJsonSchema, Validation } from './schema.ts'
import { listLocalInPlace, mapSchema } from './walk/index.ts'

/** What a file may be; see `file`. */
export interface FileOptions {
  /** Media types: `image/png`, `image/*`; any when absent. */
  readonly types?: readonly string[]
  /** 10 MiB when absent. */
  readonly maxBytes?: number
  readonly description?: string
}

/** The keyword by which a JSON Schema says that a text stands for a file. */
export const FILE_KEYWORD = 'x-file'

/** How large a file may be whose schema does not say. */
export const DEFAULT_FILE_BYTES = 10_485_760

/** A file as JSON Schema, which Zod takes for a schema of its own as well. */
export interface FileSchema extends TypedJsonSchema<File> {
  /** What Zod reads; it does not belong to the JSON Schema. */
  readonly _zod: $ZodTypeInternals<File, Blob>
}

/**
 * Describes a file: a member of `z.object`, a property of a JSON Schema, or a whole result. The handler gets a `File`;
 * callers send a part of a form or the bytes over REST, a `Blob` with the client, and base64 elsewhere.
 *
 * @example
 * z.object({ ticket: z.string(), photo: file({ types: ['image/*'], maxBytes: 5_000_000 }) })
 */
export function file(options: FileOptions = {}): FileSchema {
  const { types = [], maxBytes, description } = options
  if (maxBytes !== undefined && (!Number.isSafeInteger(maxBytes) || maxBytes < 0)) {
    throw new TypeError('file: maxBytes must be a number of bytes')
  }
  for (const type of types) {
    if (isMediaRange(type)) continue
    throw new TypeError(
      `file: types must be media types such as image/png or image/*; got "${type}"`,
    )
  }
  const rule: FileRule = { types, ...(maxBytes !== undefined && { maxBytes }) }
  const schema: JsonSchema = {
    type: 'string',
    contentEncoding: 'base64',
    ...(description !== undefined && { description }),
    [FILE_KEYWORD]: toKeyword(rule),
  }
  // Not enumerable: it is not a keyword. Written out instead of made by Zod, which services with JSON Schema do not load.
  return Object.defineProperty(schema, '_zod', {
    value: toZodInternals(schema, rule),
  }) as unknown as FileSchema
}

/** The part of Zod's schemas that objects, lists, unions and its printer look at. */
function toZodInternals(schema: JsonSchema, rule: FileRule): object {
  const parse = (payload: ParsePayload): ParsePayload => {
    const { value, issues } = payload
    const fault =
      value instanceof File ? findFault(value, rule) : { message: 'Invalid input: expected file' }
    if (fault !== undefined) {
      issues.push({ code: 'custom', input: value, path: [], message: fault.message })
    }
    return payload
  }
  return {
    def: { type: 'custom' },
    traits: new Set(['$ZodType']),
    bag: {},
    parse,
    run: parse,
    toJSONSchema: () => ({ ...schema }),
  }
}

function isMediaRange(type: unknown): boolean {
  return typeof type === 'string' && /^(?:\*\/\*|[\w!#$&^.+-]+\/(?:\*|[\w!#$&^.+-]+))$/.test(type)
}

function toKeyword({ types = [], minBytes, maxBytes }: FileRule): JsonSchema {
  return {
    ...(types.length > 0 && { types }),
    ...(minBytes !== undefined && { minBytes }),
    ...(maxBytes !== undefined && { maxBytes }),
  }
}

/** Reads what a schema says about a file; undefined when it describes none. */
export function readFileRule(schema: unknown): FileRule | undefined {
  if (!isRecord(schema) || schema[FILE_KEYWORD] === undefined) return undefined
  const { [FILE_KEYWORD]: keyword, contentMediaType } = schema
  if (keyword === false) return undefined
  const { types, minBytes, maxBytes } = asRecord(keyword)
  const listed = asList(types).filter((type) => typeof type === 'string')
  const named = listed.length === 0 && typeof contentMediaType === 'string'
  return {
    types: named ? [contentMediaType] : listed,
    ...(typeof minBytes === 'number' && { minBytes }),
    ...(typeof maxBytes === 'number' && { maxBytes }),
  }
}

/** Rewrites what Zod prints for `z.file()`, which says that a JSON text holds bytes. */
export function printFile(printed: Record<string, unknown>): void {
  const { minLength, maxLength, contentMediaType, anyOf } = printed
  const types = [contentMediaType, ...asList(anyOf).map((one) => asRecord(one)['contentMediaType'])]
  const rule: FileRule = {
    types: types.filter((type) => typeof type === 'string'),
    ...(typeof minLength === 'number' && { minBytes: minLength }),
    ...(typeof maxLength === 'number' && { maxBytes: maxLength }),
  }
  for (const name of ['format', 'minLength', 'maxLength', 'anyOf', 'contentMediaType'])
    delete printed[name]
  printed['type'] = 'string'
  printed['contentEncoding'] = 'base64'
  printed[FILE_KEYWORD] ??= toKeyword(rule)
}

/** Where the files of a value are. */
export interface FilePlace {
  readonly rule?: FileRule
  readonly members?: Readonly<Record<string, FilePlace>>
  readonly items?: FilePlace
}

/** A schema may contain itself; nobody nests files deeper. */
const DEEPEST = 6

/** Finds where a value has files by its schema; undefined when it has none. */
export function findFiles(schema: JsonSchema, components: object = {}): FilePlace | undefined {
  return find(schema, { ...schema, components }, DEEPEST)
}

function find(schema: unknown, root: JsonSchema, depth: number): FilePlace | undefined {
  if (!isRecord(schema) || depth === 0) return undefined
  const members: Record<string, FilePlace> = {}
  let rule: FileRule | undefined
  let items: FilePlace | undefined
  for (const part of listLocalInPlace([schema], root)) {
    rule ??= readFileRule(part)
    items ??= find(part['items'], root, depth - 1)
    for (const [name, member] of Object.entries(asRecord(part['properties']))) {
      const found = find(member, root, depth - 1)
      if (found !== undefined && !Object.hasOwn(members, name)) members[name] = found
    }
  }
  const hasMembers = Object.keys(members).length > 0
  if (rule === undefined && items === undefined && !hasMembers) return undefined
  return { ...(rule && { rule }), ...(items && { items }), ...(hasMembers && { members }) }
}

/** Replaces each file of a value; whatever stands at the place of one is given, but null. */
export function mapFiles(
  value: unknown,
  place: FilePlace,
  replace: (value: unknown, rule: FileRule, path: readonly string[]) => unknown,
  path: readonly string[] = [],
): unknown {
  if (value === null || value === undefined) return value
  const { rule, items, members } = place
  if (rule !== undefined && (typeof value === 'string' || !isPlain(value))) {
    return replace(value, rule, path)
  }
  if (items !== undefined && Array.isArray(value)) {
    return value.map((item, index) => mapFiles(item, items, replace, [...path, String(index)]))
  }
  if (members === undefined || !isPlain(value) || Array.isArray(value)) return value
  const copy: Record<string, unknown> = { ...value }
  for (const [name, member] of Object.entries(members)) {
    if (!Object.hasOwn(copy, name)) continue
    copy[name] = mapFiles(copy[name], member, replace, [...path, name])
  }
  return copy
}

function isPlain(value: unknown): boolean {
  if (Array.isArray(value)) return true
  if (!isRecord(value)) return false
  const prototype: unknown = Object.getPrototypeOf(value)
  return prototype === Object.prototype || prototype === null
}

/** Lists the files of a value with their places. */
export function listFiles(
  value: unknown,
  place: FilePlace,
): readonly { readonly value: unknown; readonly path: readonly string[] }[] {
  const found: { readonly value: unknown; readonly path: readonly string[] }[] = []
  mapFiles(value, place, (one, _rule, path) => {
    found.push({ value: one, path })
    return one
  })
  return found
}

/** Makes files of their JSON form before a value is checked, and checks them by their rules. */
export function withFiles(check: Check, place: FilePlace, maxBytes: number): Check {
  return (given) => {
    const problems: Problem[] = []
    const streams: File[] = []
    const value = mapFiles(given, place, (one, declared, path) => {
      const rule = { maxBytes, ...declared }
      const made = typeof one === 'string' ? parseFile(one, rule) : limitFile(one, rule, path)
      const fault =
        made === undefined
          ? NO_FILE
          : made instanceof Blob
            ? findFault(made, rule)
            : { code: 'type', message: 'must be a file: base64, or a data URL' }
      if (fault !== undefined) problems.push({ pointer: formatPointer(path), ...fault })
      if (made instanceof File && isStreamed(made) && Number.isNaN(made.size)) {
        assumeSize(made, rule.minBytes ?? 0)
        streams.push(made)
      }
      return made
    })
    const [first, ...rest] = problems
    if (first !== undefined) return { ok: false, problems: [first, ...rest] }
    return andThen(check(value), (checked): Validation => {
      for (const one of streams) assumeSize(one, undefined)
      return checked
    })
  }
}

/** A file that is still arriving can turn out too large while the handler reads it. */
function limitFile(given: unknown, { maxBytes = 0 }: FileRule, path: readonly string[]): unknown {
  if (!isStreamed(given) || maxBytes === Number.POSITIVE_INFINITY) return given
  const { name, type, size } = given
  const refuse = (): CallError =>
    new CallError('INVALID_ARGUMENTS', {
      message: `${path.join('.')}: is larger than ${maxBytes} bytes`,
      source: { pointer: `/call/arguments${formatPointer(path)}` },
      status: 413,
    })
  return createFile((start, end) => limitBytes(readRange(given, start, end), maxBytes, refuse), {
    name,
    type,
    size,
  })
}

const NO_FILE = {
  code: 'contentEncoding',
  message: 'is neither base64 nor a data URL (data:image/png;name=a.png;base64,…)',
}

/** Takes files out of what a JSON Schema checks: what stands in their place is checked by their rules. */
export function withoutFiles(schema: JsonSchema): JsonSchema {
  return mapSchema(schema, (part) => (readFileRule(part) === undefined ? part : {}))
}

/** Says in the words of JSON Schema how callers send a file, or get one. */
export function describeFiles(schema: JsonSchema, direction: 'input' | 'output'): JsonSchema {
  return mapSchema(schema, (part) => {
    const rule = readFileRule(part)
    return rule === undefined ? part : describeFile(part, rule, direction)
  })
}

function describeFile(part: JsonSchema, rule: FileRule, direction: 'input' | 'output'): JsonSchema {
  const { contentEncoding: _encoding, contentMediaType: _type, format: _format, ...own } = part
  const { types = [], maxBytes = DEFAULT_FILE_BYTES } = rule
  const [only] = types.length === 1 && !types[0]?.includes('*') ? types : []
  const kinds = types.length === 0 ? '' : ` of type ${types.join(' or ')}`
  const most = direction === 'output' ? '' : `, at most ${maxBytes} bytes`
  const form =
    direction === 'input'
      ? 'in base64, or as a data URL with its type and name'
      : 'as a data URL with its type and name, or as the URI of a block of content'
  return {
    ...own,
    type: 'string',
    ...(direction === 'input' && { contentEncoding: 'base64' }),
    ...(only !== undefined && { contentMediaType: only }),
    ...(own['description'] === undefined && { description: `A file${kinds}${most}, ${form}` }),
    [FILE_KEYWORD]: toKeyword(direction === 'input' ? { ...rule, maxBytes } : rule),
  }
}
