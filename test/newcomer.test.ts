import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

/** The path of somebody who has just heard of the package, with the package as it would be published. */
describe('from nothing to a service that agents can call', () => {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-newcomer-'))
  const project = join(folder, 'shop')
  const servers: ChildProcess[] = []
  let url = ''

  const run = (command: string, args: readonly string[], cwd = project) =>
    spawnSync(command, args, { cwd, encoding: 'utf8', env: { ...process.env, CI: '' } })
  const waymark = (...args: string[]) => run('npx', ['waymark', ...args])

  beforeAll(() => {
    // As in a fresh clone: packing builds what is packed.
    rmSync(join(ROOT, 'dist'), { recursive: true, force: true })
    execFileSync('npm', ['pack', '--pack-destination', folder], { cwd: ROOT, stdio: 'pipe' })
  }, 240_000)
  afterAll(() => {
    for (const server of servers) server.kill('SIGTERM')
    rmSync(folder, { recursive: true, force: true })
  }, 120_000)

  it('installs and writes a project whose tests pass', () => {
    const tarball = join(folder, 'waymark-0.1.0.tgz')
    writeFileSync(join(folder, 'package.json'), '{"private":true}')
    const installed = run('npm', ['install', '--no-audit', '--no-fund', tarball], folder)
    expect(installed.status, installed.stderr).toBe(0)
    const init = run(
      'npx',
      ['waymark', 'init', 'shop', '--yes', '--waymark', `file:${tarball}`],
      folder,
    )
    expect(init.stdout).toContain('Next: cd shop && npm install && npm test && npm start')
    const ready = run('npm', ['install', '--no-audit', '--no-fund'])
    expect(ready.status, ready.stderr).toBe(0)
    const tested = run('npm', ['test'])
    expect(tested.status, tested.stdout).toBe(0)
    const checked = run('npm', ['run', 'check'])
    expect(checked.status, checked.stdout).toBe(0)
  }, 240_000)

  it('serves it', async () => {
    // Not through npx, which does not pass on the signal that ends it.
    const program = join(project, 'node_modules/waymark/bin/waymark.js')
    const server = spawn(
      process.execPath,
      [program, 'serve', 'service.ts', '--port', '0', '--json'],
      {
        cwd: project,
      },
    )
    servers.push(server)
    const line = await new Promise<string>((resolve, reject) => {
      let printed = ''
      server.stdout.on('data', (chunk: Buffer) => {
        printed += chunk
        if (printed.includes('\n')) resolve(printed)
      })
      server.once('exit', (code) => reject(new Error(`serve ended with ${code}`)))
    })
    url = JSON.parse(line).url
  }, 120_000)

  it('is called with curl', () => {
    const body = JSON.stringify({
      protocol: { name: 'forrst', version: '0.1.0' },
      id: '1',
      call: { function: 'shop.greet', arguments: { name: 'Ada' } },
    })
    const { stdout } = run('curl', [
      '-s',
      `${url}/forrst`,
      '-H',
      'content-type: application/json',
      '-d',
      body,
    ])
    expect(JSON.parse(stdout).result).toEqual({ text: 'Hello, Ada!' })
  }, 30_000)

  it('is called through a generated client that compiles', () => {
    const generated = waymark('generate', 'client', url, '--out', 'client.ts')
    expect(generated.status, generated.stderr).toBe(0)
    writeFileSync(
      join(project, 'use-client.ts'),
      `import { createShopClient } from './client.ts'
const client = createShopClient({ url: '${url}/forrst' })
const { text } = await client.shop.greet({ name: 'Ada' })
console.log(text.toUpperCase())
`,
    )
    const checked = run('npm', ['run', 'check'])
    expect(checked.status, checked.stdout).toBe(0)
    const used = run('node', ['--import', 'tsx', 'use-client.ts'])
    expect(used.stdout, used.stderr).toBe('HELLO, ADA!\n')
  }, 120_000)

  it('is called by an agent over MCP', async () => {
    const client = new Client({ name: 'newcomer', version: '1.0.0' })
    await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)))
    const { tools } = await client.listTools()
    expect(tools.map(({ name }) => name)).toEqual(['shop__greet'])
    const result = await client.callTool({ name: 'shop__greet', arguments: { name: 'Ada' } })
    expect(result.structuredContent).toEqual({ text: 'Hello, Ada!' })
    await client.close()
  }, 30_000)

  it('keeps what it says', () => {
    const verified = waymark('verify', url)
    expect(verified.status, verified.stdout).toBe(0)
  }, 120_000)

  it.each(['service.ts', 'compiled.js'])(
    'runs %s where package.json does not say "module" too',
    (file) => {
      const plain = join(project, 'plain')
      mkdirSync(plain, { recursive: true })
      writeFileSync(join(plain, 'package.json'), '{"private":true}')
      const service = `createService({ info: { title: 'Plain', version: '1.0.0' }, functions: [] })`
      const sources = {
        'service.ts': `import { createService } from 'waymark'\nexport default ${service}\n`,
        'compiled.js': `exports.__esModule = true\nconst { createService } = require('waymark')\nexports.default = ${service}\n`,
      }
      writeFileSync(join(plain, file), sources[file as keyof typeof sources])
      const verified = waymark('verify', `plain/${file}`)
      expect(verified.status, verified.stderr).toBe(0)
    },
    60_000,
  )

  it('sees a change that breaks callers', () => {
    const described = waymark('describe', url, '--json')
    writeFileSync(join(project, 'released.json'), described.stdout)
    expect(waymark('diff', 'released.json', 'service.ts').status).toBe(0)
    const source = readFileSync(join(project, 'service.ts'), 'utf8')
    writeFileSync(join(project, 'service.ts'), source.replace('.max(100)', '.max(3)'))
    const broken = waymark('diff', 'released.json', 'service.ts')
    expect(broken.status, broken.stderr).toBe(1)
    expect(broken.stdout).toContain('maxLength went from 100 to 3')
  }, 120_000)
})
