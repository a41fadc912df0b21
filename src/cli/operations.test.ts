import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { runMain } from '../../test/cli/run-main.ts'
import { createTestLog } from '../../test/support/forrst.ts'
import { defineFunction } from '../core/function.ts'
import { createMemoryStore } from '../entries/store.ts'
import { type RunningServer, serve } from '../http/serve.ts'
import { jsonSchema } from '../schema/schema.ts'
import { createService } from '../system/create-service.ts'

const service = createService({
  info: { title: 'Reports', version: '1.0.0' },
  unknownArguments: 'ignore',
  functions: [
    defineFunction({
      name: 'reports.build',
      version: '1.0.0',
      errors: [{ code: 'REPORTS_EMPTY', message: 'Nothing to report' }],
      input: jsonSchema<{ empty?: boolean; endless?: boolean }>({ type: 'object' }),
      handler: ({ input, fail }) => {
        if (input.empty) throw fail('REPORTS_EMPTY')
        return input.endless ? new Promise(() => {}) : { built: true }
      },
    }),
  ],
  store: createMemoryStore(),
  log: createTestLog(),
})

let server: RunningServer
beforeAll(async () => {
  server = await serve(service, { port: 0, graceMs: 100 })
})
afterAll(() => server.close())

const run = (...args: string[]) =>
  runMain(args.map((argument) => argument.replace('URL', server.url)))

async function startOne(...args: string[]): Promise<string> {
  const { out } = await run('call', 'URL', 'reports.build', ...args, '--async')
  return /op_[0-9A-Z]{26}/.exec(out)?.[0] ?? ''
}

describe('waymark operations', () => {
  it('waits for a call and prints its result, or what the function said', async () => {
    const { code, out } = await run('call', 'URL', 'reports.build', '--wait')
    expect([code, JSON.parse(out)]).toEqual([0, { built: true }])
    const failed = await run('call', 'URL', 'reports.build', 'empty=true', '--wait')
    expect(failed).toMatchObject({ code: 3, err: 'waymark: REPORTS_EMPTY: Nothing to report\n' })
    const refused = await run('call', 'URL', 'reports.bild', '--wait')
    expect(refused).toMatchObject({ code: 3 })
    expect(refused.err).toContain('FUNCTION_NOT_FOUND')
  })

  it('starts, shows and waits for an operation', async () => {
    const id = await startOne()
    expect(id).not.toBe('')
    const waited = await run('operations', 'show', 'URL', id, '--wait')
    expect([waited.code, JSON.parse(waited.out)]).toEqual([0, { built: true }])
    const shown = await run('operations', 'show', 'URL', id)
    expect(shown.out).toMatch(/status +completed/)
    expect(shown.out).toMatch(/result +\{"built":true\}/)
    const json = await run('operations', 'show', 'URL', id, '--json')
    expect(JSON.parse(json.out)).toMatchObject({ operation_id: id, status: 'completed' })
  })

  it('shows a failed operation under the code of its function, waiting or not', async () => {
    const id = await startOne('empty=true')
    const told = { code: 3, err: 'waymark: REPORTS_EMPTY: Nothing to report\n' }
    expect(await run('operations', 'show', 'URL', id, '--wait')).toMatchObject(told)
    expect(await run('operations', 'show', 'URL', id)).toMatchObject(told)
  })

  it('cancels an operation once', async () => {
    const id = await startOne('endless=true')
    expect(await run('operations', 'cancel', 'URL', id)).toMatchObject({
      code: 0,
      out: `${id} is cancelled.\n`,
    })
    const again = await run('operations', 'cancel', 'URL', id)
    expect([again.code, again.err]).toEqual([3, expect.stringContaining('ASYNC_CANNOT_CANCEL')])
  })

  it('lists operations a page at a time', async () => {
    const newest = await startOne('endless=true')
    const first = await run('operations', 'list', 'URL', '--limit', '1')
    expect(first.out).toContain(newest)
    expect(first.out).toContain('reports.build@1.0.0')
    const cursor = /--cursor (\S+)/.exec(first.err)?.[1] ?? ''
    const second = await run('operations', 'list', 'URL', '--limit', '1', '--cursor', cursor)
    expect(second.out).not.toContain(newest)
    expect(second.out).toContain('op_')
    const none = await run('operations', 'list', 'URL', '--function', 'reports.other')
    expect(none).toMatchObject({ code: 0, out: 'No operations.\n' })
    const json = await run('operations', 'list', 'URL', '--status', 'cancelled', '--json')
    expect(JSON.parse(json.out)).toMatchObject({ operations: [{ status: 'cancelled' }] })
    await run('operations', 'cancel', 'URL', newest)
  })

  it.each([
    [['operations'], 'list, show and cancel'],
    [['operations', 'lst', 'URL'], 'unknown action "lst". Did you mean "list"?'],
    [['operations', 'list'], 'which service?'],
    [['operations', 'show', 'URL'], 'which operation?'],
    [['operations', 'list', 'URL', '--status', 'complete'], 'Did you mean "completed"?'],
    [['operations', 'list', 'URL', '--limit', '0'], '--limit must be a number from 1 to 100'],
  ])('explains %j', async (args, message) => {
    const { code, err } = await run(...args)
    expect(code).toBe(2)
    expect(err).toContain(message)
  })
})
