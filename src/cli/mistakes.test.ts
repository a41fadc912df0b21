import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { createWorkplace } from '../../test/cli/run-main.ts'
import { defineFunction } from '../core/function.ts'
import { type RunningServer, serve } from '../http/serve.ts'
import { createService } from '../system/create-service.ts'

const place = createWorkplace()
let server: RunningServer
let silent: Server
let words: Readonly<Record<string, string>>

const order = defineFunction({
  name: 'orders.create',
  version: '1.0.0',
  summary: 'Create an order',
  readOnly: true,
  input: z.object({ customer: z.string() }),
  output: z.object({ id: z.string() }),
  errors: [{ code: 'ORDERS_SOLD_OUT', message: 'Not enough in stock', status: 409 }],
  handler: ({ input, fail }) => {
    if (input.customer === 'many') throw fail('ORDERS_SOLD_OUT', { details: { left: 100 } })
    return { id: 'ord_1' }
  },
})

const DOCUMENT = {
  forrst: '0.1.0',
  discovery: '0.1.0',
  info: { title: 'Orders', version: '1.0.0' },
  functions: [
    {
      name: 'orders.create',
      version: '1.0.0',
      stability: 'stable',
      arguments: [{ name: 'size', required: true, schema: { $ref: '#/components/schemas/Size' } }],
    },
  ],
  components: { schemas: { Size: { type: 'string', enum: ['small', 'large'] } } },
}

beforeAll(async () => {
  const info = { title: 'Orders', version: '1.0.0' }
  server = await serve(createService({ info, functions: [order] }), { port: 0 })
  silent = createServer(() => undefined)
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', () => resolve()))
  const { port } = silent.address() as AddressInfo
  place.write('service.json', JSON.stringify(DOCUMENT))
  place.write('other.json', '{"a":1}')
  place.write('needs.cjs', "module.exports = require('@no/such-package/part.js')\n")
  place.write('slip.mjs', 'const orders = undefined\nexport default orders.list()\n')
  words = {
    URL: server.url,
    SILENT: `http://127.0.0.1:${port}`,
    FILE: pathToFileURL(`${place.folder}/service.json`).href,
    FOLDER: '.',
  }
})
afterAll(async () => {
  silent.closeAllConnections()
  silent.close()
  await server.close()
})

const split = (line: string) => line.split(' ').map((word) => words[word] ?? word)
const run = (line: string) => place.run(...split(line))

describe('a mistake at the keyboard', () => {
  it.each([
    ['--typo', 2, 'unknown option --typo'],
    ['--versoin', 2, 'Did you mean "--version"?'],
    ['serve servce.json', 2, 'servce.json does not exist. Did you mean "service.json"?'],
    ['diff servce.json service.json', 2, 'Did you mean "service.json"?'],
    ['check servce.json', 2, 'Did you mean "service.json"?'],
    ['check FOLDER', 2, '. is a folder; name a file in it'],
    ['check SILENT', 2, 'is an address; a file is needed here'],
    ['serve ftp://host/x', 2, 'ftp:// cannot be read; give a file, http://'],
    ['serve mcp:', 2, 'mcp: names no MCP server; write mcp:COMMAND'],
    ['serve mcp:no-such-program-here', 2, '"no-such-program-here" does not exist; is it installed'],
    ['serve service.json', 2, '"waymark mock service.json"'],
    ['verify service.json', 2, 'is a discovery document'],
    ['call service.json orders.create', 2, '"waymark serve service.json"'],
    ['call URL orders.create @order.json', 2, 'a file is read with --args order.json'],
    ['call URL orders.create -', 2, 'a file is read with --args -'],
    ['call URL orders.create customer=1', 3, 'quotes included'],
    ['call URL orders.create customer=many', 3, 'Not enough in stock {"left":100}'],
    ['operations list URL', 3, 'this service keeps no operations'],
    ['generate client service.json --out FOLDER', 2, '. is a folder; name a file: --out client.ts'],
    ['verify URL --only orders.crate', 2, 'did you mean orders.create?'],
    ['describe service.json orders.crate', 2, 'Did you mean "orders.create"?'],
    ['describe service.json orders.create --version 9.0.0', 3, 'known: 1.0.0'],
    ['generate client service.json --name 12', 2, '--name must begin with a letter'],
    ['call http://127.0.0.1:6000 a.b', 3, 'fetch refuses ports that belong to other protocols'],
    ['serve needs.cjs', 2, 'Install it: npm install @no/such-package\n'],
    ['serve slip.mjs', 2, 'slip.mjs:2:'],
    ['negotiate other.json other.json', 2, 'A profile cannot be used'],
  ])('is answered for "%s"', async (line, code, sentence) => {
    const result = await run(line)
    expect(result.err + result.out).toContain(sentence)
    expect(result.code).toBe(code)
    expect(result.err).not.toContain('this is a bug')
  })
})

describe('what a newcomer tries', () => {
  it('prints the version when it is asked as a command', async () => {
    expect(await run('version')).toEqual(await run('--version'))
  })

  it('keeps every line of the overview within a hundred columns', async () => {
    const { out } = await run('help')
    const wide = out.split('\n').filter((line) => line.startsWith('  ') && line.length > 100)
    expect(wide).toEqual([])
  })

  it('shows no heading over options that a command does not have', async () => {
    expect((await run('help completion')).out).not.toContain('Options:')
  })

  it.each(['service.json', 'FILE'])('describes %s without serving it', async (reference) => {
    expect((await run(`describe ${reference}`)).out).toContain('orders.create')
    const { code, out } = await run(`describe ${reference} orders.create`)
    expect({ code, out }).toEqual({ code: 0, out: expect.stringContaining('small') })
  })

  it('quotes a folder that a shell would take for two', async () => {
    const { out } = await place.run('init', "it's here", '--yes')
    expect(out).toContain(`cd 'it'\\''s here' && npm install`)
  })

  it('says when there was nothing left to write', async () => {
    await run('init twice --yes')
    expect((await run('init twice --yes --force')).out).toBe(
      'Nothing is written to twice: every file is there already.\n',
    )
  })

  it('lists what verify could not show, one on a line', async () => {
    const { out } = await run('verify URL')
    expect(out).toContain('declared, but never returned:\n  urn:forrst:ext:')
  })
})

describe('an interruption', () => {
  it.each([
    'call SILENT a.b',
    'describe SILENT',
    'verify SILENT',
    'serve SILENT',
    'generate client SILENT',
  ])('ends "%s" with exit code 130', async (line) => {
    const stop = new AbortController()
    const running = place.runWith({ signal: stop.signal }, ...split(line))
    setTimeout(() => stop.abort(), 200)
    expect(await running).toEqual({
      code: 130,
      out: '',
      err: expect.stringMatching(/^waymark: interrupted.*\n$/),
    })
  })
})
