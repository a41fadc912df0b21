import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect as connectNats } from '@nats-io/transport-node'
import { Redis } from 'ioredis'
import { createEventBus, type EventBus, openEventBus } from '../../src/entries/triggers.ts'
import { findRedis } from '../faults/store-servers.ts'

/** The ways events travel, each tried with the same suite. */
export const BUSES = ['memory', 'nats', 'redis'] as const

/** A place on a server that only one test uses; several buses may meet there. */
export interface TestBusPlace {
  readonly url: string
  readonly namespace: string
  /** Opens another end, as another process would. */
  readonly open: () => Promise<EventBus>
  /** Closes every end and removes what the test left on the server. */
  readonly close: () => Promise<void>
}

/** Makes a place of its own for a test; undefined where the server is missing, which CI refuses. */
export async function openBusPlace(
  kind: (typeof BUSES)[number],
  { redeliverMs = 1_000 }: { readonly redeliverMs?: number } = {},
): Promise<TestBusPlace | undefined> {
  const namespace = `test${randomUUID().slice(0, 8)}`
  const server = await SERVERS[kind]()
  if (server === undefined) return undefined
  const { url } = server
  const ends: EventBus[] = []
  const only = kind === 'memory' ? createEventBus() : undefined
  return {
    url,
    namespace,
    async open() {
      const bus = only ?? (await openEventBus(url, { namespace, redeliverMs }))
      ends.push(bus)
      return bus
    },
    async close() {
      await Promise.all(ends.map((bus) => bus.close()))
      await CLEANUPS[kind](url, namespace)
      await server.stop()
    },
  }
}

interface FoundServer {
  readonly url: string
  stop(): Promise<void>
}

const SERVERS: Record<(typeof BUSES)[number], () => Promise<FoundServer | undefined>> = {
  memory: async () => ({ url: 'memory:', stop: async () => {} }),
  redis: findRedis,
  nats: findNats,
}

const CLEANUPS: Record<(typeof BUSES)[number], (url: string, namespace: string) => Promise<void>> =
  {
    memory: async () => {},
    async redis(url, namespace) {
      const client = new Redis(url)
      const keys = await client.keys(`${namespace}:*`)
      if (keys.length > 0) await client.del(...keys)
      client.disconnect()
    },
    async nats(url, namespace) {
      const connection = await connectNats({ servers: [new URL(url).host] })
      const manager = await jetstreamManager(connection)
      await manager.streams.delete(`${namespace}_events`).catch(() => {})
      await connection.close()
    },
  }

/** Finds the NATS of this machine or starts one. */
async function findNats(): Promise<FoundServer | undefined> {
  const url = process.env['NATS_URL'] ?? 'nats://127.0.0.1:4222'
  if (await answers(Number(new URL(url).port))) return { url, stop: async () => {} }
  return startNats()
}

const NATS_SERVER = 'nats-server'

async function startNats(): Promise<FoundServer | undefined> {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-nats-'))
  const port = 20_000 + Math.floor(Math.random() * 20_000)
  const args = ['-a', '127.0.0.1', '-p', String(port), '-js', '-sd', folder]
  const child = spawn(NATS_SERVER, args, { stdio: 'ignore' })
  const missing = new Promise<true>((resolve) => child.once('error', () => resolve(true)))
  const started = waitForPort(port)
  if (await Promise.race([missing, started])) {
    if (process.env['CI'] === 'true') throw new Error('CI=true refuses skips: install nats-server')
    return undefined
  }
  return {
    url: `nats://127.0.0.1:${port}`,
    async stop() {
      child.kill('SIGKILL')
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

async function waitForPort(port: number): Promise<false> {
  for (let attempt = 0; attempt < 200; attempt++) {
    if (await answers(port)) return false
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  throw new Error(`Nothing listens on port ${port}`)
}

function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1', timeout: 1_000 })
    const settle = (answer: boolean) => () => {
      socket.destroy()
      resolve(answer)
    }
    socket.once('connect', settle(true))
    socket.once('error', settle(false))
    socket.once('timeout', settle(false))
  })
}
