import { isRecord } from '../../../src/values/json.ts'
import { hasMembers, parseExactly } from './exact-json.ts'
import { toFileName } from './save.ts'
import type { CallAnswer, Content } from './types.ts'

/** A piece of an answer, ready to be drawn. */
export type Piece =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'image' | 'audio'; readonly source: string; readonly mimeType: string }
  | {
      readonly kind: 'file'
      readonly name: string
      readonly mimeType: string
      readonly data: string
    }
  | { readonly kind: 'link'; readonly href: string; readonly label: string }

// Pictures that browsers draw without running anything; the name goes into an address, so nothing else may pass.
const IMAGES = new Set([
  'image/png',
  'image/jpeg',
  'image/gif',
  'image/webp',
  'image/avif',
  'image/bmp',
])
const SOUNDS = new Set([
  'audio/mpeg',
  'audio/wav',
  'audio/ogg',
  'audio/webm',
  'audio/mp4',
  'audio/aac',
  'audio/flac',
])
const BASE64 = /^[A-Za-z0-9+/\s]+(?:={1,2}\s*)?$/

/** Decides how a piece of content is drawn; what is not known for certain is shown as JSON. */
export function toPiece(content: Content): Piece {
  const { type, text, data, mimeType } = content
  if (type === 'text' && typeof text === 'string') return toTextPiece(text)
  if (typeof data === 'string' && typeof mimeType === 'string' && BASE64.test(data)) {
    const source = `data:${mimeType};base64,${data.replace(/\s/g, '')}`
    if (type === 'image' && IMAGES.has(mimeType)) return { kind: 'image', source, mimeType }
    if (type === 'audio' && SOUNDS.has(mimeType)) return { kind: 'audio', source, mimeType }
  }
  if (type === 'resource_link' && typeof content['uri'] === 'string')
    return toLinkPiece(content['uri'], content)
  if (type === 'resource' && isRecord(content['resource']))
    return toResourcePiece(content['resource'], content)
  return { kind: 'json', value: content }
}

/** Gives the rows of a table, when a value is a list of objects, or holds exactly one such list. */
export function toRows(value: unknown): readonly Record<string, unknown>[] | undefined {
  if (isRows(value)) return value
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return undefined
  const lists = Object.values(value).filter(isRows)
  return lists.length === 1 ? lists[0] : undefined
}

/** Gives the value links look into: structured content, or the only JSON text. */
export function toResultValue(content: readonly Content[], structured: unknown): unknown {
  return toPiecesValue(content.slice(0, 1).map(toPiece), structured)
}

/** Gives the same from pieces that were made before; a long text is not read twice. */
export function toPiecesValue([first]: readonly Piece[], structured: unknown): unknown {
  if (structured !== undefined) return structured
  return first?.kind === 'json' ? first.value : first?.kind === 'text' ? first.text : undefined
}

/** An error of a function, as every surface of a service writes it. */
export interface CallFailure {
  readonly code: string
  readonly message: string
}

/** Gives the errors a function answered with, when that is what an answer holds. */
export function toErrors({ isError, content, structured }: CallAnswer): readonly CallFailure[] {
  const value = isError ? toResultValue(content, structured) : undefined
  const errors = isRecord(value) ? value['errors'] : undefined
  return Array.isArray(errors) ? errors.filter(isFailure) : []
}

/** Tells whether a function refused its arguments. */
export function isRefusal(answer: CallAnswer): boolean {
  return toErrors(answer).some(({ code }) => code === 'INVALID_ARGUMENTS')
}

function isFailure(value: unknown): value is CallFailure {
  return (
    isRecord(value) && typeof value['code'] === 'string' && typeof value['message'] === 'string'
  )
}

function toResourcePiece(resource: Record<string, unknown>, content: Content): Piece {
  const { uri, mimeType, text, blob } = resource
  if (typeof text === 'string') return toTextPiece(text)
  if (typeof blob !== 'string' || !BASE64.test(blob)) return { kind: 'json', value: content }
  const type = typeof mimeType === 'string' ? mimeType : 'application/octet-stream'
  const data = blob.replace(/\s/g, '')
  if (IMAGES.has(type))
    return { kind: 'image', source: `data:${type};base64,${data}`, mimeType: type }
  return { kind: 'file', name: toLastName(uri), mimeType: type, data }
}

function toLastName(uri: unknown): string {
  return toFileName(typeof uri === 'string' ? (uri.split(/[?#]/)[0]?.split('/').at(-1) ?? '') : '')
}

function toTextPiece(text: string): Piece {
  if (!/^\s*[[{"\dtfn-]/.test(text)) return { kind: 'text', text }
  try {
    return { kind: 'json', value: parseExactly(text) }
  } catch {
    return { kind: 'text', text }
  }
}

function toLinkPiece(uri: string, content: Content): Piece {
  if (!/^https?:\/\//i.test(uri)) return { kind: 'json', value: content }
  const label = typeof content['title'] === 'string' ? content['title'] : uri
  return { kind: 'link', href: uri, label }
}

function isRows(value: unknown): value is readonly Record<string, unknown>[] {
  return Array.isArray(value) && value.length > 0 && value.every(hasMembers)
}
