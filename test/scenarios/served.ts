import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import type { ResponseDocument } from '../../src/wire/envelope.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** The example service in a process of its own, as `npm start` runs it. */
export interface Served {
  readonly url: string
  /** Calls a function the way any client does; extensions by short name. */
  readonly call: (
    name: string,
    input?: object,
    extensions?: Readonly<Record<string, object>>,
  ) => Promise<ResponseDocument>
  readonly stop: () => Promise<void>
  /** Ends the process as a crash would. */
  readonly crash: () => Promise<void>
}

/** Where one run keeps its state and its data. */
export interface ServedOptions {
  readonly store: string
  readonly namespace: string
  readonly database: string
}

/** Starts `waymark serve examples/events` and waits until it listens. */
export async function serveEvents({ store, namespace, database }: ServedOptions): Promise<Served> {
  const flags = ['--store', store, '--port', '0', '--json']
  const child = spawn(process.execPath, ['bin/waymark.js', 'serve', 'examples/events', ...flags], {
    cwd: ROOT,
    env: { ...process.env, WAYMARK_NAMESPACE: namespace, EVENTS_DATABASE: database },
  })
  process.once('exit', () => child.kill('SIGKILL'))
  const url = await readUrl(child)
  let count = 0
  return {
    url,
    async call(name, input = {}, extensions = {}) {
      count += 1
      const response = await fetch(`${url}/forrst`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({
          protocol: { name: 'forrst', version: '0.1.0' },
          id: `req_${count}`,
          call: { function: name, arguments: input },
          extensions: Object.entries(extensions).map(([short, options]) => ({
            urn: `urn:forrst:ext:${short}`,
            options,
          })),
        }),
      })
      return (await response.json()) as ResponseDocument
    },
    async crash() {
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
    },
    async stop() {
      if (child.exitCode !== null || child.signalCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      const late = setTimeout(() => child.kill('SIGKILL'), 5_000)
      await ended
      clearTimeout(late)
    },
  }
}

function readUrl(child: ChildProcess): Promise<string> {
  let output = ''
  return new Promise((resolve, reject) => {
    const read = (chunk: Buffer) => {
      output += chunk
      const url = /"url":"([^"]+)"/.exec(output)?.[1]
      if (url !== undefined) resolve(url)
    }
    child.stdout?.on('data', read)
    child.stderr?.on('data', read)
    child.once('exit', (code) => reject(new Error(`serve ended with ${code}: ${output}`)))
  })
}
