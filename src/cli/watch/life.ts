import { type ChildProcess, fork } from 'node:child_process'
import { statSync } from 'node:fs'
import type { AddressInfo, Socket } from 'node:net'

/** How the last attempt to load the service went, as the page asks for it. */
export interface WatchStatus {
  /** Grows with every service that took the place of another. */
  readonly generation: number
  /** What is wrong with the files as they are now. */
  readonly error?: string
}

/** What a process that serves tells the one that holds the port. */
export type FromLife =
  | { readonly type: 'file'; readonly path: string; readonly mtimeMs: number }
  | { readonly type: 'ready'; readonly text: string; readonly functions: number }
  | { readonly type: 'failed'; readonly message: string }

/** What the process that holds the port tells one that serves; a connection comes with its socket. */
export type ToLife =
  | { readonly type: 'connection' }
  | { readonly type: 'status'; readonly status: WatchStatus }
  | { readonly type: 'drain' }

/** Where a process finds the address of the port that another one holds. */
export const WATCHED = 'WAYMARK_WATCHED'

/** One process that serves what the files were when it began. */
export interface Life {
  /** Resolves when it answers, or with what kept it from that. */
  readonly begun: Promise<Begun>
  /** Resolves with its exit code. */
  readonly ended: Promise<number>
  readonly send: (message: ToLife, socket?: Socket) => void
  /** Ends it at once; for one that nobody waits for any more. */
  readonly kill: () => void
}

/** How a life began. */
export type Begun = Exclude<FromLife, { type: 'file' }>

/** Starts the program again, in a process of its own that is handed its connections. */
export function startLife(args: readonly string[], { address, onFile }: LifeOptions): Life {
  const child = fork(process.argv[1] ?? '', args, {
    env: { ...process.env, [WATCHED]: JSON.stringify(address) },
  })
  const ended = new Promise<number>((resolve) => {
    child.once('exit', (code) => resolve(code ?? 1))
    child.once('error', () => resolve(1))
  })
  const begun = new Promise<Begun>((resolve) => {
    child.on('message', (message: FromLife) => {
      if (message.type === 'file') onFile(message.path, message.mtimeMs)
      else resolve(message)
    })
    void ended.then((code) =>
      resolve({
        type: 'failed',
        message: `the service ended with exit code ${code} before it listened`,
      }),
    )
  })
  return {
    begun,
    ended,
    send: (message, socket) => send(child, message, socket),
    kill: () => void child.kill('SIGKILL'),
  }
}

/** What a life is started with. */
export interface LifeOptions {
  readonly address: AddressInfo
  /** Told of each file it is made of, and how old that was when it was read. */
  readonly onFile: (path: string, mtimeMs: number) => void
}

/** A process that ends while it is told something has lost nothing that it could still answer. */
function send(child: ChildProcess, message: ToLife, socket?: Socket): void {
  if (child.connected) child.send(message, socket, {}, () => {})
  else socket?.destroy()
}

/** How old a file is; 0 when it is not there. */
export function readAge(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs ?? 0
}
