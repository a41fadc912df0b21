// Servers as processes of their own, pinned to one core where the machine can do that.
import { execFileSync, fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'

/** Whether `taskset` and a second core are there. */
export const canPin = hasCommand('taskset')

/** Tells whether a program is installed. */
export function hasCommand(name) {
  try {
    execFileSync('which', [name], { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}

/** Starts a server of bench/servers and waits until it listens. */
export function startServer({ file, env = {} }) {
  const path = fileURLToPath(new URL(`./servers/${file}.mjs`, import.meta.url))
  const started = performance.now()
  return new Promise((resolve, reject) => {
    const child = fork(path, {
      env: { ...process.env, NODE_ENV: 'production', ...env },
      ...(canPin && { execPath: 'taskset', execArgv: ['-c', '0', process.execPath] }),
    })
    child.once('error', reject)
    child.once('exit', (code) => reject(new Error(`${file} ended with ${code}`)))
    child.once('message', ({ port }) =>
      resolve({
        port,
        startMs: performance.now() - started,
        usage: () => askUsage(child),
        stop: () => child.kill(),
      }),
    )
  })
}

/** Gives the middle of some numbers. */
export function median(values) {
  const sorted = [...values].sort((left, right) => left - right)
  return sorted[Math.floor(sorted.length / 2)] ?? Number.NaN
}

function askUsage(child) {
  return new Promise((resolve) => {
    child.once('message', ({ usage, memory }) =>
      resolve({ cpu: usage.user + usage.system, memory }),
    )
    child.send('usage')
  })
}
