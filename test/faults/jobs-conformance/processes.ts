import assert from 'node:assert/strict'
import type { JobQueue } from '../../../src/work/queue.ts'
import { type JobCase, quiet, until, type WorkerProcess } from './types.ts'

/** Cases about several processes on the same jobs. */
export const PROCESS_CASES: readonly JobCase[] = [
  {
    name: 'runs each job in one of several processes',
    needs: 'processes',
    async run(queue, { name, startProcess }) {
      const processes = await Promise.all([startProcess(), startProcess(), startProcess()])
      const ids = Array.from({ length: 60 }, (_, index) => `job-${index}`)
      await Promise.all(ids.map((id) => queue.add({ name, id, data: 150 })))
      await until('60 ends', () => select(processes, 'ended').length >= 60)
      assert.deepEqual(select(processes, 'begun').toSorted(), ids.toSorted())
      assert.deepEqual(select(processes, 'ended').toSorted(), ids.toSorted())
      const busy = processes.filter(({ events }) => events.length > 0)
      assert.ok(busy.length > 1, 'one process ran everything')
    },
  },
  {
    name: 'gives the job of a killed process to another one within a bounded time',
    needs: 'processes',
    async run(queue, { name, leaseMs, startProcess }) {
      const victim = await startProcess()
      await queue.add({ name, id: 'long', data: 600_000 })
      await until('the first run', () => select([victim], 'begun').length === 1)
      const heir = await startProcess()
      victim.signal('SIGKILL')
      const killed = performance.now()
      await until('the second run', () => select([heir], 'begun').length === 1, leaseMs * 6)
      assert.ok(performance.now() - killed < leaseMs * 3, 'the second run came late')
      assert.deepEqual(heir.events[0], { event: 'begun', id: 'long', attempt: 2 })
    },
  },
  {
    name: 'keeps a long job where it runs while its process lives',
    needs: 'processes',
    async run(queue, { name, leaseMs, startProcess }) {
      const processes = await Promise.all([startProcess(), startProcess()])
      await queue.add({ name, id: 'long', data: leaseMs * 2.5 })
      await until('its end', () => select(processes, 'ended').length > 0)
      assert.deepEqual(select(processes, 'begun'), ['long'])
      assert.deepEqual(select(processes, 'aborted'), [])
    },
  },
  {
    name: 'aborts the run of a process that slept past its lease, and lets the other one end the job',
    needs: 'processes',
    async run(queue, { name, leaseMs, startProcess }) {
      const sleeper = await startProcess()
      await queue.add({ name, id: 'long', data: leaseMs * 4 })
      await until('the first run', () => select([sleeper], 'begun').length === 1)
      const heir = await startProcess()
      await pause(sleeper, queue, name)
      await until('the second run', () => select([heir], 'begun').length === 1, leaseMs * 6)
      sleeper.signal('SIGCONT')
      await until('the abort', () => select([sleeper], 'aborted').length === 1)
      await until('the end', () => select([heir], 'ended').length === 1, leaseMs * 8)
      assert.deepEqual(select([heir], 'aborted'), [])
      assert.equal(await queue.remove(name, 'long'), false)
    },
  },
]

/** Stops a process, though not in the middle of a write: a SQLite file would stay locked for everybody. */
async function pause(sleeper: WorkerProcess, queue: JobQueue, name: string): Promise<void> {
  for (;;) {
    sleeper.signal('SIGSTOP')
    const probe = { name: `${name}-probe`, id: 'probe', data: null }
    const writable = await queue.add(probe).then(
      () => queue.remove(probe.name, probe.id),
      () => false,
    )
    if (writable) return
    sleeper.signal('SIGCONT')
    await quiet()
  }
}

function select(
  processes: readonly WorkerProcess[],
  event: 'begun' | 'ended' | 'aborted',
): readonly string[] {
  const all = processes.flatMap(({ events }) => events)
  return all.filter((one) => one.event === event).map(({ id }) => id)
}
