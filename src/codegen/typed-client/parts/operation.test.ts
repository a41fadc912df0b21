import { expect, it } from 'vitest'
import type { Answer } from './contract.ts'
import { createStartable, type Startable } from './operation.ts'

/** A service whose operation ended as the report says. */
function startWith(report: unknown) {
  const started = { urn: 'urn:forrst:ext:async', data: { operation_id: 'op_1' } }
  const call = async (name: string): Promise<Answer> =>
    name === 'orders.cook'
      ? { ok: true, result: null, extensions: [started] }
      : { ok: true, result: report, extensions: [] }
  const made = createStartable({ connection: { call }, function: 'orders.cook', codes: [] })
  return (made as unknown as Startable<[], unknown, unknown>).start()
}

it.each([
  ['null', [null]],
  ['a text', ['burnt']],
  ['an object without code and message', [{}]],
])('fails with a ServiceError when an error of the operation is %s', async (_what, errors) => {
  const operation = await startWith({ operation_id: 'op_1', status: 'failed', errors })
  await expect(operation.wait()).rejects.toMatchObject({
    name: 'ServiceError',
    code: 'INTERNAL_ERROR',
    message: 'The call failed',
  })
})
