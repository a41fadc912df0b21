import { afterAll, describe, expect, it } from 'vitest'
import { createTestLog } from '../../test/support/forrst.ts'
import { defineFunction } from '../core/function.ts'
import { createClient, createLocalTransport, type OperationState } from '../entries/client.ts'
import { createMemoryStore } from '../entries/store.ts'
import { jsonSchema } from '../schema/schema.ts'
import { createForrstHandler } from '../surfaces/forrst/handler.ts'
import { createService } from '../system/create-service.ts'

function createReports() {
  const build = defineFunction({
    name: 'reports.build',
    version: '1.0.0',
    input: jsonSchema<{ rows: number }>({
      type: 'object',
      properties: { rows: { type: 'integer' } },
      required: ['rows'],
    }),
    output: jsonSchema<{ rows: number }>({ type: 'object' }),
    errors: [{ code: 'REPORTS_EMPTY', message: 'Nothing to report' }],
    async handler({ input, fail, progress, signal }) {
      if (input.rows === 0) throw fail('REPORTS_EMPTY', { details: { rows: 0 } })
      progress(0.5, 'half')
      if (input.rows < 0) {
        await new Promise((_, reject) => {
          signal.addEventListener('abort', () => reject(signal.reason))
        })
      }
      return { rows: input.rows }
    },
  })
  const peek = defineFunction({
    name: 'reports.peek',
    version: '1.0.0',
    extensions: [{ urn: 'urn:forrst:ext:async', mode: 'never' }],
    output: jsonSchema<{ seen: boolean }>({ type: 'object' }),
    handler: () => ({ seen: true }),
  })
  return createService({
    info: { title: 'Reports', version: '1.0.0' },
    functions: [build, peek],
    store: createMemoryStore(),
    log: createTestLog(),
  })
}

describe('an operation of the client', () => {
  const service = createReports()
  const client = createClient<typeof service>({
    transport: createLocalTransport(createForrstHandler(service)),
    retry: false,
  })
  afterAll(() => service.close())
  const quick = { pollMs: 10 }

  it('is started, followed and gives the typed result of the function', async () => {
    const operation = await client.start('reports.build', { rows: 3 })
    expect(operation.id).toMatch(/^op_/)
    const outcome = await operation.result(quick)
    expect(outcome).toMatchObject({ ok: true, result: { rows: 3 } })
    if (outcome.ok) expect(outcome.result.rows).toBe(3)
    expect(await operation.status()).toMatchObject({
      status: 'completed',
      function: 'reports.build',
    })
    expect(await operation.cancel()).toBe(false)
  })

  it('fails with the errors of the function, as if it had been called', async () => {
    const operation = await client.start('reports.build', { rows: 0 })
    expect(await operation.result(quick)).toMatchObject({
      ok: false,
      error: { code: 'REPORTS_EMPTY', details: { rows: 0 } },
    })
    expect(await operation.status()).toEqual({ id: operation.id, status: 'failed' })
  })

  it('is taken up by its id, tells its progress, and is cancelled', async () => {
    const { id = '' } = await client.start('reports.build', { rows: -1 })
    const operation = client.operation(id)
    const states: OperationState[] = []
    const waiting = operation.result({
      ...quick,
      onState: (state) => {
        states.push(state)
        if (state.progress === 0.5) void operation.cancel()
      },
    })
    expect(await waiting).toMatchObject({ ok: false, error: { code: 'CANCELLED' } })
    expect(states.at(-1)).toMatchObject({ status: 'processing', progress: 0.5, message: 'half' })
  })

  it('stops waiting when the caller does, and leaves the operation alone', async () => {
    const operation = await client.start('reports.build', { rows: -1 })
    const signal = AbortSignal.timeout(50)
    expect(await operation.result({ ...quick, signal })).toMatchObject({
      ok: false,
      error: { code: 'CANCELLED' },
    })
    expect(['pending', 'processing']).toContain((await operation.status()).status)
    expect(await operation.cancel()).toBe(true)
  })

  it('has its result ready when the service answered at once', async () => {
    const operation = await client.start('reports.peek')
    expect(operation.id).toBeUndefined()
    expect(await operation.result()).toMatchObject({ ok: true, result: { seen: true } })
  })

  it.each([
    ['errors', { errors: [{ code: 'JOBS_BAD', message: 'Bad' }] }, 'JOBS_BAD'],
    ['one error', { error: { code: 'JOBS_BAD', message: 'Bad' } }, 'JOBS_BAD'],
    ['nothing', {}, 'ASYNC_OPERATION_FAILED'],
  ])('ends when another server says failed with %s in the result', async (_, said, code) => {
    let asked = 0
    const other = createClient({
      transport: async ({ body }) => {
        asked += 1
        return {
          status: 200,
          header: () => 'application/json',
          body: JSON.stringify({
            protocol: { name: 'forrst', version: '0.1.0' },
            id: JSON.parse(body).id,
            result: asked > 3 ? { status: 'completed' } : { status: 'failed', ...said },
            extensions: [{ urn: 'urn:forrst:ext:async', data: { operation_id: 'op_1' } }],
          }),
        }
      },
    })
    const operation = await other.start('reports.build')
    expect(await operation.result(quick)).toMatchObject({ ok: false, error: { code } })
    expect(await operation.status()).toMatchObject({ status: 'failed' })
  })

  it('fails when the service answers something that is not an operation', async () => {
    const odd = createClient({
      transport: async ({ body }) => ({
        status: 200,
        header: () => 'application/json',
        body: JSON.stringify({
          protocol: { name: 'forrst', version: '0.1.0' },
          id: JSON.parse(body).id,
          result: { status: 'sleeping' },
          extensions: [{ urn: 'urn:forrst:ext:async', data: { operation_id: 'op_1' } }],
        }),
      }),
    })
    const operation = await odd.start('reports.build')
    const failure = { code: 'CLIENT_INVALID_RESPONSE' }
    expect(await operation.result()).toMatchObject({ ok: false, error: failure })
    await expect(operation.status()).rejects.toMatchObject(failure)
  })

  it('throws what the service says about a call or an operation it refuses', async () => {
    await expect(client.start('reports.build', { rows: 'x' as never })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENTS',
    })
    const unknown = client.operation('op_unknown')
    await expect(unknown.status()).rejects.toMatchObject({ code: 'ASYNC_OPERATION_NOT_FOUND' })
    expect(await unknown.result()).toMatchObject({
      ok: false,
      error: { code: 'ASYNC_OPERATION_NOT_FOUND' },
    })
  })
})
