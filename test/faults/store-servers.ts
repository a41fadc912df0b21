import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { chownSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** A server that tests may use. */
export interface TestServer {
  readonly url: string
  /** Ends what was started for the test; leaves a server that was there before alone. */
  stop(): Promise<void>
}

/** A server of the test's own that can be killed and started again on the same data. */
export interface PrivateServer extends TestServer {
  /** Ends the server as a crash would. */
  kill(): Promise<void>
  /** Stops the server from answering, or lets it go on; connections stay open. */
  freeze(frozen: boolean): Promise<void>
  start(): Promise<void>
}

/** Finds the Redis of this machine or starts one; answers nothing where there is neither, which CI refuses. */
export function findRedis(): Promise<TestServer | undefined> {
  const url = process.env['REDIS_URL'] ?? 'redis://127.0.0.1:6379'
  return find(url, 6379, { possible: canStartRedis, start: startRedis })
}

/** Finds the PostgreSQL of this machine or starts one; answers nothing where there is neither, which CI refuses. */
export function findPostgres(): Promise<TestServer | undefined> {
  const url = process.env['POSTGRES_URL'] ?? 'postgres://root@127.0.0.1:5432/test'
  return find(url, 5432, { possible: canStartPostgres, start: startPostgres })
}

/** Tells whether a private Redis can be started here; with CI=true it must. */
export function canStartRedis(): boolean {
  return findBinary('redis-server') !== undefined || refuseSkip('redis-server')
}

/** Tells whether a private PostgreSQL can be started here; with CI=true it must. */
export function canStartPostgres(): boolean {
  const found = findBinary('initdb') !== undefined && findBinary('pg_ctl') !== undefined
  return found || refuseSkip('initdb and pg_ctl')
}

/** Starts a Redis that writes every change to disk before it answers. */
export async function startRedis(extra: readonly string[] = []): Promise<PrivateServer> {
  const binary = requireBinary('redis-server')
  const folder = mkdtempSync(join(tmpdir(), 'waymark-redis-'))
  const port = await findPort()
  const settings = ['--bind', '127.0.0.1', '--port', String(port), '--dir', folder, '--save', '']
  const args = [...settings, '--appendonly', 'yes', '--appendfsync', 'always', ...extra]
  let child: ReturnType<typeof spawn> | undefined

  const server: PrivateServer = {
    url: `redis://127.0.0.1:${port}`,
    async start() {
      child = spawn(binary, args, { stdio: 'ignore' })
      await waitForPort(port)
    },
    freeze: async (frozen) => void child?.kill(frozen ? 'SIGSTOP' : 'SIGCONT'),
    async kill() {
      if (!child) return
      const ended = once(child, 'exit')
      child.kill('SIGKILL')
      await ended
      child = undefined
    },
    async stop() {
      await server.kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  process.once('exit', () => child?.kill('SIGKILL'))
  await server.start()
  return server
}

/** Starts a PostgreSQL with a fresh data folder; as root it runs as the user `postgres`. */
export async function startPostgres(): Promise<PrivateServer> {
  const initdb = requireBinary('initdb')
  const control = requireBinary('pg_ctl')
  const folder = mkdtempSync(join(tmpdir(), 'waymark-postgres-'))
  const as = await giveToPostgres(folder)
  const port = await findPort()
  const data = join(folder, 'data')
  const options = `-p ${port} -k ${folder} -c listen_addresses=127.0.0.1`
  await as(initdb, ['-D', data, '-A', 'trust', '-U', 'waymark', '--no-sync', '-E', 'UTF8'])

  const server: PrivateServer = {
    url: `postgres://waymark@127.0.0.1:${port}/postgres`,
    start: () => as(control, ['-D', data, '-w', '-l', join(folder, 'log'), '-o', options, 'start']),
    kill: () => as(control, ['-D', data, '-w', '-m', 'immediate', 'stop']),
    async freeze(frozen) {
      // Every connection has a process of its own, a child of the first.
      const first = readPid(data) ?? 0
      const { stdout } = await run('ps', ['-o', 'pid=', '--ppid', String(first)])
      const pids = [first, ...stdout.trim().split(/\s+/).map(Number)]
      for (const pid of pids) process.kill(pid, frozen ? 'SIGSTOP' : 'SIGCONT')
    },
    async stop() {
      if (readPid(data) !== undefined) await server.kill()
      rmSync(folder, { recursive: true, force: true })
    },
  }
  process.once('exit', () => {
    const pid = readPid(data)
    if (pid !== undefined) process.kill(pid, 'SIGQUIT')
  })
  await server.start()
  return server
}

interface Own {
  readonly possible: () => boolean
  readonly start: () => Promise<PrivateServer>
}

async function find(url: string, usualPort: number, own: Own): Promise<TestServer | undefined> {
  const { hostname, port } = new URL(url)
  if (await answers(Number(port) || usualPort, hostname)) return { url, stop: async () => {} }
  return own.possible() ? own.start() : undefined
}

function refuseSkip(binary: string): false {
  if (process.env['CI'] === 'true') throw new Error(`CI=true refuses skips: install ${binary}`)
  return false
}

/** PostgreSQL refuses to run as root: then a folder and its commands go to the user `postgres`. */
async function giveToPostgres(folder: string) {
  if (process.getuid?.() !== 0)
    return async (file: string, args: string[]) => void (await run(file, args))
  const { stdout } = await run('id', ['-u', 'postgres'])
  chownSync(folder, Number(stdout), -1)
  return async (file: string, args: string[]): Promise<void> => {
    await run('runuser', ['-u', 'postgres', '--', file, ...args], { cwd: folder })
  }
}

/** The first process of a PostgreSQL that runs on this data folder. */
function readPid(data: string): number | undefined {
  const file = join(data, 'postmaster.pid')
  return existsSync(file) ? Number.parseInt(readFileSync(file, 'utf8'), 10) : undefined
}

function requireBinary(name: string): string {
  const file = findBinary(name)
  if (!file) throw new Error(`${name} is not installed`)
  return file
}

function findBinary(name: string): string | undefined {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  for (let version = 18; version >= 13; version--) {
    folders.push(`/usr/lib/postgresql/${version}/bin`)
  }
  return folders.map((folder) => join(folder, name)).find((file) => existsSync(file))
}

async function findPort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  server.close()
  await once(server, 'close')
  if (typeof address !== 'object' || !address) throw new Error('No free port was found')
  return address.port
}

async function waitForPort(port: number): Promise<void> {
  for (let attempt = 0; attempt < 200; attempt++) {
    if (await answers(port, '127.0.0.1')) return
    await sleep(25)
  }
  throw new Error(`Nothing listens on port ${port}`)
}

function answers(port: number, host: string): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host, timeout: 1000 })
    const settle = (answer: boolean) => () => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('connect', settle(true))
    socket.once('error', settle(false))
    socket.once('timeout', settle(false))
  })
}
