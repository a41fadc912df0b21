import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Service } from '../core/index.ts'
import type { Triggers } from '../triggers/index.ts'
import type { App } from './app.ts'

/** How a server ended. */
export interface DrainReport {
  /** Calls that did not end within the grace, whose connections were cut. */
  readonly cutCalls: number
}

/** How a server is closed. */
export interface DrainOptions {
  /** Milliseconds between readiness saying 503 and the end of new connections; none when absent. */
  readonly pauseMs?: number
}

/** What is closed, and how long it may take. */
export interface DrainParts {
  readonly server: Server
  readonly app: App
  readonly service: Service
  readonly sockets: ReadonlySet<Socket>
  readonly triggers: Triggers | undefined
  readonly graceMs: number
}

/**
 * Ends a server in order: readiness says 503 and answers close their connections; triggers stop; after a pause no
 * connection is taken any more; running calls get the rest of the grace; the service is closed.
 */
export async function drainServer(
  { server, app, service, sockets, triggers, graceMs }: DrainParts,
  { pauseMs = 0 }: DrainOptions = {},
): Promise<DrainReport> {
  const { clock, log } = service
  app.drain?.()
  const pause = pauseMs > 0 && new Promise((resolve) => setTimeout(resolve, pauseMs))
  const started = clock.elapsed()
  await triggers?.stop(graceMs)
  const left = Math.max(0, graceMs - (clock.elapsed() - started))
  await pause
  const cutCalls = await closeConnections(server, sockets, app, left)
  if (cutCalls > 0)
    log.warn('calls were cut: they did not end within the grace', { cutCalls, graceMs })
  await service.close()
  return { cutCalls }
}

const IDLE_LOOK_MS = 50

/** Takes no more connections, waits for the calls on those there are, and counts those it had to cut. */
async function closeConnections(
  server: Server,
  sockets: ReadonlySet<Socket>,
  app: App,
  graceMs: number,
): Promise<number> {
  let cut = 0
  const closed = new Promise<void>((resolve) => server.close(() => resolve()))
  app.close?.()
  server.closeIdleConnections()
  // Node counts a connection that never sent anything as busy; clients leave such ones behind.
  for (const socket of sockets) if (socket.bytesRead === 0) socket.destroy()
  // A connection whose answer was written before the drain stays open for another call that nobody will answer.
  const idle = setInterval(() => server.closeIdleConnections(), IDLE_LOOK_MS)
  const timer = setTimeout(() => {
    server.closeIdleConnections()
    cut = [...sockets].filter(({ destroyed }) => !destroyed).length
    server.closeAllConnections()
  }, graceMs)
  await closed
  // A server that was handed its connections does not wait for them by itself.
  for (const socket of sockets) await new Promise((resolve) => socket.once('close', resolve))
  clearInterval(idle)
  clearTimeout(timer)
  return cut
}

/** How a process ends that served: whether every call was answered. A shell gives 130 to what was interrupted. */
const EXIT_CODES = { answered: 0, cut: 4, failed: 1, interrupted: 130 } as const

const SIGNALS = ['SIGTERM', 'SIGINT'] as const

/**
 * Drains when the process is asked to end, and ends it; a second signal ends it at once. Where others listen to the
 * signal too, the end is left to them. Gives a function that takes the handlers away again.
 */
export function drainOnSignals(
  drain: (options: DrainOptions) => Promise<DrainReport>,
  pauseMs: number,
): () => void {
  let asked = false
  const remove = (): void => {
    for (const signal of SIGNALS) process.off(signal, onSignal)
  }
  const end = (signal: NodeJS.Signals, code: number): void => {
    remove()
    process.exitCode = Math.max(code, Number(process.exitCode ?? 0))
    if (process.listenerCount(signal) === 0) process.exit()
  }
  const onSignal = (signal: NodeJS.Signals): void => {
    if (asked) process.exit(EXIT_CODES.interrupted)
    asked = true
    // A person at the keyboard waits; no load balancer has to hear of it first.
    drain(signal === 'SIGTERM' ? { pauseMs } : {}).then(
      ({ cutCalls }) => end(signal, cutCalls > 0 ? EXIT_CODES.cut : EXIT_CODES.answered),
      () => end(signal, EXIT_CODES.failed),
    )
  }
  for (const signal of SIGNALS) process.on(signal, onSignal)
  return remove
}
