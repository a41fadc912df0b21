import { createRequire } from 'node:module'
import type { AddressInfo, Socket } from 'node:net'
import type { HeldPort } from '../../http/index.ts'
import { toReason } from '../../values/index.ts'
import type { HttpHandler } from '../../wire/index.ts'
import { type FromLife, readAge, type ToLife, WATCHED, type WatchStatus } from './life.ts'

/** The part of a service in its process: how it gets connections, and whom it tells how it stands. */
export interface Watched {
  readonly door: HeldPort
  /** Answers the page when it asks how the files stand. */
  readonly handler: HttpHandler
  readonly ready: (text: string, functions: number) => void
  readonly failed: (thrown: unknown) => void
  /** Resolves when another process has taken over, or the one that holds the port is gone. */
  readonly replaced: Promise<void>
}

/** Joins the process that holds the port; undefined when this one was not started by it. */
export function joinWatch(): Watched | undefined {
  const address = process.env[WATCHED]
  // Whoever is started by a function of ours inherits the variable, but not the channel.
  if (address === undefined || process.send === undefined) return undefined
  let status: WatchStatus = { generation: 0 }
  let take: ((socket: Socket) => void) | undefined
  const replaced = new Promise<void>((resolve) => {
    process.once('disconnect', resolve)
    process.on('message', (message: ToLife, socket?: Socket) => {
      if (message.type === 'drain') resolve()
      else if (message.type === 'status') status = message.status
      // The peer may have left on the way.
      else if (socket !== undefined) take?.(socket)
    })
  })
  return {
    replaced,
    door: {
      address: JSON.parse(address) as AddressInfo,
      open(taker) {
        take = taker
      },
    },
    handler: createStatusHandler(() => status),
    ready(text, functions) {
      tellCommonJs()
      tell({ type: 'ready', text, functions })
    },
    failed(thrown) {
      tellCommonJs()
      tell({ type: 'failed', message: toReason(thrown) })
    },
  }
}

/** Answers how the files stand, to callers on this machine only: an error names files and lines. */
export function createStatusHandler(read: () => WatchStatus): HttpHandler {
  return (request, judgeLocal) => {
    const headers = { 'content-type': 'application/json', 'cache-control': 'no-store' }
    const isNear = judgeLocal !== undefined && judgeLocal(request) === undefined
    const { generation } = read()
    return { status: 200, headers, body: JSON.stringify(isNear ? read() : { generation }) }
  }
}

function tell(message: FromLife): void {
  if (process.connected) process.send?.(message, () => {})
}

/** Files that were required, which the hook of ES modules does not see. */
function tellCommonJs(): void {
  const { cache } = createRequire(import.meta.url)
  for (const path of Object.keys(cache)) {
    if (!/[\\/]node_modules[\\/]/.test(path)) tell({ type: 'file', path, mtimeMs: readAge(path) })
  }
}
