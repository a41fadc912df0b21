import { createHmac } from 'node:crypto'
import { createServer, type IncomingMessage } from 'node:http'
import type { AddressInfo } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterEach, describe, expect, it, vi } from 'vitest'
import { call, createTestLog, dataOf } from '../../../test/support/forrst.ts'
import { createFailingStore } from '../../../test/support/stores.ts'
import { defineFunction, type Invocation } from '../../core/function.ts'
import type { Service } from '../../core/service.ts'
import { createMemoryStore, type Store } from '../../entries/store.ts'
import { createService } from '../../system/create-service.ts'
import { createInProcessQueue } from '../../work/in-process.ts'
import type { Job, JobQueue } from '../../work/queue.ts'
import { JobRetry } from '../../work/run-job.ts'
import { deadlineExtension } from '../deadline/deadline.ts'
import { redactExtension } from '../redact/redact.ts'
import { asyncExtension } from './async.ts'

const URN = 'urn:forrst:ext:async'
const FN = 'urn:cline:forrst:ext:async:fn:'
const WAIT = { timeout: 8_000, interval: 20 }

const closing: (() => Promise<unknown>)[] = []
afterEach(async () => {
  for (const close of closing.splice(0).reverse()) await close()
})

/** One process of a service: what it shares with others is the store. */
function createProcess(
  store: Store,
  handler: (invocation: Invocation) => unknown,
  {
    jobs = createInProcessQueue(store, { leaseMs: 400, pollMs: 50 }),
    name = 'reports.build',
    attempts = 5,
  } = {},
): Service {
  const log = createTestLog()
  const service = createService({
    info: { title: 'Reports', version: '1.0.0' },
    functions: [defineFunction({ name, version: '1.0.0', handler: handler as never })],
    extensions: [
      deadlineExtension(),
      redactExtension(),
      asyncExtension({ store, jobs, attempts, poll: { value: 50, unit: 'millisecond' } }),
    ],
    log,
  })
  closing.push(async () => {
    await jobs.close(50)
    await service.close()
  })
  return service
}

async function start(service: Service, others: readonly object[] = []): Promise<string> {
  const answer = await call(service, {
    function: 'reports.build',
    extensions: [{ urn: URN, options: { preferred: true } }, ...others],
  })
  expect(answer.body.errors).toBeUndefined()
  return String(dataOf(answer, URN)?.['operation_id'])
}

const ask = (service: Service, name: string, id: string) =>
  call(service, { function: FN + name, arguments: { operation_id: id } })

const until = (service: Service, id: string, wanted: object) =>
  vi.waitFor(
    async () => expect((await ask(service, 'status', id)).body).toMatchObject(wanted),
    WAIT,
  )

const never = () => new Promise(() => {})

/** A queue whose jobs a test runs by hand. */
function createManualQueue(): JobQueue & {
  readonly run: (id: string, signal?: AbortSignal) => Promise<void>
} {
  let worker: (job: Job) => Promise<void> = async () => {}
  return {
    kind: 'manual',
    add: async () => {},
    work(_, run) {
      worker = run
    },
    remove: async () => false,
    close: async () => {},
    run: (id, signal = new AbortController().signal) =>
      worker({ id, data: null, attempt: 1, signal }),
  }
}

describe('operations across processes', () => {
  it('runs an operation whose process accepted it and died before it had a job', async () => {
    const store = createMemoryStore()
    const id = await start(createProcess(store, never, { jobs: createManualQueue() }))
    const second = createProcess(store, () => ({ by: 'second' }))
    second.start()
    await until(second, id, { result: { status: 'completed', result: { by: 'second' } } })
  })

  it('runs an operation again whose process died while it ran', async () => {
    const store = createMemoryStore()
    const dying = createInProcessQueue(store, { leaseMs: 300, pollMs: 50 })
    let begun = false
    const first = createProcess(
      store,
      () => {
        begun = true
        return never()
      },
      { jobs: dying },
    )
    const id = await start(first)
    await vi.waitFor(() => expect(begun).toBe(true), WAIT)
    await dying.close(1)
    const second = createProcess(store, () => ({ by: 'second' }))
    second.start()
    await until(second, id, { result: { status: 'completed', result: { by: 'second' } } })
  })

  it('records one end when two processes run the same operation', async () => {
    const store = createMemoryStore()
    const queues = [createManualQueue(), createManualQueue()] as const
    const finish: ((value: unknown) => void)[] = []
    const handler = () => new Promise((resolve) => finish.push(resolve))
    const first = createProcess(store, handler, { jobs: queues[0] })
    const second = createProcess(store, handler, { jobs: queues[1] })
    second.start()
    const id = await start(first)
    const lost = queues[0].run(id)
    await vi.waitFor(() => expect(finish).toHaveLength(1), WAIT)
    const kept = queues[1].run(id)
    await vi.waitFor(() => expect(finish).toHaveLength(2), WAIT)
    finish[0]?.({ by: 'the one that lost its job' })
    await expect(lost).rejects.toBeInstanceOf(JobRetry)
    expect((await ask(first, 'status', id)).body.result).toMatchObject({ status: 'processing' })
    finish[1]?.({ by: 'the one that has it' })
    await kept
    await until(first, id, { result: { result: { by: 'the one that has it' } } })
    await queues[0].run(id)
    expect(finish).toHaveLength(2)
  })

  it('does not begin what was given to another process meanwhile', async () => {
    const jobs = createManualQueue()
    const service = createProcess(createMemoryStore(), () => 1, { jobs })
    const id = await start(service)
    await expect(jobs.run(id, AbortSignal.abort(new Error('lost')))).rejects.toThrow('lost')
    expect((await ask(service, 'status', id)).body.result).toMatchObject({ status: 'pending' })
  })

  it('cancels an operation that runs in another process', async () => {
    const store = createMemoryStore()
    let reason: unknown
    const runner = createProcess(
      store,
      ({ signal }) =>
        new Promise((resolve) => {
          signal.addEventListener('abort', () => {
            reason = signal.reason
            resolve(null)
          })
        }),
    )
    const other = createProcess(store, never, { jobs: createManualQueue() })
    const id = await start(runner)
    await until(other, id, { result: { status: 'processing' } })
    expect((await ask(other, 'cancel', id)).body.result).toMatchObject({ status: 'cancelled' })
    await vi.waitFor(() => expect(reason).toMatchObject({ code: 'CANCELLED' }), WAIT)
    await until(runner, id, { result: { status: 'cancelled' } })
  })

  it('leaves an operation to others whose function it does not know', async () => {
    const store = createMemoryStore()
    const id = await start(createProcess(store, never, { jobs: createManualQueue() }))
    const old = createManualQueue()
    createProcess(store, never, { jobs: old, name: 'reports.other' }).start()
    await expect(old.run(id)).rejects.toMatchObject({ name: 'JobPutBack' })
    const knowing = createProcess(store, () => 1)
    knowing.start()
    await until(knowing, id, { result: { status: 'completed', result: 1 } })
  })

  it('does not run a finished operation again because the store stalls longer than its lease', async () => {
    const { store, fail } = createFailingStore()
    let runs = 0
    const service = createProcess(store, () => {
      runs += 1
      fail(true)
      return { run: runs }
    })
    const id = await start(service)
    await vi.waitFor(() => expect(runs).toBe(1), WAIT)
    await sleep(1_500)
    fail(false)
    await until(service, id, { result: { status: 'completed', result: { run: 1 } } })
    await sleep(1_500)
    expect(runs).toBe(1)
  })

  it('waits for a process that knows the function, however often others look', async () => {
    const store = createMemoryStore()
    const id = await start(createProcess(store, never, { jobs: createManualQueue() }))
    createProcess(store, never, { name: 'reports.other', attempts: 1 }).start()
    await sleep(1_500)
    const knowing = createProcess(store, () => 1)
    knowing.start()
    await until(knowing, id, { result: { status: 'completed', result: 1 } })
  })

  it('keeps the last message of the function, not the first', async () => {
    const service = createProcess(createMemoryStore(), ({ progress }) => {
      for (let step = 0; step < 5; step += 1) progress(step / 5, `step ${step}`)
      return 1
    })
    const id = await start(service)
    await until(service, id, { result: { status: 'completed', progress: 1, message: 'step 4' } })
  })

  it('accepts nothing that has no job', async () => {
    const { store, fail } = createFailingStore()
    const service = createProcess(store, () => 1, {
      jobs: { ...createManualQueue(), add: () => Promise.reject(new Error('the queue is away')) },
    })
    const request = {
      function: 'reports.build',
      extensions: [{ urn: URN, options: { preferred: true } }],
    }
    expect((await call(service, request)).status).toBe(500)
    const list = await call(service, { function: `${FN}list` })
    expect(list.body.result).toEqual({ operations: [], next_cursor: null })
    fail(true)
    expect((await call(service, request)).body.errors?.[0]).toMatchObject({ code: 'UNAVAILABLE' })
    fail(false)
  })
})

describe('what runs with an operation', () => {
  it('fails an operation at the deadline its caller wrote, also when the handler does not care', async () => {
    const service = createProcess(createMemoryStore(), never)
    const deadline = {
      urn: 'urn:forrst:ext:deadline',
      options: { value: 300, unit: 'millisecond' },
    }
    const id = await start(service, [deadline])
    await until(service, id, {
      errors: [{ details: { errors: [{ code: 'DEADLINE_EXCEEDED' }] } }],
    })
  })

  it('masks the result as the caller asked when it accepted', async () => {
    const service = createProcess(createMemoryStore(), () => ({ email: 'ada@example.com', n: 1 }))
    const redact = { urn: 'urn:forrst:ext:redact', options: { mode: 'full' } }
    const id = await start(service, [redact])
    await until(service, id, { result: { status: 'completed' } })
    const { body } = await ask(service, 'status', id)
    expect(JSON.stringify(body)).not.toContain('ada@example.com')
  })
})

describe('callbacks', () => {
  const secret = 'a secret of this test'

  async function listen() {
    const requests: { headers: IncomingMessage['headers']; body: string }[] = []
    const server = createServer((request, response) => {
      let body = ''
      request.on('data', (chunk) => {
        body += chunk
      })
      request.on('end', () => {
        requests.push({ headers: request.headers, body })
        response.end()
      })
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    closing.push(() => new Promise((resolve) => server.close(resolve)))
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`
    return { requests, url }
  }

  function createCalling(handler: () => unknown) {
    const store = createMemoryStore()
    const service = createService({
      info: { title: 'Reports', version: '1.0.0' },
      functions: [defineFunction({ name: 'reports.build', version: '1.0.0', handler })],
      store,
      callbacks: { secret, allowLoopback: true },
      log: createTestLog(),
    })
    closing.push(() => service.close())
    return service
  }

  const accept = (service: Service, url: unknown) =>
    call(service, {
      id: 'req_5',
      function: 'reports.build',
      extensions: [{ urn: URN, options: { preferred: true, callback_url: url } }],
    })

  it('[F-196] posts the result, signed, when the operation is completed', async () => {
    const { requests, url } = await listen()
    const service = createCalling(() => ({ rows: 3 }))
    const id = String(dataOf(await accept(service, url), URN)?.['operation_id'])
    await vi.waitFor(() => expect(requests).toHaveLength(1), WAIT)
    const [{ headers, body } = { headers: {}, body: '' }] = requests
    expect(JSON.parse(body)).toEqual({
      protocol: { name: 'forrst', version: '0.1.0' },
      callback: {
        operation_id: id,
        original_request_id: 'req_5',
        status: 'completed',
        result: { rows: 3 },
        completed_at: expect.stringMatching(/Z$/),
      },
    })
    const digest = createHmac('sha256', secret).update(body).digest('hex')
    expect(headers).toMatchObject({
      'x-forrst-signature': `sha256=${digest}`,
      'x-forrst-operation-id': id,
      'user-agent': 'Forrst-Async/1.0',
    })
  })

  it('[F-196] posts errors when it failed or was cancelled', async () => {
    const { requests, url } = await listen()
    const failing = createCalling(() => {
      throw new Error('no')
    })
    await accept(failing, url)
    await vi.waitFor(() => expect(requests).toHaveLength(1), WAIT)
    const hanging = createCalling(never)
    const id = String(dataOf(await accept(hanging, url), URN)?.['operation_id'])
    await ask(hanging, 'cancel', id)
    await vi.waitFor(() => expect(requests).toHaveLength(2), WAIT)
    await sleep(20)
    expect(requests.map(({ body }) => JSON.parse(body).callback)).toMatchObject([
      { status: 'failed', errors: [{ code: 'INTERNAL_ERROR' }] },
      { status: 'cancelled', errors: [{ code: 'CANCELLED' }] },
    ])
  })

  it('refuses a callback URL before it accepts', async () => {
    const service = createCalling(() => 1)
    for (const url of [
      'ftp://example.com/',
      'nonsense',
      7,
      `https://example.com/${'x'.repeat(2100)}`,
    ]) {
      const refused = await accept(service, url)
      expect(refused.body.errors?.[0]).toMatchObject({
        code: 'INVALID_ARGUMENTS',
        source: { pointer: '/extensions/0/options/callback_url' },
      })
    }
    const silent = createProcess(createMemoryStore(), () => 1)
    const none = await accept(silent, 'https://example.com/hook')
    expect(none.body.errors?.[0]?.message).toContain('sends no callbacks')
  })
})
