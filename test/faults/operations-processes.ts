import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createClient } from '../../src/entries/client.ts'

/** Several processes of one service, some of which are killed and started again. */
export interface LedgerProcesses {
  /** Boots of processes that were killed: what they left behind, nobody tidied up. */
  readonly killed: ReadonlySet<string>
  /** Tokens of holders that failed in the middle and said so. */
  readonly left: ReadonlySet<number>
  /** Processes that ended although nobody killed them. */
  readonly died: readonly string[]
  /** Gives a client of any process. */
  pick(): ReturnType<typeof createClient>
  /** Kills a process as a crash would and starts it again at the same address. */
  crash(): Promise<void>
  stop(): Promise<void>
}

interface Place {
  child: ChildProcess
  boot: string
  port: number
}

/** Starts processes of a worker on a store and waits until each listens. */
export async function startLedger(
  worker: string,
  url: string,
  count: number,
): Promise<LedgerProcesses> {
  const killed = new Set<string>()
  const left = new Set<number>()
  const died: string[] = []
  let boots = 0

  async function boot(port: number): Promise<Place> {
    const name = `boot-${boots++}`
    const child = fork(worker, [url, String(port), name], { execArgv: [] })
    const ended = once(child, 'exit').then(([code]) => {
      throw new Error(`A process ended with code ${code} before it listened`)
    })
    ended.catch(() => {})
    const [ready] = await Promise.race([once(child, 'message'), ended])
    child.once('exit', (code) => {
      if (code !== null) died.push(`${name} ended with code ${code}`)
    })
    child.on('message', (message: { left?: number }) => {
      if (message.left !== undefined) left.add(message.left)
    })
    return { child, boot: name, port: ready.port }
  }

  const places = await Promise.all(Array.from({ length: count }, () => boot(0)))
  const clients = places.map(({ port }) =>
    createClient({
      url: `http://127.0.0.1:${port}/forrst`,
      name: 'fault-run',
      timeoutMs: 10_000,
      retry: false,
    }),
  )
  const random = (limit: number) => Math.floor(Math.random() * limit)

  return {
    killed,
    left,
    died,
    pick: () => clients[random(clients.length)] as ReturnType<typeof createClient>,
    async crash() {
      const at = random(places.length)
      const { child, boot: name, port } = places[at] as Place
      killed.add(name)
      await kill(child)
      places[at] = await boot(port)
    },
    async stop() {
      await Promise.all(places.map(({ child }) => kill(child)))
    },
  }
}

async function kill(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.kill('SIGKILL')
  await ended
}
