import { fromBase64 } from './base64.ts'
import { toJsonText } from './json-text.ts'
import type { BodyField, BodyRule, ToolArguments } from './operation.ts'
import {
  escapeText,
  isEntries,
  isPresent,
  type Pair,
  toBracketPairs,
  toPairs,
  toText,
} from './serialize.ts'
import { ToolError } from './tool-error.ts'

/** A body ready to be sent. */
export interface EncodedBody {
  readonly content: string | ArrayBuffer | FormData
  /** Absent when `fetch` writes it itself: a form knows its own boundary. */
  readonly mediaType: string | undefined
}

/** Writes the body of a call, or nothing when the caller supplied nothing. */
export type BodyEncoder = (
  rule: BodyRule,
  args: ToolArguments,
  tool: string,
) => EncodedBody | undefined

/** Writes a JSON body. */
export function encodeJsonBody(rule: BodyRule, args: ToolArguments): EncodedBody | undefined {
  const mediaType = rule.media_type ?? 'application/json'
  if (rule.root) {
    const value = args[rule.root.arg]
    if (!isSupplied(rule.root, value)) return undefined
    return { content: toJsonText(value, rule.root.digits), mediaType }
  }
  const members = suppliedFields(rule, args).map(([field, value]) => {
    return `${JSON.stringify(wireName(field))}:${toJsonText(value, field.digits)}`
  })
  return members.length === 0 ? undefined : { content: `{${members.join(',')}}`, mediaType }
}

/** Writes a form-urlencoded body; nested values get brackets. */
export function encodeFormBody(rule: BodyRule, args: ToolArguments): EncodedBody | undefined {
  const pairs = formFields(rule, args).flatMap(([field, value]) => formPairs(field, value))
  if (pairs.length === 0) return undefined
  const content = pairs.map(([name, value]) => `${name}=${value}`).join('&')
  return { content, mediaType: rule.media_type ?? 'application/x-www-form-urlencoded' }
}

/** Writes a multipart form; files come as base64 or as a data URL that may name them. */
export function encodeMultipartBody(
  rule: BodyRule,
  args: ToolArguments,
  tool: string,
): EncodedBody | undefined {
  const content = new FormData()
  let parts = 0
  for (const [field, value] of formFields(rule, args)) {
    for (const item of Array.isArray(value) ? value : [value]) {
      parts += 1
      appendPart(content, field, item, tool, Array.isArray(value))
    }
  }
  return parts === 0 ? undefined : { content, mediaType: undefined }
}

/** Writes a body that is one text or one run of bytes. */
export function encodeRawBody(
  rule: BodyRule,
  args: ToolArguments,
  tool: string,
): EncodedBody | undefined {
  const field = rule.root ?? rule.fields?.[0]
  const value = field && args[field.arg]
  if (field === undefined || !isPresent(value)) return undefined
  if (!field.binary) {
    return { content: toText(value), mediaType: rule.media_type ?? 'text/plain;charset=utf-8' }
  }
  const file = readFile(field, value, tool)
  const mediaType = rule.media_type ?? (file.type || 'application/octet-stream')
  return { content: file.bytes, mediaType }
}

function suppliedFields(
  rule: BodyRule,
  args: ToolArguments,
): readonly (readonly [BodyField, unknown])[] {
  return (rule.fields ?? [])
    .map((field) => [field, args[field.arg]] as const)
    .filter(([field, value]) => isSupplied(field, value))
}

function isSupplied(field: BodyField, value: unknown): boolean {
  return value !== undefined && (value !== null || field.nullable === true)
}

function wireName(field: BodyField): string {
  return field.name ?? field.arg
}

// A form whose fields are not known in advance arrives as one object argument.
function formFields(
  rule: BodyRule,
  args: ToolArguments,
): readonly (readonly [BodyField, unknown])[] {
  if (!rule.root) return suppliedFields(rule, args)
  const value = args[rule.root.arg]
  const entries = isEntries(value) ? Object.entries(value) : []
  return entries
    .filter(([, item]) => isPresent(item))
    .map(([name, item]) => [{ arg: name }, item] as const)
}

function formPairs(field: BodyField, value: unknown): readonly Pair[] {
  const name = wireName(field)
  if (value === null) return [[escapeText(name), '']]
  if (field.content_type?.includes('json'))
    return [[escapeText(name), escapeText(toJsonText(value, field.digits))]]
  if (field.style !== undefined) {
    const explode = field.explode ?? (field.style === 'form' || field.style === 'deepObject')
    return toPairs(name, value, { style: field.style, explode, encode: escapeText })
  }
  const nested =
    isEntries(value) || (Array.isArray(value) && value.some((item) => typeof item === 'object'))
  if (nested) return toBracketPairs(name, value)
  return toPairs(name, value, { style: 'form', explode: field.explode ?? true, encode: escapeText })
}

function appendPart(
  form: FormData,
  field: BodyField,
  value: unknown,
  tool: string,
  isElement: boolean,
): void {
  const digits = isElement
    ? field.digits?.flatMap((one) => (one.startsWith('/*') ? one.slice(2) : []))
    : field.digits
  const name = wireName(field)
  if (field.binary && isPresent(value)) {
    const file = readFile(field, value, tool)
    form.append(name, new Blob([file.bytes], { type: field.content_type ?? file.type }), file.name)
    return
  }
  const isJson = typeof value === 'object' && value !== null
  const text = value === null ? '' : isJson ? toJsonText(value, digits) : toText(value)
  const type = field.content_type ?? (isJson ? 'application/json' : undefined)
  if (type === undefined) form.append(name, text)
  else form.append(name, new Blob([text], { type }))
}

interface FileArgument {
  readonly bytes: ArrayBuffer
  readonly name: string
  readonly type: string
}

function readFile(field: BodyField, value: unknown, tool: string): FileArgument {
  const text = toText(value)
  const url = /^data:([^;,]*)((?:;[^;,]*)*?);base64,/i.exec(text)
  const bytes = fromBase64(url ? text.slice(url[0].length) : text)
  if (bytes === undefined) {
    const problem = `${field.arg} is neither base64 nor a data URL (data:image/png;name=a.png;base64,…)`
    throw new ToolError(tool, 'arguments', `${tool}: ${problem}`, { problems: [problem] })
  }
  const name = /;name=([^;,]*)/i.exec(url?.[2] ?? '')?.[1]
  return { bytes, name: name ? decodeName(name) : wireName(field), type: url?.[1] ?? '' }
}

function decodeName(name: string): string {
  try {
    return decodeURIComponent(name)
  } catch {
    return name
  }
}
