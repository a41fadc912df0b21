import { splitFile } from '../files/index.ts'
import { type FilePlace, mapFiles } from '../schema/index.ts'
import { isRecord, type JsonObject, toText } from '../values/index.ts'

/** One block of what agents are given: text, an image, sound, or a file. */
export type ResultBlock = JsonObject & { readonly type: string }

/** A result as blocks of content. */
export interface ResultContent {
  readonly blocks: readonly ResultBlock[]
  /** The rest of the result, with the URI of its block in place of each file; undefined when it was nothing but a file. */
  readonly value: unknown
}

// Registered by the MCP surface: results that are blocks already, such as those of remote tools.
const MARK = Symbol.for('waymark tool content')

/**
 * Makes blocks of the files of a result, so that nobody has to read base64 as text. Undefined when it has none. A client
 * that does not know audio gets it as a file.
 */
export function toResultContent(
  result: unknown,
  files: FilePlace | undefined,
  { audio = true }: { readonly audio?: boolean } = {},
): ResultContent | undefined {
  if (typeof result === 'object' && result !== null && MARK in result) {
    const { content, structuredContent } = result as unknown as {
      readonly content: readonly ResultBlock[]
      readonly structuredContent?: unknown
    }
    return { blocks: content, value: structuredContent }
  }
  const bytes = readBytes(result)
  if (bytes !== undefined)
    return { blocks: [toBlock(bytes, 'attachment:///result', audio)], value: undefined }
  if (files === undefined) return undefined
  const blocks: ResultBlock[] = []
  const value = mapFiles(result, files, (text, _rule, path) => {
    const found = splitFile(toText(text))
    if (found === undefined) return text
    const name = encodeURIComponent(found.name || 'file')
    const uri = `attachment:///${[...path.map(encodeURIComponent), name].join('/')}`
    blocks.push(toBlock(found, uri, audio))
    return uri
  })
  if (blocks.length === 0) return undefined
  return { blocks, value: typeof value === 'string' ? undefined : value }
}

interface Bytes {
  readonly type: string
  readonly data: string
}

/** What imported APIs answer that is not text. */
function readBytes(result: unknown): Bytes | undefined {
  if (!isRecord(result) || Object.keys(result).length !== 3) return undefined
  const { mime, bytes, base64 } = result
  if (typeof mime !== 'string' || typeof bytes !== 'number' || typeof base64 !== 'string') {
    return undefined
  }
  return { type: mime, data: base64 }
}

function toBlock({ type, data }: Bytes, uri: string, audio: boolean): ResultBlock {
  const [kind] = type.split('/', 1)
  if (kind === 'image' || (kind === 'audio' && audio)) {
    return { type: kind, data, mimeType: type, _meta: { 'waymark/uri': uri } }
  }
  const isText = kind === 'text' || type === 'application/json'
  const held = isText ? { text: Buffer.from(data, 'base64').toString() } : { blob: data }
  return { type: 'resource', resource: { uri, mimeType: type, ...held } }
}
