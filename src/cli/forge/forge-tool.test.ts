import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createWorkplace, type Workplace, zendeskDocument } from '../../../test/cli/run-main.ts'
import { startRecordingServer } from '../../../test/codegen/recording-server.ts'
import { parseToolSpec } from '../../entries/tool-spec.ts'

function workplace(): Workplace {
  const place = createWorkplace()
  place.write('zendesk-openapi.json', zendeskDocument())
  return place
}

const IMPORT = ['forge', 'tool', '--spec', 'zendesk-openapi.json', '--out', 'tools'] as const

describe('waymark forge tool --list', () => {
  it('prints file, version and title, then name, method and path of each operation [TS-89]', async () => {
    const { code, out } = await workplace().run('forge', 'tool', '--list', 'zendesk-openapi.json')
    const lines = out.split('\n')
    expect(code).toBe(0)
    expect(lines.slice(0, 2)).toEqual([
      'zendesk-openapi.json  OpenAPI 3.0.3  Zendesk Support API',
      '',
    ])
    expect(lines[3]).toMatch(
      /^ {2}create_ticket +POST +\/api\/v2\/tickets +Tickets +Opens a ticket\.$/,
    )
    expect(out).toMatch(/^ {2}peek_ticket ! +HEAD/m)
    expect(out).toContain('\n6 operations; ! marks 1 that lose something or cannot become a tool\n')
  })

  it('writes no file [TS-90]', async () => {
    const place = workplace()
    await place.run('forge', 'tool', '--list', 'zendesk-openapi.json')
    expect(place.files()).toEqual(['zendesk-openapi.json'])
  })

  it('honours the filters, and says how many operations there are', async () => {
    const place = workplace()
    const list = (...args: string[]) =>
      place.run('forge', 'tool', '--list', 'zendesk-openapi.json', '--json', ...args)
    const names = async (...args: string[]): Promise<string[]> => {
      const { out } = await list(...args)
      return JSON.parse(out).operations.map(({ name }: { name: string }) => name)
    }
    expect(await names('--pick', 'createTicket,list_users')).toEqual([
      'create_ticket',
      'list_users',
    ])
    expect(await names('--tag', 'tickets', '--method', 'get')).toEqual([
      'list_tickets',
      'get_ticket',
    ])
    expect(await names('--path-prefix', '/api/v2/users')).toEqual(['list_users'])
    expect(await names('--exclude', '*_ticket', '--exclude', 'list_users')).toEqual([
      'list_tickets',
    ])
    expect(await names('--read-only', '--no-deprecated')).not.toContain('delete_ticket')
    const text = await place.run('forge', 'tool', '--list', 'zendesk-openapi.json', '--read-only')
    expect(text.out).toContain('4 of 6 operations')
    const all = JSON.parse((await list()).out)
    expect(all).toMatchObject({ format: 'OpenAPI 3.0.3', total: 6, operations: { length: 6 } })
    expect(
      all.operations.find(({ name }: { name: string }) => name === 'peek_ticket'),
    ).toMatchObject({ skipped: expect.stringContaining('HEAD'), warnings: [{ code: 'W100' }] })
  })

  it('answers a mistyped pick with the nearest names', async () => {
    const { code, err } = await workplace().run(
      ...['forge', 'tool', '--list', 'zendesk-openapi.json', '--pick', 'creatTicket'],
    )
    expect(code).toBe(2)
    expect(err).toContain('E084')
    expect(err).toContain('did you mean create_ticket')
  })

  it('cannot be made to write to the terminal by a title', async () => {
    const place = createWorkplace()
    const paths = { '/x': { get: { operationId: 'x', summary: '\u001b[2J\u0007evil' } } }
    const info = { title: '\u001b]0;owned\u0007', version: '1' }
    place.write('api.json', JSON.stringify({ openapi: '3.0.0', info, paths }))
    const { out, err } = await place.run('forge', 'tool', '--list', 'api.json')
    expect(out).toContain('evil')
    for (const control of ['\u001b', '\u0007']) expect(out + err).not.toContain(control)
  })
})

describe('waymark forge tool --spec', () => {
  it('writes the spec and its code where --out says, without touching the network [TS-109] [TS-124]', async () => {
    const place = workplace()
    const sockets: unknown[] = []
    const onSocket = (message: unknown): void => void sockets.push(message)
    subscribe('net.client.socket', onSocket)
    const { code, out } = await place.run(...IMPORT)
    unsubscribe('net.client.socket', onSocket)
    expect(sockets).toEqual([])
    expect(code).toBe(0)
    expect(place.files()).toEqual([
      'tools/.forge/zendesk.tool-spec.yaml',
      'tools/zendesk.capabilities.ts',
      'tools/zendesk.tool-spec.yaml',
      'zendesk-openapi.json',
    ])
    expect(out).toContain('zendesk: 5 tools')
    expect(out).toContain('Set ZENDESK_API_TOKEN in the environment')
    expect(parseToolSpec(place.read('tools/zendesk.tool-spec.yaml'))).toMatchObject({ ok: true })
    await place.run('forge', 'tool', '--spec', 'zendesk-openapi.json')
    expect(place.files()).toContain('zendesk.capabilities.ts')
  })

  it('names all files after --domain [TS-99]', async () => {
    const place = workplace()
    await place.run(...IMPORT, '--domain', 'helpdesk')
    expect(place.files().filter((path) => !path.includes('helpdesk'))).toEqual([
      'zendesk-openapi.json',
    ])
    expect(place.read('tools/helpdesk.tool-spec.yaml')).toContain('domain: helpdesk')
  })

  it('takes --auth-type and --auth-env instead of what the document declares [TS-104]', async () => {
    const place = workplace()
    await place.run(...IMPORT, '--auth-type', 'basic', '--auth-env', 'DESK_USERNAME')
    const parsed = parseToolSpec(place.read('tools/zendesk.tool-spec.yaml'))
    expect(parsed.ok && parsed.spec.auth).toEqual({ type: 'basic', env: 'DESK_USERNAME' })
    const wrong = await place.run(...IMPORT, '--auth-type', 'basic', '--auth-env', 'DESK')
    expect([wrong.code, wrong.err]).toEqual([2, expect.stringContaining('E062')])
  })

  it('accepts a hand-written spec just like a generated one, and gives the same code [TS-10] [TS-107]', async () => {
    const place = workplace()
    await place.run(...IMPORT)
    const code = place.read('tools/zendesk.capabilities.ts')
    await place.run('forge', 'tool', '--spec', 'tools/zendesk.tool-spec.yaml', '--out', 'again')
    expect(place.read('again/zendesk.capabilities.ts')).toBe(code)
    place.write(
      'hand.yaml',
      'domain: orchard\ntools:\n  - { name: prune, description: Prunes a tree. }\n',
    )
    expect(await place.run('forge', 'tool', '--spec', 'hand.yaml', '--out', 'hand')).toMatchObject({
      code: 0,
    })
    expect(place.read('hand/orchard.capabilities.ts')).toContain('export async function prune(')
    const stray = await place.run('forge', 'tool', '--spec', 'hand.yaml', '--pick', 'prune')
    expect([stray.code, stray.err]).toEqual([
      2,
      'waymark: --pick is for API descriptions; hand.yaml is a tool spec, edit it instead\n',
    ])
  })

  it('prints the spec, or the code of a spec, with --stdout and writes nothing', async () => {
    const place = workplace()
    const args = ['forge', 'tool', '--spec', 'zendesk-openapi.json', '--stdout']
    const { out, err } = await place.run(...args, '--pick', 'getTicket')
    expect(parseToolSpec(out)).toMatchObject({
      ok: true,
      spec: { tools: [{ name: 'get_ticket' }] },
    })
    expect(err).toBe('')
    place.write('z.yaml', out)
    const code = await place.run('forge', 'tool', '--spec', 'z.yaml', '--stdout')
    expect(code.out).toContain('export async function get_ticket(')
    expect(place.files()).toEqual(['z.yaml', 'zendesk-openapi.json'])
  })

  it('says with --dry-run what it would write, and writes nothing', async () => {
    const place = workplace()
    const { code, out } = await place.run(...IMPORT, '--dry-run')
    expect(code).toBe(0)
    expect(out).toContain(`new  ${join('tools', 'zendesk.tool-spec.yaml')}`)
    expect(place.files()).toEqual(['zendesk-openapi.json'])
  })

  it('stops at warnings under --strict and at extensions under --strict-seed', async () => {
    const place = workplace()
    const strict = await place.run(...IMPORT, '--strict', '--format', 'json')
    expect(strict.code).toBe(2)
    expect(JSON.parse(strict.out)).toMatchObject([{ code: 'W100', severity: 'warning' }])
    const seed = await place.run(...IMPORT, '--strict-seed')
    expect([seed.code, seed.err]).toEqual([2, expect.stringContaining('E090')])
    expect(place.files()).toEqual(['zendesk-openapi.json'])
  })

  it('reads from an address that is named, follows no references away from it', async () => {
    const api = await startRecordingServer()
    const place = createWorkplace()
    try {
      api.answer(() => ({
        body: JSON.parse(zendeskDocument({ '/far': { $ref: `${api.url}/p` } })),
      }))
      const list = ['forge', 'tool', '--list', `${api.url}/openapi.json`]
      expect((await place.run(...list)).out).toContain('get_ticket')
      expect(api.requests.map(({ path }) => path)).toEqual(['/openapi.json'])
      const refused = await place.run(...list, '--allow-external-refs')
      expect(api.requests).toHaveLength(2)
      expect(refused.err).toContain('is not a public address')
      api.answer({ status: 404 })
      const missing = await place.run(...list)
      expect([missing.code, missing.err]).toEqual([
        3,
        `waymark: ${api.url}/openapi.json answered 404\n`,
      ])
    } finally {
      await api.close()
    }
  })
})
