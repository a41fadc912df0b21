import { once } from 'node:events'
import type { Writable } from 'node:stream'
import {
  isLargeNumber,
  MAY_BE_LARGE,
  quoteNumbers,
  withoutMark,
  writeMarked,
} from '../../values/index.ts'
import { createLineLimit } from './line-limit.ts'

/** Fetches what an MCP server says; integers that a number would round become strings of their digits, and back. */
export async function fetchExact(
  url: string | URL | Request,
  init?: RequestInit,
): Promise<Response> {
  const response = await fetch(url, init && toExactInit(init))
  const type = response.headers.get('content-type') ?? ''
  if (response.body === null || !/\b(?:json|event-stream)\b/.test(type)) return response
  const exact = response.body
    .pipeThrough<string>(new TextDecoderStream() as never)
    .pipeThrough(createLineStream())
    .pipeThrough(new TextEncoderStream())
  const { status, statusText } = response
  const headers = new Headers(response.headers)
  for (const name of ['content-length', 'content-encoding']) headers.delete(name)
  return new Response(exact, { status, statusText, headers })
}

/** Arguments stand in the body, and copies of some in headers. */
function toExactInit(init: RequestInit): RequestInit {
  const headers = new Headers(init.headers)
  for (const [name, value] of [...headers]) headers.set(name, withoutMark(value))
  const { body } = init
  return { ...init, headers, ...(typeof body === 'string' && { body: writeMarked(body) }) }
}

/** Makes the buffer of a pipe quote such integers in every whole line it holds. */
export function readExactly(transport: object): void {
  // The official client offers no place to look at a line before it is parsed.
  const buffer = (transport as { readonly _readBuffer?: LineBuffer })._readBuffer
  if (typeof buffer?.append !== 'function') {
    throw new TypeError(
      'This version of @modelcontextprotocol/client reads integers beyond ±(2^53−1) wrong over stdio; use 2.4',
    )
  }
  const append = buffer.append.bind(buffer)
  const limit = createLineLimit()
  buffer.append = (chunk) => {
    // One character for each byte: a chunk may end in the middle of a character.
    const lines = Buffer.from(limit.push(chunk.toString('latin1')), 'latin1').toString()
    if (lines !== '') append(Buffer.from(quoteLines(lines)))
  }
}

/** Makes a pipe write marked digits as numbers. */
export function writeExactly(transport: object): void {
  // The official client offers no place to look at a line before it is written.
  const pipe = transport as Pipe
  const send = pipe.send.bind(pipe)
  pipe.send = async (message) => {
    const text = JSON.stringify(message)
    const exact = writeMarked(text)
    if (exact === text) return send(message)
    const stdin = pipe._process?.stdin
    // The mark of the digits must never leave, nor the number they would be rounded to.
    if (!stdin)
      throw new Error('The pipe to the MCP server is closed, or cannot carry exact integers')
    if (!stdin.write(`${exact}\n`)) await once(stdin, 'drain')
  }
}

interface Pipe {
  send: (message: unknown) => Promise<void>
  readonly _process?: { readonly stdin?: Writable | null }
}

interface LineBuffer {
  append: (chunk: Buffer) => void
}

/** No string of JSON goes beyond its line, so that every line can be looked at by itself. */
function createLineStream(): TransformStream<string, string> {
  const limit = createLineLimit()
  return new TransformStream({
    transform(chunk, controller) {
      const lines = limit.push(chunk)
      if (lines !== '') controller.enqueue(quoteLines(lines))
    },
    flush(controller) {
      const rest = limit.flush()
      if (rest !== '') controller.enqueue(quoteLines(rest))
    },
  })
}

function quoteLines(text: string): string {
  if (!MAY_BE_LARGE.test(text)) return text
  return text.replace(/[^\r\n]+/g, (line) => {
    // `id:` and `retry:` of an event are not JSON.
    return /^(?:id|retry|event):|^:/.test(line) ? line : quoteNumbers(line, isLargeNumber)
  })
}
