import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { main } from '../../src/cli/main.ts'
import { createClient } from '../../src/entries/client.ts'
import { serve } from '../../src/http/serve.ts'
import { createHonestShop } from '../verify/shop.ts'

const folder = mkdtempSync(join(tmpdir(), 'waymark-mock-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

const OPENAPI = {
  openapi: '3.0.3',
  info: { title: 'Pets', version: '1.0.0' },
  servers: [{ url: 'https://pets.example' }],
  paths: {
    '/pets/{id}': {
      get: {
        operationId: 'getPet',
        parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'string' } }],
        responses: {
          200: {
            description: 'A pet',
            content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } },
          },
        },
      },
    },
  },
  components: {
    schemas: {
      Pet: {
        type: 'object',
        required: ['id', 'name', 'owner'],
        properties: {
          id: { type: 'string' },
          name: { type: 'string', minLength: 3 },
          owner: { type: 'string', nullable: true },
        },
      },
    },
  },
}

/** Runs a command that serves, until it says where. */
async function start(args: readonly string[]) {
  const controller = new AbortController()
  const written: string[] = []
  const ended = run([...args, '--port', '0', '--json'], { controller, written })
  await expect.poll(() => written.join(''), { timeout: 15_000 }).toContain('"url"')
  const { url } = JSON.parse(written.find((line) => line.includes('"url"')) ?? '{}')
  const stop = async () => {
    controller.abort()
    return (await ended).code
  }
  return { client: createClient({ url: `${url}/forrst`, name: 'test', retry: false }), url, stop }
}

async function run(
  args: readonly string[],
  { controller = new AbortController(), written = [] as string[] } = {},
) {
  const errors: string[] = []
  const code = await main(args, {
    out: (text) => written.push(text),
    err: (text) => errors.push(text),
    env: {},
    cwd: folder,
    terminal: false,
    signal: controller.signal,
  })
  return { code, out: written.join(''), err: errors.join('') }
}

describe('waymark mock', () => {
  it('answers what the responses of an OpenAPI document promise', async () => {
    writeFileSync(join(folder, 'pets.json'), JSON.stringify(OPENAPI))
    const { client, stop } = await start(['mock', 'pets.json'])
    const discovered = await client.discover()
    const name = discovered.ok ? discovered.result.functions[0]?.name : undefined
    const pet = await client.callOrThrow(name ?? '', { id: 'rex' })
    expect(pet).toMatchObject({ id: 'rex', name: expect.any(String), owner: expect.anything() })
    expect(await stop()).toBe(0)
  })

  it.each([
    [['mock'], 'which description'],
    [['mock', 'pets.json', '--latency', 'soon'], '--latency must be a time'],
    [['mock', 'pets.json', '--latency', '9ms..2ms'], 'the shorter time'],
    [['mock', 'pets.json', '--fail', 'often'], '--fail must be a share'],
    [['mock', 'pets.json', '--prefer', 'luck'], '--prefer must be'],
  ])('refuses %j with a sentence', async (args, reason) => {
    expect(await run(args)).toMatchObject({ code: 2, err: expect.stringContaining(reason) })
  })
})

describe('waymark serve and verify of a URL', () => {
  it('puts a remote service behind every surface, and verifies what came out', async () => {
    const far = await serve(await createHonestShop(), { port: 0 })
    const near = await start(['serve', `${far.url}/forrst`])
    expect(await near.client.callOrThrow('shop.get', { id: 'a' })).toMatchObject({ name: 'Apple' })
    const report = await run(['verify', near.url, '--json'])
    expect(JSON.parse(report.out)).toMatchObject({ ok: true, findings: [] })
    expect(report.code).toBe(0)
    expect(await near.stop()).toBe(0)
    await far.close()
  })

  it('ends with 3 when nobody answers, and 2 when it is not a URL', async () => {
    expect(await run(['serve', 'http://127.0.0.1:1/forrst'])).toMatchObject({ code: 3 })
    expect(await run(['verify', 'http://127.0.0.1:1/forrst'])).toMatchObject({ code: 3 })
    expect(await run(['serve', 'forrst:somewhere'])).toMatchObject({ code: 2 })
  })
})
