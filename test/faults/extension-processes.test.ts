import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Store } from '../../src/entries/store.ts'
import type { ExtensionTask } from './extension-worker.ts'
import { prepareBackends, type StoreBackend } from './store-backends.ts'

const PROCESSES = 3

interface Answer {
  readonly key?: string
  readonly result: Readonly<Record<string, unknown>> | null
  readonly errors?: readonly { readonly code: string }[]
}

for (const backend of await prepareBackends(['sqlite', 'redis', 'postgres'])) {
  if ('missing' in backend) {
    describe.skip(`extensions in several processes on ${backend.name} (no server and no binary)`, () => {
      it.skip('has nothing to run on', () => {})
    })
    continue
  }
  describe(`extensions in ${PROCESSES} processes on ${backend.name}`, () => runCases(backend))
}

function runCases(backend: StoreBackend): void {
  let children: readonly ChildProcess[] = []
  let store: Store

  beforeAll(async () => {
    store = await backend.open()
    children = Array.from({ length: PROCESSES }, () => start(backend))
    await Promise.all(children.map((child) => once(child, 'message')))
  }, 60_000)

  afterAll(async () => {
    await Promise.all(
      children.map(async (child) => {
        const ended = once(child, 'exit')
        child.disconnect()
        await ended
      }),
    )
    await store.close()
    await backend.cleanUp()
  })

  async function run(task: ExtensionTask): Promise<readonly Answer[]> {
    const answers = await Promise.all(
      children.map(async (child) => {
        const message = once(child, 'message')
        child.send(task)
        const [report] = await message
        return report.answers as readonly Answer[]
      }),
    )
    return answers.flat()
  }

  it('[F-213][F-215] has one effect for every idempotency key, and one answer for all callers', async () => {
    const keys = Array.from({ length: 20 }, (_, index) => `key-${index}`)
    const answers = await run({ kind: 'idempotency', keys: [...keys, ...keys] })
    expect(answers).toHaveLength(keys.length * 2 * PROCESSES)
    for (const key of keys) {
      const results = answers.filter((answer) => answer.key === key).map(({ result }) => result)
      expect(new Set(results.map((result) => JSON.stringify(result))).size, key).toBe(1)
      expect((await store.get(`effect:${key}`))?.value, key).toBe(1)
    }
  }, 60_000)

  it('[F-183][F-184] never has two holders of a lock, and their tokens only grow', async () => {
    const keys = Array.from({ length: 8 }, () => 'ledger')
    const answers = await run({ kind: 'lock', keys })
    expect(answers.flatMap(({ errors }) => errors ?? [])).toEqual([])
    expect(answers.map(({ result }) => [result?.['inside'], result?.['current']])).toEqual(
      Array(keys.length * PROCESSES).fill([1, true]),
    )
    const tokens = answers.map(({ result }) => Number(result?.['token']))
    expect(new Set(tokens).size).toBe(tokens.length)
    expect((await store.get('fence:ledger'))?.value).toBe(Math.max(...tokens))
    expect((await store.listByPrefix('lock:')).entries).toEqual([])
  }, 60_000)

  it('refuses the write of a holder that was paused past the time of its lock', async () => {
    const [paused, other] = children as [ChildProcess, ChildProcess]
    const holding = once(paused, 'message')
    paused.send({ kind: 'stall', keys: ['ledger'] } satisfies ExtensionTask)
    const [{ holding: token }] = await holding
    paused.kill('SIGSTOP')
    const taken = once(other, 'message')
    other.send({ kind: 'lock', keys: ['ledger'] } satisfies ExtensionTask)
    const [{ answers }] = await taken
    expect(answers[0].result.token).toBeGreaterThan(token)
    const ended = once(paused, 'message')
    paused.kill('SIGCONT')
    paused.send('resume')
    const [report] = await ended
    expect(report.answers[0].result).toEqual({
      token,
      refused: 'CONFLICT',
      reason: 'LOCK_ACQUISITION_FAILED',
    })
  }, 60_000)
}

function start({ url, namespace }: StoreBackend): ChildProcess {
  const worker = fileURLToPath(new URL('extension-worker.ts', import.meta.url))
  const execArgv = ['--conditions=waymark-source', '--import', 'tsx']
  return fork(worker, [url ?? '', namespace], { execArgv })
}
