import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import manifest from '../../package.json' with { type: 'json' }
import type { Diagnosis } from '../../src/cli/doctor/diagnosis.ts'
import { allSurfaces, type ServeOptions, serve } from '../../src/http/index.ts'
import { runMain } from '../cli/run-main.ts'
import { canStartRedis, findPostgres, startRedis } from '../faults/store-servers.ts'
import { serviceOf } from '../support/service.ts'

/** Runs the doctor and gives what it found by check, with its exit code. */
async function examine(args: readonly string[], changes = {}) {
  const { code, out, err } = await runMain(['doctor', '--json', ...args], changes)
  expect(err).toBe('')
  const { findings } = JSON.parse(out) as { readonly findings: readonly Diagnosis[] }
  for (const { level, next } of findings) expect(next === undefined).toBe(level === 'ok')
  return { code, of: Object.fromEntries(findings.map((one) => [one.check, one])) }
}

function makeFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-doctor-'))
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function start(options: ServeOptions): Promise<string> {
  const server = await serve(serviceOf([]), {
    port: 0,
    ownsProcess: false,
    graceMs: 100,
    ...options,
  })
  onTestFinished(() => server.close())
  return server.url
}

/** A proxy that sends on what it gets, with its own clock and headers. */
async function startProxy(
  target: string,
  change: { readonly date?: Date; readonly forward?: Readonly<Record<string, string>> },
): Promise<string> {
  const proxy = createServer((incoming, response) => {
    const headers = { ...incoming.headers, ...change.forward }
    const { method } = incoming
    const onward = request(new URL(incoming.url ?? '/', target), { method, headers }, (answer) => {
      const date = change.date && { date: change.date.toUTCString() }
      response.writeHead(answer.statusCode ?? 502, { ...answer.headers, ...date })
      answer.pipe(response)
    })
    incoming.pipe(onward)
  })
  await new Promise<void>((resolve) => void proxy.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void proxy.close())
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
}

it('knows ranges of one form only, as package.json has them', () => {
  const ranges = [manifest.engines.node, ...Object.values(manifest.peerDependencies)]
  for (const range of ranges) expect(range).toMatch(/^>=\d+(?:\.\d+){0,2}$/)
})

it('fails for a package that is too old, as found from the folder of the service', async () => {
  const cwd = makeFolder()
  mkdirSync(join(cwd, 'node_modules/ioredis'), { recursive: true })
  writeFileSync(join(cwd, 'node_modules/ioredis/package.json'), '{"version":"5.3.9"}')
  const { code, of } = await examine([], { cwd })
  expect([code, of['node']?.level, of['package pg']?.level]).toEqual([1, 'ok', 'ok'])
  expect(of['package ioredis']).toEqual({
    ...{ check: 'package ioredis', level: 'fail', found: '5.3.9, but >=5.4.0 is needed' },
    next: 'run npm install ioredis@latest',
  })
})

it.skipIf(!canStartRedis())(
  'finds a Redis that evicts, saves nothing, or is gone',
  async () => {
    const server = await startRedis(['--maxmemory-policy', 'allkeys-lru', '--maxmemory', '50mb'])
    onTestFinished(() => server.stop())
    const bad = await examine(['--store', server.url])
    expect(bad.code).toBe(1)
    expect(bad.of['store']?.level).toBe('ok')
    expect(bad.of['redis eviction']).toMatchObject({
      level: 'fail',
      found: 'allkeys-lru: a full server deletes locks, keys and jobs',
      next: expect.stringContaining('noeviction'),
    })
    const levels = ['redis clock', 'redis role', 'redis memory', 'redis persistence']
    expect(levels.map((check) => bad.of[check]?.level)).toEqual(['ok', 'ok', 'ok', 'ok'])
    await server.kill()
    const gone = await examine(['--store', server.url])
    expect([gone.code, gone.of['store']?.level]).toEqual([1, 'fail'])
    expect(gone.of['store']?.next).toContain(new URL(server.url).host)
  },
  30_000,
)

it('looks at the settings of PostgreSQL', async ({ skip }) => {
  const server = await findPostgres()
  if (server === undefined) return skip()
  onTestFinished(() => server.stop())
  const { code, of } = await examine(['--store', server.url, '--namespace', 'waymark_doctor'])
  const checks = ['store', 'postgres clock', 'postgres version', 'postgres role']
  expect(checks.map((check) => of[check]?.level)).toEqual(['ok', 'ok', 'ok', 'ok'])
  expect(code).toBe(0)
  const url = new URL(server.url)
  url.searchParams.set('options', '-c default_transaction_read_only=on')
  const readOnly = await examine(['--store', url.href, '--namespace', 'waymark_doctor'])
  expect([readOnly.code, readOnly.of['store']?.level]).toEqual([1, 'fail'])
})

it('tries to write a SQLite file, and says what it needs', async () => {
  const folder = makeFolder()
  const good = await examine(['--store', `sqlite:${join(folder, 'state.db')}`])
  expect([good.code, good.of['store']?.level, good.of['sqlite disk']?.level]).toEqual([
    0,
    'ok',
    'ok',
  ])
  writeFileSync(join(folder, 'file'), '')
  const { code, of } = await examine(['--store', `sqlite:${join(folder, 'file/state.db')}`])
  expect([code, of['store']?.level]).toEqual([1, 'fail'])
})

it('ends with 2 for an address that cannot be meant', async () => {
  expect((await runMain(['doctor', 'nowhere'])).code).toBe(2)
  expect((await runMain(['doctor', '--store', 'mysql://x'])).code).toBe(2)
})

it('finds nothing wrong with a service on this machine', async () => {
  const url = await start({ surfaces: allSurfaces({ explorer: { allowExecute: true } }) })
  const { code, of } = await examine([url])
  expect(code).toBe(0)
  expect(of['execution']?.found).toBe('the explorer runs functions, on this machine')
  expect(of['metrics']?.level).toBe('warn')
  const checks = ['service', 'clock', 'readiness', 'transport', 'own origin', 'proxy headers']
  expect(checks.filter((check) => of[check]?.level !== 'ok')).toEqual([])
})

it('fails for a service that is gone, or does not know its name', async () => {
  const gone = await examine(['http://127.0.0.1:1'])
  expect([gone.code, gone.of['service']?.level]).toEqual([1, 'fail'])
  const forward = { host: 'api.example.com' }
  const { of } = await examine([await startProxy(await start({}), { forward })])
  expect(of['service']?.next).toContain('--allow-host')
})

it('finds a clock that is wrong and a proxy that passes headers of callers on', async () => {
  const url = await start({ trustedProxies: ['127.0.0.1'] })
  const { code, of } = await examine([
    await startProxy(url, { date: new Date(Date.now() + 90_000) }),
  ])
  expect(code).toBe(1)
  expect(of['clock']).toMatchObject({ level: 'fail', found: '90 s ahead of this machine' })
  expect(of['proxy headers']).toMatchObject({ level: 'warn' })
})

it('finds a service behind a proxy that does not know its own address', async () => {
  const target = await start({})
  const { host } = new URL(target)
  const { of } = await examine([await startProxy(target, { forward: { host } })])
  expect(of['own origin']).toMatchObject({
    level: 'fail',
    next: expect.stringContaining('--public-url'),
  })
})
