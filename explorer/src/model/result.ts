import type { Content } from './types.ts'

/** A piece of an answer, ready to be drawn. */
export type Piece =
  | { readonly kind: 'json'; readonly value: unknown }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'image' | 'audio'; readonly source: string; readonly mimeType: string }
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
const BASE64 = /^[A-Za-z0-9+/\s]+={0,2}\s*$/

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
  if (structured !== undefined) return structured
  const [first] = content.map(toPiece)
  return first?.kind === 'json' ? first.value : first?.kind === 'text' ? first.text : undefined
}

function toTextPiece(text: string): Piece {
  if (!/^\s*[[{"\dtfn-]/.test(text)) return { kind: 'text', text }
  try {
    return { kind: 'json', value: JSON.parse(text) as unknown }
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
  return (
    Array.isArray(value) &&
    value.length > 0 &&
    value.every((row) => typeof row === 'object' && row !== null && !Array.isArray(row))
  )
}
