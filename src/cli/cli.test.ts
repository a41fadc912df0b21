import { mkdtempSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createEventsService } from '../../examples/events/main.ts'
import { runMain } from '../../test/cli/run-main.ts'
import { type RunningServer, serve } from '../http/serve.ts'
import { loadSources } from './source/source.ts'

let server: RunningServer
beforeAll(async () => {
  server = await serve(createEventsService({ database: ':memory:' }), { port: 0 })
})
afterAll(() => server.close())

const run = (...args: string[]) =>
  runMain(args.map((argument) => argument.replace('URL', server.url)))

describe('waymark', () => {
  it('lists its commands, and explains one with examples', async () => {
    const { code, out } = await run('help')
    expect(code).toBe(0)
    for (const name of ['serve', 'call', 'describe', 'capabilities', 'health']) {
      expect(out).toContain(`  ${name} `)
    }
    expect((await run('call', '--help')).out).toContain('Examples:')
  })

  it.each([
    [['descrbe'], 'unknown command "descrbe". Did you mean "describe"?'],
    [['call', 'URL', 'events.get', '--verison', '1'], 'Did you mean "--version"?'],
    [['call'], 'which service?'],
    [['call', 'URL'], 'which function?'],
    [['call', 'ftp://x', 'a.b'], 'ftp:// cannot be called'],
    [['call', 'URL', 'a.b', 'word'], 'arguments look like name=value'],
    [['call', 'URL', 'a.b', '{"a":'], 'the arguments must be JSON'],
    [['call', 'URL', 'a.b', '--deadline', 'soon'], '--deadline must be a time such as 500ms'],
    [['call', 'URL', 'a.b', '--header', 'x'], '--header must look like "name: value"'],
    [['call', 'URL', 'a.b', '--args', 'no-such-file'], 'no-such-file does not exist'],
    [['describe', 'URL', 'events.gte'], 'Did you mean "events.get"?'],
    [['serve'], 'what should be served?'],
    [['serve', 'no-such.ts'], 'no-such.ts does not exist'],
    [['serve', 'src/values/json.ts'], 'must export a service'],
    [['serve', 'package.json'], 'is neither a tool spec (domain, tools) nor an API description'],
    [['serve', 'examples/events', '--port', 'high'], '--port must be a port number'],
    [['serve', 'examples/events', '--store', 'ftp://x'], 'ftp'],
    [['serve', 'examples/events', '--tools', 'some'], '--tools must be all, search'],
    [['serve', 'examples/events', '--mcp-only', 'x'], 'must be tag:NAME'],
  ])('explains the wrong arguments %j in one line, with exit code 2', async (args, message) => {
    const { code, out, err } = await run(...args)
    expect([code, out]).toEqual([2, ''])
    expect(err).toContain(message)
    expect(err.trim().split('\n')).toHaveLength(1)
  })

  it('calls a function with name=value words and prints the result', async () => {
    const { code, out } = await run(
      'call',
      'URL',
      'events.list',
      'status=draft',
      'pagination.page=1',
    )
    expect(code).toBe(0)
    expect(JSON.parse(out)).toMatchObject([{ name: 'Planning Meeting' }])
  })

  it('ends with exit code 3 and the code of the error when the service refuses', async () => {
    const refused = await run('call', 'URL', 'events.get', 'id=nope')
    expect(refused).toEqual({
      code: 3,
      out: '',
      err: 'waymark: NOT_FOUND: No event with id nope\n',
    })
    const json = await run('call', 'URL', 'events.get', 'id=nope', '--json')
    expect([json.code, JSON.parse(json.out)]).toMatchObject([
      3,
      { ok: false, error: { code: 'NOT_FOUND' } },
    ])
  })

  it('ends with exit code 3 when there is no service', async () => {
    const { code, err } = await run('health', 'http://127.0.0.1:9')
    expect(code).toBe(3)
    expect(err).toContain('http://127.0.0.1:9')
  })

  it('shows what a dry run would do, and plays a simulation', async () => {
    const dry = await run(
      'call',
      'URL',
      'events.create',
      'name=Fair',
      'starts_at=2027-01-01T00:00:00Z',
      '--dry-run',
    )
    expect(JSON.parse(dry.out)).toMatchObject([
      {
        urn: 'urn:forrst:ext:dry-run',
        data: { valid: true, would_affect: [{ action: 'create' }] },
      },
    ])
    const simulated = await run('call', 'URL', 'events.create', '--simulate', 'success')
    expect(JSON.parse(simulated.out)).toMatchObject({ id: 'evt_demo_001' })
  })

  it('describes the service and one function for people, and as JSON', async () => {
    const service = await run('describe', 'URL')
    expect(service.out).toContain('Event Management API 1.0.0')
    expect(service.out).toMatch(/events\.list\s+1\.0\.0\s+List all events/)
    const one = await run('describe', 'URL', 'events.get')
    expect(one.out).toMatch(/id\s+string\s+Event identifier/)
    const create = await run('describe', 'URL', 'events.create')
    expect(create.out).toMatch(/string \(date-time\)/)
    expect(one.out).toContain('NOT_FOUND')
    const json = await run('describe', 'URL', '--json')
    expect(JSON.parse(json.out)).toMatchObject({ forrst: '0.1.0', discovery: '0.1' })
  })

  it('shows capabilities and health', async () => {
    expect((await run('capabilities', 'URL')).out).toContain('urn:forrst:ext:discovery')
    const health = await run('health', 'URL')
    expect([health.code, health.out]).toEqual([
      0,
      expect.stringMatching(/^Status {2}healthy\n\n {2}database {2}healthy/),
    ])
    const json = await run('health', 'URL', '--component', 'database', '--json')
    expect(JSON.parse(json.out)).toMatchObject({ status: 'healthy' })
  })

  it('checks documents of every kind and names the field', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'waymark-check-'))
    const write = (name: string, text: string) => {
      writeFileSync(join(folder, name), text)
      return join(folder, name)
    }
    const good = write('service.json', (await run('describe', 'URL', '--json')).out)
    expect(await run('check', good)).toMatchObject({ code: 0 })
    const document = await run('check', write('bad.json', '{"discovery":"0.1","functions":[{}]}'))
    expect([document.code, document.out]).toEqual([2, expect.stringContaining('/functions/0/name')])
    const profile = await run(
      'check',
      write('profile.json', '{"ucp":{"version":"soon"}}'),
      '--json',
    )
    expect(profile.code).toBe(2)
    expect(JSON.parse(profile.out)).toContainEqual(
      expect.objectContaining({ path: '/ucp/version' }),
    )
    const spec = await run(
      'check',
      write('a.tool-spec.yaml', 'domain: x\ntools: 7\n'),
      '--format',
      'github',
    )
    expect([spec.code, spec.out]).toEqual([2, expect.stringMatching(/^::error file=/)])
  })

  it('negotiates two profiles from files without fetching anything', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'waymark-negotiate-'))
    const entry = {
      version: '2026-04-08',
      spec: 'https://shop.example/s',
      schema: 'https://shop.example/s',
    }
    const profile = {
      ucp: {
        version: '2026-04-08',
        services: {},
        capabilities: { 'example.shop.a': [entry] },
        payment_handlers: {},
      },
    }
    for (const name of ['b', 'p'])
      writeFileSync(join(folder, `${name}.json`), JSON.stringify(profile))
    writeFileSync(join(folder, 'd.json'), '{}')
    const args = [
      join(folder, 'b.json'),
      join(folder, 'p.json'),
      '--documents',
      join(folder, 'd.json'),
    ]
    const json = await run('negotiate', ...args, '--json')
    expect(JSON.parse(json.out)).toMatchObject({
      outcome: 'ok',
      active: { 'example.shop.a': '2026-04-08' },
    })
    expect((await run('negotiate', ...args)).out).toContain('example.shop.a')
    expect((await run('negotiate', args[0] ?? '')).err).toContain('give two profiles')
    expect((await run('negotiate', ...args, '--rules', 'soon')).err).toContain(
      '--rules must be a date',
    )
    expect((await run('negotiate', ...args, '--transports', 'smtp')).err).toContain(
      '--transports must be rest, mcp, a2a, embedded; got "smtp"',
    )
  })

  it('serves a module until it is told to stop, on the port that PORT names', async () => {
    let started: (line: string) => void
    const line = new Promise<string>((resolve) => {
      started = resolve
    })
    const stop = new AbortController()
    process.env['EVENTS_DATABASE'] = ':memory:'
    const done = runMain(['serve', 'examples/events', '--json', '--store', 'memory:'], {
      out: (text) => started(text),
      env: { PORT: '0' },
      signal: stop.signal,
    })
    const { url } = JSON.parse(await line)
    expect((await fetch(`${url}/health/ready`)).status).toBe(200)
    const capabilities = await run('capabilities', url)
    expect(capabilities.out).toContain('urn:forrst:ext:idempotency')
    stop.abort()
    expect((await done).code).toBe(0)
    await expect(fetch(url)).rejects.toThrow()
  })

  it('serves a tool spec and an OpenAPI document beside each other', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'waymark-serve-'))
    const spec = join(folder, 'orchard.tool-spec.yaml')
    writeFileSync(
      spec,
      [
        'domain: orchard',
        'base_url: https://orchard.example',
        'tools:',
        '  - name: list_trees',
        '    description: List the trees.',
        '    method: GET',
        '    path: /trees',
        '',
      ].join('\n'),
    )
    const api = join(folder, 'api.json')
    writeFileSync(
      api,
      JSON.stringify({
        openapi: '3.1.0',
        info: { title: 'Weather', version: '1' },
        servers: [{ url: 'https://weather.example' }],
        paths: {
          '/now': {
            get: { operationId: 'now', summary: 'Now', responses: { 200: { description: 'ok' } } },
          },
        },
      }),
    )
    const { service } = await loadSources([spec, api], {
      out: () => {},
      err: () => {},
      env: {},
      cwd: folder,
      terminal: false,
      signal: AbortSignal.timeout(1000),
    })
    const names = [...service.registry.entries()].map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['orchard.list_trees', 'weather.now']))
  })

  it('says so when the port is taken', async () => {
    const { code, err } = await run('serve', 'examples/events', '--port', String(server.port))
    expect([code, err]).toEqual([
      2,
      `waymark: port ${server.port} on 127.0.0.1 is in use; choose another with --port\n`,
    ])
  })
})
