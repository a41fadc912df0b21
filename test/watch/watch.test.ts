import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { startWaymark, type WaymarkProcess } from '../support/waymark-process.ts'

// Inside the project, so that the files find the package.
const folder = mkdtempSync(join(process.cwd(), 'test/watch/.run-'))
const released = mkdtempSync(join(tmpdir(), 'waymark-watch-'))
afterAll(() => {
  rmSync(folder, { recursive: true, force: true })
  rmSync(released, { recursive: true, force: true })
})

const write = (name: string, text: string) => writeFileSync(join(folder, name), text)
const PATIENCE = { timeout: 30_000, interval: 50 }

/** A service in TypeScript that says what the module beside it says, and whose calls can be held. */
const SERVICE = `
import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { createService, defineFunction } from 'waymark'
import { word } from './word.ts'
export default createService({
  info: { title: 'Words', version: '1.0.0' },
  functions: [
    defineFunction({ name: 'words.say', version: '1.0.0', handler: () => word as string }),
    defineFunction({ name: 'words.exit', version: '1.0.0', handler: () => process.exit(7) }),
    defineFunction({
      name: 'words.wait',
      version: '1.0.0',
      input: { type: 'object', properties: { file: { type: 'string' } }, required: ['file'] },
      async handler({ input }) {
        process.stderr.write('begun\\n')
        while (!existsSync((input as { file: string }).file)) await sleep(5)
        return word as string
      },
    }),
  ],
})
`

async function call({ url }: Pick<WaymarkProcess, 'url'>, name: string, input: object = {}) {
  const response = await fetch(`${url}/api/${name}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(input),
  })
  return response.json() as Promise<unknown>
}

const statusOf = async ({ url }: WaymarkProcess) =>
  (await fetch(`${url}/explorer/watch`)).json() as Promise<{ generation: number; error?: string }>

const start = (...args: string[]) => startWaymark([...args, '--watch'])

describe('waymark serve --watch', () => {
  let served: WaymarkProcess
  beforeAll(async () => {
    write('word.ts', "export const word = 'one'")
    write('service.ts', SERVICE)
    served = await start(join(folder, 'service.ts'))
  }, 60_000)
  afterAll(() => served.stop())
  const say = () => call(served, 'words.say').catch(() => undefined)

  it('serves anew after a change of an imported file, and lets calls of the old service finish', async () => {
    const file = join(released, 'go')
    const held = call(served, 'words.wait', { file })
    await expect.poll(served.errors, PATIENCE).toContain('begun')
    expect(await say()).toBe('one')
    write('word.ts', "export const word = 'two'")
    await expect.poll(say, PATIENCE).toBe('two')
    expect(await statusOf(served)).toEqual({ generation: 2 })
    writeFileSync(file, '')
    expect(await held).toBe('one')
    expect(served.errors()).toContain('Reloaded: 3 functions.')
  }, 90_000)

  it('keeps the old service when the change cannot be loaded, and says where the mistake is', async () => {
    write('word.ts', "export const word = 'x'\nthrow new Error('three is missing')\n")
    await expect.poll(async () => (await statusOf(served)).error, PATIENCE).toBeDefined()
    const { error = '', generation } = await statusOf(served)
    expect(error).toMatch(/three is missing[\s\S]*word\.ts:2/)
    expect(served.errors()).toMatch(/waymark: .*service\.ts cannot be loaded[\s\S]*word\.ts:2/)
    expect(served.errors()).toContain('The service goes on as it was before the change.')
    expect(await say()).toBe('two')
    write('word.ts', "export { word } from './later.ts'")
    await expect
      .poll(async () => (await statusOf(served)).error, PATIENCE)
      .toMatch(/Cannot find module .*later/)
    // The file that was missed is one of those that are watched.
    write('later.ts', "export const word = 'three'")
    await expect.poll(say, PATIENCE).toBe('three')
    expect(await statusOf(served)).toEqual({ generation: generation + 1 })
  }, 90_000)

  it('tells the error to nobody who is not on this machine', async () => {
    write('later.ts', 'export const word = nothing')
    await expect.poll(async () => (await statusOf(served)).error, PATIENCE).toBeDefined()
    const far = { headers: { 'x-forwarded-for': '203.0.113.9' } }
    const response = await fetch(`${served.url}/explorer/watch`, far)
    expect(Object.keys((await response.json()) as object)).toEqual(['generation'])
    write('later.ts', "export const word = 'three'")
    await expect.poll(async () => (await statusOf(served)).error, PATIENCE).toBeUndefined()
  }, 90_000)

  it('keeps the port when the service dies, shows why, and starts it after the next change', async () => {
    await expect(call(served, 'words.exit')).rejects.toThrow()
    const page = () =>
      fetch(`${served.url}/explorer/`, { headers: { accept: 'text/html' } }).then(
        async (response) => `${response.status} ${await response.text()}`,
        () => '',
      )
    await expect.poll(page, PATIENCE).toMatch(/^503 [\s\S]*the service ended with exit code 7/)
    write('later.ts', "export const word = 'four'")
    await expect.poll(say, PATIENCE).toBe('four')
  }, 90_000)

  it('ends when it is asked to, with the code of the service', async () => {
    served.child.kill('SIGTERM')
    expect(await served.ended).toBe(0)
    await expect(fetch(`${served.url}/health/live`)).rejects.toThrow()
  }, 60_000)
})

describe('waymark serve --watch with a description', () => {
  it('serves anew after a change of a document that the description refers to', async () => {
    mkdirSync(join(folder, 'api'))
    const schema = (name: string) =>
      `{ "type": "object", "properties": { "${name}": { "type": "string" } } }`
    write('api/things.json', schema('colour'))
    write(
      'api/openapi.yaml',
      `
openapi: 3.1.0
info: { title: Things, version: 1.0.0 }
servers: [{ url: http://127.0.0.1:1 }]
paths:
  /things:
    post:
      operationId: addThing
      requestBody: { content: { application/json: { schema: { $ref: './things.json' } } } }
      responses: { '200': { description: ok } }
`,
    )
    const served = await start(join(folder, 'api/openapi.yaml'))
    onTestFinished(() => served.stop())
    const document = async () => (await fetch(`${served.url}/openapi.json`)).text().catch(() => '')
    expect(await document()).toContain('"colour"')
    write('api/things.json', schema('weight'))
    await expect.poll(() => document().catch(() => ''), PATIENCE).toContain('"weight"')
  }, 90_000)
})
