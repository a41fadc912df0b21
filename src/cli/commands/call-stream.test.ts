import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { runMain } from '../../../test/cli/run-main.ts'
import { serviceOf } from '../../../test/support/service.ts'
import { defineFunction } from '../../core/function.ts'
import { type RunningServer, serve } from '../../http/serve.ts'

const rows = defineFunction({
  name: 'reports.build',
  version: '1.0.0',
  input: z.object({ rows: z.int() }),
  item: z.object({ row: z.number() }),
  async *handler({ input, fail, progress }) {
    for (let row = 1; row <= input.rows; row += 1) {
      if (row === 4) throw fail('REPORTS_FULL' as never)
      yield { row }
    }
    progress(1)
  },
})

let server: RunningServer
beforeAll(async () => {
  server = await serve(serviceOf([rows]), { port: 0 })
})
afterAll(() => server.close())

const run = (...args: string[]) => runMain(['call', server.url, 'reports.build', ...args])

it('prints one line of JSON per item with --stream', async () => {
  expect(await run('rows=2', '--stream')).toEqual({
    code: 0,
    out: '{"row":1}\n{"row":2}\n',
    err: '',
  })
})

it('says what each line is with --stream --json', async () => {
  expect((await run('rows=1', '--stream', '--json')).out).toBe(
    '{"item":{"row":1}}\n{"progress":{"current":100,"total":100,"percent":100}}\n{"result":null}\n',
  )
})

it('ends with the error of the function, after the items before it', async () => {
  const { code, out, err } = await run('rows=9', '--stream')
  expect(out).toBe('{"row":1}\n{"row":2}\n{"row":3}\n')
  expect(err).toContain('REPORTS_FULL')
  expect(code).toBe(3)
})
