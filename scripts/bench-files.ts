// Sends a gigabyte up and down through REST on 127.0.0.1 and prints the memory of the server: npm run bench:files
import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { type IncomingMessage, request } from 'node:http'
import { fileURLToPath } from 'node:url'
import { createFile, createService, defineFunction, file, rest, serve } from 'waymark'
import { z } from 'zod'

const BYTES = Number(process.env['MEGABYTES'] ?? 1_024) * 1_048_576
const CHUNK = Buffer.alloc(65_536, 7)
/** What memory may grow by, whatever the file: buffers of streams and what the collector has not taken yet. */
const MOST_GROWTH = 150

async function* zeros(bytes: number): AsyncGenerator<Uint8Array> {
  for (let left = bytes; left > 0; left -= CHUNK.length) yield CHUNK.subarray(0, left)
}

async function runServer(): Promise<void> {
  const put = defineFunction({
    name: 'files.put',
    version: '1.0.0',
    input: z.object({ data: file({ maxBytes: 2 * BYTES }) }),
    output: z.object({ bytes: z.number() }),
    handler: async ({ input }) => {
      let bytes = 0
      for await (const chunk of input.data.stream()) bytes += chunk.length
      return { bytes }
    },
  })
  const get = defineFunction({
    name: 'files.get',
    version: '1.0.0',
    readOnly: true,
    output: file(),
    handler: () => createFile((start, end) => zeros(end - start), { name: 'zeros', size: BYTES }),
  })
  const service = createService({
    info: { title: 'Files', version: '1.0.0' },
    functions: [put, get],
    log: { warn: console.error, error: console.error },
  })
  const { url } = await serve(service, { port: 0, surfaces: [rest()] })
  let most = 0
  setInterval(() => {
    most = Math.max(most, process.memoryUsage().rss)
  }, 20)
  process.on('message', (word) => {
    process.send?.({ most: Math.max(most, process.memoryUsage().rss) })
    if (word === 'reset') most = 0
  })
  process.send?.({ url })
}

async function ask(server: ChildProcess, word: string): Promise<{ readonly most: number }> {
  server.send(word)
  const [answer] = (await once(server, 'message')) as [{ most: number }]
  return answer
}

/** Sends a body and gives the bytes that came back, without keeping them. */
async function exchange(
  url: string,
  method: string,
  headers: Readonly<Record<string, string>>,
  parts: AsyncIterable<Uint8Array> | undefined,
): Promise<{ readonly status: number; readonly bytes: number; readonly text: string }> {
  const outgoing = request(url, { method, headers })
  const answered = once(outgoing, 'response')
  for await (const part of parts ?? []) if (!outgoing.write(part)) await once(outgoing, 'drain')
  outgoing.end()
  const [incoming] = (await answered) as [IncomingMessage]
  let bytes = 0
  let text = ''
  for await (const chunk of incoming as AsyncIterable<Buffer>) {
    bytes += chunk.length
    if (bytes < 1_000) text += chunk.toString()
  }
  return { status: incoming.statusCode ?? 0, bytes, text }
}

async function* form(): AsyncGenerator<Uint8Array> {
  yield Buffer.from('--B\r\nContent-Disposition: form-data; name="data"; filename="zeros"\r\n\r\n')
  yield* zeros(BYTES)
  yield Buffer.from('\r\n--B--\r\n')
}

async function runClient(): Promise<void> {
  const server = fork(fileURLToPath(import.meta.url), ['serve'], { execArgv: process.execArgv })
  const [{ url }] = (await once(server, 'message')) as [{ url: string }]
  const base = `${url}/api/files`
  const raw = { 'content-type': 'application/octet-stream', 'content-length': String(BYTES) }
  const multipart = { 'content-type': 'multipart/form-data; boundary=B' }
  const cases = [
    ['up, octet-stream', () => exchange(`${base}.put`, 'POST', raw, zeros(BYTES))],
    ['up, multipart', () => exchange(`${base}.put`, 'POST', multipart, form())],
    ['down', () => exchange(`${base}.get`, 'GET', {}, undefined)],
  ] as const
  // A first small exchange loads what is loaded when it is used.
  await exchange(`${base}.put`, 'POST', { 'content-type': 'text/plain' }, zeros(10))
  try {
    for (const [title, run] of cases) {
      const { most: before } = await ask(server, 'reset')
      const started = performance.now()
      const { status, bytes, text } = await run()
      const seconds = (performance.now() - started) / 1_000
      const { most } = await ask(server, 'ask')
      const growth = Math.round((most - before) / 1_048_576)
      const moved = title === 'down' ? bytes : (JSON.parse(text) as { bytes: number }).bytes
      console.log(
        `${title.padEnd(18)} ${Math.round(moved / 1_048_576)} MB in ${seconds.toFixed(1)} s, memory of the server ${Math.round(before / 1_048_576)} MB, at most ${growth} MB more`,
      )
      if (status !== 200 || moved !== BYTES) throw new Error(`${title}: ${status}, ${moved} bytes`)
      if (growth > MOST_GROWTH) throw new Error(`${title}: memory grew by ${growth} MB`)
    }
  } finally {
    server.kill()
  }
}

if (process.argv[2] === 'serve') await runServer()
else await runClient()
