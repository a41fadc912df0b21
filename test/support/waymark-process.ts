import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** `waymark serve` in a process of its own. */
export interface WaymarkProcess {
  readonly url: string
  readonly port: number
  readonly child: ChildProcess
  /** What it has written to standard error so far. */
  readonly errors: () => string
  /** Resolves with the exit code when it has ended. */
  readonly ended: Promise<number | null>
  /** Asks it to stop, and ends it when it does not. */
  readonly stop: () => Promise<void>
}

/** Starts `waymark serve` with these arguments on a free port, and waits until it listens. */
export function startWaymark(args: readonly string[]): Promise<WaymarkProcess> {
  // Arguments of a test come last, and win.
  const own = ['--drain-pause', '0s', '--port', '0', '--json']
  return startProgram(['bin/waymark.js', 'serve', ...own, ...args])
}

/** Starts Node with these arguments, and waits for the line of JSON that holds the URL where it listens. */
export async function startProgram(args: readonly string[]): Promise<WaymarkProcess> {
  const child = spawn(process.execPath, args, {
    cwd: ROOT,
    env: { ...process.env, NODE_ENV: 'production' },
  })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  let errors = ''
  child.stderr.on('data', (chunk) => {
    errors += String(chunk)
  })
  const ended = once(child, 'exit').then(([code]) => {
    process.off('exit', kill)
    return code as number | null
  })
  const url = await readUrl(child, () => errors)
  return {
    url,
    port: Number(new URL(url).port),
    child,
    errors: () => errors,
    ended,
    async stop() {
      child.kill('SIGTERM')
      const late = setTimeout(kill, 10_000)
      await ended
      clearTimeout(late)
    },
  }
}

function readUrl(child: ChildProcess, errors: () => string): Promise<string> {
  return new Promise((resolve, reject) => {
    let text = ''
    child.stdout?.on('data', (chunk) => {
      text += String(chunk)
      const line = text.slice(0, text.indexOf('\n'))
      if (text.includes('\n')) resolve((JSON.parse(line) as { readonly url: string }).url)
    })
    child.once('exit', () => reject(new Error(`waymark serve ended: ${errors()}`)))
  })
}
