import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { generateFromText } from '../../src/codegen/generate.ts'
import * as auth from './golden/auth.capabilities.ts'
import * as bodies from './golden/bodies.capabilities.ts'
import { on_frost, orchard_triggers } from './golden/inline/orchard.triggers.ts'
import * as orchard from './golden/orchard.capabilities.ts'
import * as ownCode from './golden/own-code.capabilities.ts'
import * as pages from './golden/pages.capabilities.ts'
import { type RecordingServer, startRecordingServer } from './recording-server.ts'

const onPackage = { auth, bodies, orchard, 'own-code': ownCode, pages }
type Modules = typeof onPackage

const folder = mkdtempSync(join(tmpdir(), 'waymark-generated-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Generates the same files with the runtime inside, and loads them. */
async function loadInline(): Promise<Modules> {
  const loaded = Object.keys(onPackage).map(async (name) => {
    const spec = readFileSync(new URL(`specs/${name}.tool-spec.yaml`, import.meta.url), 'utf8')
    const result = generateFromText(spec)
    const file = join(folder, `${name}.ts`)
    writeFileSync(file, (result.ok && result.files[0]?.text) || '')
    return [name, await import(/* @vite-ignore */ file)] as const
  })
  return Object.fromEntries(await Promise.all(loaded)) as Modules
}

const MODULES = [
  ['that import waymark/runtime', onPackage],
  ['that carry their runtime', await loadInline()],
] as const

let api: RecordingServer
/** Sends what is meant for a host of a spec to the recording server. */
let fetchHere: typeof fetch

beforeAll(async () => {
  api = await startRecordingServer()
  fetchHere = (input, init) => fetch(String(input).replace(/^https:\/\/[^/]+/, api.url), init)
})
beforeEach(() => api.answer({ body: { ok: true } }))
afterAll(() => api.close())

describe.each(MODULES)('generated functions %s', (_name, modules) => {
  const { with_both, with_default, with_none, with_oauth2, with_query_key } = modules.auth
  const { send_form, send_json, send_list, send_parts, send_text } = modules.bodies
  const { list_trees, orchard_tools, plant_tree, ToolError, ToolHttpError } = modules.orchard
  const { list_people } = modules.pages

  function env(): Record<string, string> {
    return {
      ORCHARD_BASE_URL: `${api.url}/base`,
      ORCHARD_USERNAME: 'user',
      ORCHARD_PASSWORD: 'pass',
      ORCHARD_WRITE_KEY: 'key',
    }
  }

  it('[TS-110] [TS-35] [TS-8] send the request of their tool, defaults and auth of the file included', async () => {
    expect(await list_trees({ plot_id: 7, kind: 'pear' }, { env: env() })).toEqual({ ok: true })
    expect(api.requests[0]).toMatchObject({
      method: 'GET',
      url: '/base/plots/7/trees?kind=pear&limit=20',
    })
    expect(api.requests[0]?.headers['authorization']).toBe(`Basic ${btoa('user:pass')}`)
  })

  it('[TS-27] use the auth of the tool where it has one', async () => {
    await plant_tree({ plot_id: 7, kind: 'apple', site: { row: 1, seat: 2 } }, { env: env() })
    expect(JSON.parse(api.requests[0]?.body ?? '')).toEqual({
      kind: 'apple',
      site: { row: 1, seat: 2 },
    })
    expect(api.requests[0]?.headers).toMatchObject({ 'x-orchard-key': 'key' })
    expect(api.requests[0]?.headers['authorization']).toBeUndefined()
  })

  it('[TS-38] [TS-45] refuse wrong arguments before anything is sent, with every path', async () => {
    const wrong = { plot_id: 1.5, kind: 'cherry', site: { row: 'a' } } as never
    const error = await plant_tree(wrong, { env: env() }).catch((thrown: unknown) => thrown)
    expect(error).toMatchObject({
      reason: 'arguments',
      problems: [
        'plot_id must be integer',
        'kind must be one of "apple", "pear", "plum"',
        'site.seat is required',
        'site.row must be integer',
      ],
    })
    expect(api.requests).toEqual([])
  })

  it('[TS-170] treat null as left out', async () => {
    await list_trees({ plot_id: 7, kind: null } as never, { env: env() })
    expect(api.requests[0]?.url).toBe('/base/plots/7/trees?limit=20')
  })

  it('[TS-176] name a variable that is not set', async () => {
    const { ORCHARD_PASSWORD: _password, ...rest } = env()
    await expect(list_trees({ plot_id: 1 }, { env: rest })).rejects.toThrow(/ORCHARD_PASSWORD/)
  })

  it('[TS-28] [TS-33] [TS-43] [TS-44] are listed with description and JSON Schema as the spec says', () => {
    expect(orchard_tools.map((tool) => tool.name)).toEqual(['list_trees', 'plant_tree'])
    expect(orchard_tools[0]).toMatchObject({
      description: 'Lists trees of one plot, newest first.',
      parameters: {
        type: 'object',
        required: ['plot_id'],
        properties: { limit: { type: 'integer', default: 20, description: 'How many to return.' } },
      },
      annotations: { readOnlyHint: true },
    })
  })

  it('answer through the list as well', async () => {
    const result = await orchard_tools[0]?.handler({ plot_id: 3 }, { env: env() })
    expect([result, api.requests[0]?.path]).toEqual([{ ok: true }, '/base/plots/3/trees'])
  })

  it('[TS-172] throw an error with tool, status and body when the API refuses', async () => {
    api.answer({ status: 404, body: { gone: true } })
    const error = await list_trees({ plot_id: 1 }, { env: env() }).catch((thrown) => thrown)
    expect(error).toBeInstanceOf(ToolHttpError)
    expect(error).toBeInstanceOf(ToolError)
    expect(error).toMatchObject({
      name: 'ToolHttpError',
      tool: 'list_trees',
      method: 'GET',
      status: 404,
      body: '{"gone":true}',
    })
  })

  it('[TS-55] [TS-108] hold the names of variables, never their values', async () => {
    await with_default({}, { env: { AUTH_API_TOKEN: 'a' }, fetch: fetchHere })
    await with_query_key({}, { env: { AUTH_KEY: 'b' }, fetch: fetchHere })
    await with_both({}, { env: { AUTH_API_TOKEN: 'a', AUTH_KEY: 'b' }, fetch: fetchHere })
    await with_none({}, { env: {}, fetch: fetchHere })
    expect(
      api.requests.map(({ url, headers }) => [url, headers['authorization'], headers['cookie']]),
    ).toEqual([
      ['/default', 'Bearer a', undefined],
      ['/query?key=b', undefined, undefined],
      ['/both', 'Bearer a', 'sid=b'],
      ['/none', undefined, undefined],
    ])
  })

  it('[TS-53] fetch and keep an OAuth 2 token', async () => {
    api.answer((request) => ({
      body: request.path === '/token' ? { access_token: 't', expires_in: 900 } : {},
    }))
    const context = { env: { AUTH_CLIENT_ID: 'i', AUTH_CLIENT_SECRET: 's' }, fetch: fetchHere }
    await Promise.all([with_oauth2({}, context), with_oauth2({}, context)])
    expect(api.requests.map((request) => request.path).sort()).toEqual([
      '/oauth2',
      '/oauth2',
      '/token',
    ])
  })

  it('[TS-24] [TS-159] [TS-168] [TS-169] write every kind of body', async () => {
    const context = { env: { BODIES_URL: api.url } }
    await send_json(
      { id_path: 'p', id: 'b', big: '123456789012345678901', lines: [{ sku: 'x' }] },
      context,
    )
    await send_form({ amount: 5, expand: ['a'] }, context)
    await send_parts({ file: 'AA==', meta: { a: 1 } }, context)
    await send_text({ body: '<a/>' }, context)
    await send_list({ ids: [1] }, context)
    expect(api.requests.map(({ url, body }) => `${url} ${body}`.slice(0, 90))).toEqual([
      '/json/p {"id":"b","big":123456789012345678901,"lines":[{"sku":"x","count":1}]}',
      '/form amount=5&expand%5B0%5D=a',
      expect.stringContaining('/parts --'),
      '/text <a/>',
      '/list [1]',
    ])
  })

  it('[TS-197] [TS-198] trim and page', async () => {
    api.answer({ body: { data: [{ id: 1, name: 'a', more: 'x' }], meta: { next: 'n' } } })
    expect(await list_people({}, { fetch: fetchHere })).toEqual({
      result: { data: [{ id: 1, name: 'a' }] },
      next_cursor: 'n',
      trimmed: { picked: ['data.id', 'data.name'] },
    })
  })
})

describe.each(MODULES)('code of one’s own in files %s', (_name, modules) => {
  const { own_code_tools, say_hello, ToolError } = modules['own-code']

  it('[TS-20] says that it is still to be written, after checking the arguments', async () => {
    await expect(say_hello({ who: 'you' })).rejects.toThrow(/write it between its <custom> marks/)
    const [tool] = own_code_tools
    await expect(tool?.handler({})).rejects.toThrow(ToolError)
    await expect(tool?.handler({})).rejects.toThrow(/who is required/)
  })

  it('[TS-9] [TS-57] [TS-106] is called for each of the five kinds of trigger', async () => {
    expect(orchard_triggers.map((trigger) => trigger.type)).toEqual([
      'webhook',
      'schedule',
      'emit',
      'queue',
      'file',
    ])
    expect(orchard_triggers[0]).toMatchObject({
      name: 'on_frost',
      path: '/webhooks/orchard/frost',
      event: 'frost.alarm',
      secret_env: 'ORCHARD_WEBHOOK_SECRET',
    })
    const event = {
      id: '1',
      trigger: 'on_frost',
      type: 'webhook',
      received_at: '',
      payload: 4,
      meta: {},
    } as const
    expect(await on_frost(event)).toEqual({ received: 'on_frost', payload: 4 })
    expect(await orchard_triggers[0]?.handler(event)).toEqual({ received: 'on_frost', payload: 4 })
  })
})
