import { parseExactJson } from '../../../core/exact-json.ts'
import type { StreamEvent } from './contract.ts'

const MAX_EVENT_LENGTH = 16 * 1024 * 1024

/** Reads server-sent events; stops reading when nobody asks for more. */
export async function* readEvents(
  body: ReadableStream<Uint8Array>,
): AsyncGenerator<StreamEvent, void, void> {
  const reader = body.getReader()
  const decoder = new TextDecoder()
  let rest = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      rest += decoder.decode(value, { stream: !done }).replaceAll('\r\n', '\n')
      const blocks = rest.split('\n\n')
      rest = blocks.pop() ?? ''
      for (const block of done ? [...blocks, rest] : blocks) {
        const event = parseEvent(block)
        if (event !== undefined) yield event
      }
      if (done) return
      if (rest.length > MAX_EVENT_LENGTH) throw new RangeError('An event of the stream is too long')
    }
  } finally {
    await reader.cancel().catch(() => {})
  }
}

function parseEvent(block: string): StreamEvent | undefined {
  let event = 'message'
  const data: string[] = []
  for (const line of block.split('\n')) {
    const [, field, value = ''] = /^([^:]*):? ?(.*)$/s.exec(line) ?? []
    if (field === 'event') event = value
    if (field === 'data') data.push(value)
  }
  if (data.length === 0) return undefined
  return { event, data: parseExactJson(data.join('\n')) }
}
