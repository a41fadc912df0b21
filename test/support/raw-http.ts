import { connect } from 'node:net'

/** What came back for bytes that no HTTP client would send. */
export interface RawAnswer {
  /** 0 when the connection was closed without an answer. */
  readonly status: number
  readonly text: string
}

/** Sends bytes to a server and reads what comes back until it is quiet, closed, or the time is over. */
export function sendRaw(
  port: number,
  bytes: string | Buffer | readonly (string | Buffer)[],
  { timeoutMs = 5_000 }: { readonly timeoutMs?: number } = {},
): Promise<RawAnswer> {
  return new Promise((resolve) => {
    let text = ''
    const socket = connect(port, '127.0.0.1')
    const finish = () => {
      clearTimeout(timer)
      socket.destroy()
      resolve({ status: Number(/^HTTP\/1\.1 (\d{3})/.exec(text)?.[1] ?? 0), text })
    }
    const timer = setTimeout(finish, timeoutMs)
    socket.on('error', finish).on('close', finish)
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      if (isComplete(text)) finish()
    })
    for (const part of Array.isArray(bytes) ? bytes : [bytes]) socket.write(part)
  })
}

/** Writes the head and body of a request; headers are lines, so that one may come twice. */
export function rawRequest(
  line: string,
  headers: readonly string[],
  body: string | Buffer = '',
): Buffer {
  const length = Buffer.byteLength(body)
  const lines = [line, ...headers, ...(length > 0 ? [`Content-Length: ${length}`] : []), '', '']
  return Buffer.concat([Buffer.from(lines.join('\r\n')), Buffer.from(body)])
}

function isComplete(text: string): boolean {
  const end = text.indexOf('\r\n\r\n')
  if (end === -1) return false
  const length = /content-length: (\d+)/i.exec(text.slice(0, end))?.[1]
  return length !== undefined && text.length >= end + 4 + Number(length)
}
