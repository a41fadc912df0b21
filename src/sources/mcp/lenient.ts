import { isRecord, type JsonObject } from '../../values/index.ts'

/** The part of a transport that hands messages to the client. */
interface Receiving {
  onmessage?: ((message: never, extra?: never) => void) | undefined
}

/** Member of `_meta` that holds a content block which the client would refuse. */
const BLOCK = 'waymark/block'

/**
 * Lets the official client take answers that are partly wrong. It checks a list of tools and the content of a result as a
 * whole: one tool without a schema, or one block of a type that it does not know, would cost all the others.
 */
export function receiveLeniently(
  transport: object,
  onSkipped: (tool: string, reason: string) => void,
): void {
  let receive: Receiving['onmessage']
  Object.defineProperty(transport, 'onmessage', {
    configurable: true,
    get: () => receive,
    set(next: Receiving['onmessage']) {
      receive =
        next && ((message, extra) => next(soften(message, onSkipped) as never, extra as never))
    },
  })
}

function soften(message: unknown, onSkipped: (tool: string, reason: string) => void): unknown {
  if (!isRecord(message) || !isRecord(message['result'])) return message
  const { result } = message
  const { tools, content } = result
  if (!Array.isArray(tools) && !Array.isArray(content)) return message
  return {
    ...message,
    result: {
      ...result,
      ...(Array.isArray(tools) && { tools: tools.flatMap((tool) => toSoundTool(tool, onSkipped)) }),
      ...(Array.isArray(content) && { content: content.map(hideUnknownBlock) }),
    },
  }
}

/** Members of a tool that are dropped when they have another type. */
const OPTIONAL: Readonly<Record<string, (value: unknown) => boolean>> = {
  title: isText,
  description: isText,
  annotations: isRecord,
  _meta: isRecord,
  icons: (value) =>
    Array.isArray(value) && value.every((icon) => isRecord(icon) && isText(icon['src'])),
  execution: isRecord,
  outputSchema: isRecord,
}

function toSoundTool(
  tool: unknown,
  onSkipped: (tool: string, reason: string) => void,
): readonly JsonObject[] {
  const name = isRecord(tool) ? tool['name'] : undefined
  if (!isRecord(tool) || !isText(name) || name === '') {
    onSkipped('(unnamed)', 'it has no name')
    return []
  }
  if (!isRecord(tool['inputSchema'])) {
    onSkipped(name, 'its inputSchema is not an object')
    return []
  }
  const sound = Object.entries(tool).filter(([key, value]) => OPTIONAL[key]?.(value) ?? true)
  const { inputSchema } = tool
  return [
    {
      ...Object.fromEntries(sound),
      inputSchema: { ...(inputSchema as JsonObject), type: 'object' },
      ...toSoundHints(tool['annotations']),
    },
  ]
}

function toSoundHints(annotations: unknown): JsonObject {
  if (!isRecord(annotations)) return {}
  const hints = Object.entries(annotations).filter(([key, value]) =>
    key.endsWith('Hint') ? typeof value === 'boolean' : key !== 'title' || isText(value),
  )
  return { annotations: Object.fromEntries(hints) as JsonObject }
}

const BLOCKS: Readonly<Record<string, (block: Readonly<Record<string, unknown>>) => boolean>> = {
  text: ({ text }) => isText(text),
  image: ({ data, mimeType }) => isText(data) && isText(mimeType),
  audio: ({ data, mimeType }) => isText(data) && isText(mimeType),
  resource_link: ({ uri, name }) => isText(uri) && isText(name),
  resource: ({ resource }) =>
    isRecord(resource) &&
    isText(resource['uri']) &&
    (isText(resource['text']) || isText(resource['blob'])),
}

function hideUnknownBlock(block: unknown): unknown {
  const type = isRecord(block) ? block['type'] : undefined
  const known =
    isText(type) && Object.hasOwn(BLOCKS, type) && isRecord(block) && BLOCKS[type]?.(block)
  return known ? block : { type: 'text', text: '', _meta: { [BLOCK]: block } }
}

/** Puts back the content blocks that were hidden from the client. */
export function restoreBlocks(content: unknown): unknown {
  if (!Array.isArray(content)) return content
  return content.map((block: unknown): unknown => {
    const meta = isRecord(block) ? block['_meta'] : undefined
    return isRecord(meta) && BLOCK in meta ? meta[BLOCK] : block
  })
}

function isText(value: unknown): value is string {
  return typeof value === 'string'
}
