import { fromBase64, joinBytes } from '../../files/index.ts'
import { isRecord } from '../../values/index.ts'
import type { BodyField, BodyRule, ToolArguments } from './operation.ts'
import {
  escapeText,
  isPresent,
  type Pair,
  toBracketPairs,
  toPairs,
  toScalarText,
} from './serialize.ts'
import { ToolError } from './tool-error.ts'

/** Writes JSON; strings of digits that `digits` points at become numbers of any size. */
export function toJsonText(value: unknown, digits: readonly string[] = []): string {
  if (digits.length === 0) return JSON.stringify(value)
  return writeDigits(
    value,
    digits.map((pointer) => pointer.split('/').slice(1)),
  )
}

function writeDigits(value: unknown, paths: readonly (readonly string[])[]): string {
  if (paths.length === 0) return JSON.stringify(value)
  if (typeof value === 'string' && paths.some((path) => path.length === 0)) {
    return /^-?\d+$/.test(value) ? value.replace(/^(-?)0+(?=\d)/, '$1') : JSON.stringify(value)
  }
  if (Array.isArray(value)) {
    const inner = pathsUnder(paths, '*')
    return `[${value.map((item) => writeDigits(item, inner)).join(',')}]`
  }
  if (!isRecord(value)) return JSON.stringify(value)
  const members = Object.entries(value)
    .filter(([, item]) => item !== undefined)
    .map(([key, item]) => `${JSON.stringify(key)}:${writeDigits(item, pathsOf(paths, key))}`)
  return `{${members.join(',')}}`
}

function pathsOf(paths: readonly (readonly string[])[], key: string): (readonly string[])[] {
  const own = pathsUnder(paths, key.replaceAll('~', '~0').replaceAll('/', '~1'))
  return own.length > 0 ? own : pathsUnder(paths, '~*')
}

function pathsUnder(paths: readonly (readonly string[])[], token: string): (readonly string[])[] {
  return paths.filter(([head]) => head === token).map((path) => path.slice(1))
}

/** A body ready to be sent. */
export interface EncodedBody {
  readonly content: string | ArrayBuffer
  readonly mediaType: string
}

type Encode = (rule: BodyRule, args: ToolArguments, tool: string) => EncodedBody | undefined

/** Writes the body of a call, or nothing when the caller supplied nothing. */
export const encodeBody: Encode = (rule, args, tool) => ENCODERS[rule.type](rule, args, tool)

const encodeJson: Encode = (rule, args, tool) => {
  const mediaType = rule.media_type ?? 'application/json'
  if (rule.root) {
    const value = args[rule.root.arg]
    if (!isSupplied(rule.root, value)) return undefined
    return { content: toJsonText(value, rule.root.digits), mediaType }
  }
  const members = suppliedFields(rule, args, tool).map(([field, value]) => {
    return `${JSON.stringify(wireName(field))}:${toJsonText(value, field.digits)}`
  })
  return members.length === 0 ? undefined : { content: `{${members.join(',')}}`, mediaType }
}

/** Writes a form-urlencoded body; nested values get brackets. */
const encodeForm: Encode = (rule, args, tool) => {
  const pairs = formFields(rule, args, tool).flatMap(([field, value]) => formPairs(field, value))
  if (pairs.length === 0) return undefined
  const content = pairs.map(([name, value]) => `${name}=${value}`).join('&')
  return { content, mediaType: rule.media_type ?? 'application/x-www-form-urlencoded' }
}

/** Writes a multipart form; files come as base64 or as a data URL that may name them. */
const encodeMultipart: Encode = (rule, args, tool) => {
  const parts = formFields(rule, args, tool).flatMap(([field, value]) => {
    if (!Array.isArray(value)) return toPart(field, value, tool, field.digits)
    const digits = field.digits?.flatMap((one) => (one.startsWith('/*') ? one.slice(2) : []))
    return value.map((item) => toPart(field, item, tool, digits))
  })
  if (parts.length === 0) return undefined
  const boundary = findBoundary(parts)
  return {
    content: joinParts(parts, boundary),
    mediaType: `multipart/form-data; boundary=${boundary}`,
  }
}

/** Writes a body that is one text or one run of bytes. */
const encodeRaw: Encode = (rule, args, tool) => {
  const field = rule.root ?? rule.fields?.[0]
  const value = field && args[field.arg]
  if (field === undefined || !isPresent(value)) return undefined
  if (!field.binary) {
    return {
      content: toScalarText(value),
      mediaType: rule.media_type ?? 'text/plain;charset=utf-8',
    }
  }
  const file = readFile(field, value, tool)
  const mediaType = rule.media_type ?? (file.type || 'application/octet-stream')
  return { content: file.bytes, mediaType }
}

const ENCODERS: Readonly<Record<BodyRule['type'], Encode>> = {
  json: encodeJson,
  form: encodeForm,
  multipart: encodeMultipart,
  raw: encodeRaw,
}

/** Fields of a body with what the caller gave for them. */
type Supplied = readonly (readonly [BodyField, unknown])[]

function suppliedFields(rule: BodyRule, args: ToolArguments, tool: string): Supplied {
  return (rule.fields ?? [])
    .map((field) => [field, args[field.arg]] as const)
    .filter(([field, value]) => isSupplied(field, value))
    .flatMap(([field, value]) => {
      return field.rest ? restFields(rule, field, value, tool) : [[field, value] as const]
    })
}

/** Takes apart an argument whose members are fields of the body beside the named ones. */
function restFields(rule: BodyRule, rest: BodyField, value: unknown, tool: string): Supplied {
  const named = new Map(
    (rule.fields ?? []).flatMap((field) => (field.rest ? [] : [[wireName(field), field.arg]])),
  )
  const paths = (rest.digits ?? []).map((pointer) => pointer.split('/').slice(1))
  return Object.entries(isRecord(value) ? value : {}).map(([name, member]) => {
    const own = named.get(name)
    if (own !== undefined) {
      const problem = `${rest.arg}.${name.slice(0, 100)} is the argument ${own}; give it there`
      throw new ToolError(tool, 'arguments', `${tool}: ${problem}`, { problems: [problem] })
    }
    const digits = pathsOf(paths, name).map((path) => path.map((token) => `/${token}`).join(''))
    return [{ arg: name, nullable: true, digits }, member] as const
  })
}

function isSupplied(field: BodyField, value: unknown): boolean {
  return value !== undefined && (value !== null || field.nullable === true)
}

function wireName(field: BodyField): string {
  return field.name ?? field.arg
}

// A form whose fields are not known in advance arrives as one object argument.
function formFields(rule: BodyRule, args: ToolArguments, tool: string): Supplied {
  if (!rule.root) return suppliedFields(rule, args, tool)
  const value = args[rule.root.arg]
  const entries = isRecord(value) ? Object.entries(value) : []
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
    isRecord(value) || (Array.isArray(value) && value.some((item) => typeof item === 'object'))
  if (nested) return toBracketPairs(name, value)
  return toPairs(name, value, { style: 'form', explode: field.explode ?? true, encode: escapeText })
}

/** One part of a form: the lines above its content, and the content. */
interface Part {
  readonly head: string
  readonly content: Uint8Array
}

function toPart(field: BodyField, value: unknown, tool: string, digits: BodyField['digits']): Part {
  const name = `form-data; name="${escapeQuoted(wireName(field))}"`
  if (field.binary && isPresent(value)) {
    const file = readFile(field, value, tool)
    const type = field.content_type ?? (file.type || 'application/octet-stream')
    const head = toHead(`${name}; filename="${escapeQuoted(file.name)}"`, type)
    return { head, content: new Uint8Array(file.bytes) }
  }
  const isJson = typeof value === 'object' && value !== null
  const text = value === null ? '' : isJson ? toJsonText(value, digits) : toScalarText(value)
  const type = field.content_type ?? (isJson ? 'application/json' : undefined)
  return { head: toHead(name, type), content: new TextEncoder().encode(text) }
}

function toHead(disposition: string, type: string | undefined): string {
  const lines = [`Content-Disposition: ${disposition}`, ...(type ? [`Content-Type: ${type}`] : [])]
  return `${lines.map((line) => `${line}\r\n`).join('')}\r\n`
}

function escapeQuoted(text: string): string {
  return text.replaceAll('"', '%22').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

// The same arguments make the same bytes; a content that holds the boundary makes it longer.
function findBoundary(parts: readonly Part[]): string {
  const texts = parts.map(({ content }) => new TextDecoder('latin1').decode(content))
  let boundary = '----waymark-form'
  while (texts.some((text) => text.includes(boundary))) boundary += `-${boundary.length}`
  return boundary
}

function joinParts(parts: readonly Part[], boundary: string): ArrayBuffer {
  const encoder = new TextEncoder()
  const chunks = parts.flatMap(({ head, content }) => [
    encoder.encode(`--${boundary}\r\n${head}`),
    content,
    encoder.encode('\r\n'),
  ])
  return joinBytes([...chunks, encoder.encode(`--${boundary}--\r\n`)]).buffer
}

interface FileArgument {
  readonly bytes: ArrayBuffer
  readonly name: string
  readonly type: string
}

function readFile(field: BodyField, value: unknown, tool: string): FileArgument {
  const text = toScalarText(value)
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
