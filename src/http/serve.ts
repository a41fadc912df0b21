import type { Server } from 'node:http'
import type { AddressInfo, Socket } from 'node:net'
import type { Service } from '../core/index.ts'
import type { Surface } from '../surfaces/surface/index.ts'
import type { Triggers } from '../triggers/index.ts'
import { allSurfaces } from './all-surfaces.ts'
import { type AppOptions, createApp } from './app.ts'
import { type DrainOptions, type DrainReport, drainOnSignals, drainServer } from './drain.ts'
import { assertNotMoved } from './mount.ts'
import { toNodeListener } from './node.ts'

/** Where and how to listen. */
export interface ServeOptions extends Omit<AppOptions, 'bind' | 'surfaces'> {
  /** Every surface when absent: `allSurfaces()`. */
  readonly surfaces?: readonly Surface[]
  /** 4000 when absent; 0 takes any free port. */
  readonly port?: number
  /** 127.0.0.1 when absent. */
  readonly host?: string
  /** Milliseconds that running calls get to finish when the server closes; 10000 when absent. */
  readonly graceMs?: number
  /** Milliseconds between a SIGTERM, which turns readiness to 503, and the end of new connections; 1000 when absent. */
  readonly drainPauseMs?: number
  /**
   * Whether the process is there for this service, as when absent: it logs where it listens, and SIGTERM or SIGINT
   * drain the server and end the process. False leaves all that to you.
   */
  readonly ownsProcess?: boolean
  /** Milliseconds within which a request must have arrived, its head within a third of it; 60000 when absent. */
  readonly requestTimeoutMs?: number
  /**
   * Milliseconds that a peer may take no byte of what was written for it; 60000 when absent. For the whole of one write it
   * has that long, and a second more for each 64 KiB.
   */
  readonly sendTimeoutMs?: number
  /** Started when the service listens, stopped before it no longer does. */
  readonly triggers?: Triggers
}

/** A listening service. */
export interface RunningServer {
  readonly url: string
  readonly port: number
  readonly host: string
  /** Turns readiness to 503, stops triggers, takes no more connections, lets running calls finish, closes the service. */
  readonly drain: (options?: DrainOptions) => Promise<DrainReport>
  /** Does the same, and tells nothing. */
  readonly close: () => Promise<void>
}

/** A port that somebody else holds, and who hands its connections over. */
export interface HeldPort {
  readonly address: AddressInfo
  readonly open: (take: (socket: Socket) => void) => void
}

/** Serves every surface of a service on one port. */
export function serve(service: Service, options: ServeOptions = {}): Promise<RunningServer> {
  return serveAt(undefined, service, options)
}

/** Serves a service behind a door; on a port of its own where there is none. */
export async function serveAt(
  door: HeldPort | undefined,
  service: Service,
  options: ServeOptions = {},
): Promise<RunningServer> {
  assertNotMoved('serve', options)
  const { port = 4000, host = '127.0.0.1', graceMs = 10_000, triggers } = options
  const { createServer } = await loadHttp()
  const server = createServer({
    keepAliveTimeout: 65_000,
    ...toNodeTimeouts(options.requestTimeoutMs ?? 60_000),
  })
  const sockets = trackSockets(server)
  endStuckSockets(server, sockets, options.sendTimeoutMs ?? 60_000)
  // The profile names the port, which is only known now; nobody can have connected before this turn ends.
  const { app, url, address } = await listen(server, door ?? { port, host }, (address) => {
    const url = toUrl(address)
    service.start()
    const app = createApp(service, {
      publicUrl: url,
      ...options,
      surfaces: options.surfaces ?? allSurfaces(),
      bind: address.address,
      ...bindHosts(host, options),
      mounts: [...(options.mounts ?? []), ...(triggers?.mounts ?? [])],
    })
    server.on('request', toNodeListener(app))
    return { app, url, address }
  })
  let drained: Promise<DrainReport> | undefined
  let forgetSignals: (() => void) | undefined
  const drain = (how?: DrainOptions): Promise<DrainReport> => {
    drained ??= drainServer({ server, app, service, sockets, triggers, graceMs }, how).finally(() =>
      forgetSignals?.(),
    )
    return drained
  }
  const close = async (): Promise<void> => void (await drain())
  await triggers?.start({ host }).catch(async (thrown: unknown) => {
    await close()
    throw thrown
  })
  if (options.ownsProcess !== false) {
    forgetSignals = drainOnSignals(drain, options.drainPauseMs ?? 1_000)
    service.log.info?.('listening', { url, service: service.name })
  }
  return { url, port: address.port, host, drain, close }
}

/** Workers import this file as well; what they have of node:http does not listen. */
async function loadHttp(): Promise<typeof import('node:http')> {
  const http = await import('node:http').catch(() => undefined)
  const { navigator } = globalThis as { readonly navigator?: { readonly userAgent?: string } }
  const isWorker = navigator?.userAgent === 'Cloudflare-Workers'
  if (http !== undefined && !isWorker) return http
  throw new TypeError(
    'serve needs a runtime that listens on a port; here, export a handler: toFetchHandler(createApp(service, { surfaces }))',
  )
}

function toUrl({ address, family, port }: AddressInfo): string {
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`
}

/** A service bound to one name is reached under it; one bound to every address must not guess its names. */
function bindHosts(host: string, options: ServeOptions): Pick<AppOptions, 'allowedHosts'> {
  if (options.allowedHosts !== undefined) return { allowedHosts: options.allowedHosts }
  return host === '0.0.0.0' || host === '::'
    ? {}
    : { allowedHosts: [host.includes(':') ? `[${host}]` : host] }
}

/** Connections that wait to be accepted. Node keeps 511; one more is dropped, and its client tries again a second later. */
export const BACKLOG = 4_096

async function listen<Value>(
  server: Server,
  place: HeldPort | { readonly port: number; readonly host: string },
  ready: (address: AddressInfo) => Value,
): Promise<Value> {
  if ('open' in place) {
    const value = ready(place.address)
    // With this event node:http begins to look after idle and slow connections.
    server.emit('listening')
    place.open((socket) => server.emit('connection', socket))
    return value
  }
  return new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen({ ...place, backlog: BACKLOG }, () => {
      server.off('error', reject)
      try {
        resolve(ready(server.address() as AddressInfo))
      } catch (thrown) {
        server.close()
        reject(thrown)
      }
    })
  })
}

function trackSockets(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket) => {
    sockets.add(socket)
    socket.once('close', () => sockets.delete(socket))
  })
  return sockets
}

/** Slow senders are found this often, not only every half minute. */
const SLOW_LOOK_MS = 5_000

function toNodeTimeouts(requestTimeout: number): {
  readonly requestTimeout: number
  readonly headersTimeout: number
  readonly connectionsCheckingInterval: number
} {
  return {
    requestTimeout,
    headersTimeout: Math.ceil(requestTimeout / 3),
    connectionsCheckingInterval: Math.min(SLOW_LOOK_MS, Math.ceil(requestTimeout / 4)),
  }
}

/** What a peer gets one more second for. */
const BYTES_PER_SECOND = 65_536

/** What is known of a connection with something left to send. */
interface Stuck {
  /** What has left the process, whole writes only, and since when it is as much. */
  readonly taken: number
  readonly since: number
  /** What the system has not taken yet, and since when it is as much. */
  queued: number | undefined
  moved: number
}

/** Ends connections whose peer does not take what was written for it: an answer, or the next event of a stream. */
function endStuckSockets(
  server: Server,
  sockets: ReadonlySet<Socket>,
  sendTimeoutMs: number,
): void {
  const stuck = new Map<Socket, Stuck>()
  const look = (): void => {
    const now = performance.now()
    for (const socket of stuck.keys()) if (!sockets.has(socket)) stuck.delete(socket)
    for (const socket of sockets) {
      const left = socket.writableLength
      const taken = socket.bytesWritten - left
      const queued = readQueueSize(socket)
      const before = stuck.get(socket)
      if (left === 0) stuck.delete(socket)
      else if (before?.taken !== taken) {
        stuck.set(socket, { taken, since: now, queued, moved: now })
      } else {
        if (before.queued !== queued) Object.assign(before, { queued, moved: now })
        const isSilent = now - before.moved > sendTimeoutMs
        const isSlow = now - before.since > sendTimeoutMs + (1_000 * left) / BYTES_PER_SECOND
        if (isSilent || isSlow) socket.destroy()
      }
    }
  }
  const timer = setInterval(look, Math.min(SLOW_LOOK_MS, Math.ceil(sendTimeoutMs / 4)))
  timer.unref()
  server.once('close', () => clearInterval(timer))
}

/** The only number that falls while a peer reads slowly; Node's own socket timeout looks at it too. */
function readQueueSize(socket: Socket): number | undefined {
  const { _handle: handle } = socket as { readonly _handle?: { readonly writeQueueSize?: number } }
  return handle?.writeQueueSize
}
