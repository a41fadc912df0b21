import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'waymark-stdio-'))
const path = (name: string): string => join(folder, name)

const MODULE = `
import { appendFileSync, existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { createService, defineFunction } from ${JSON.stringify(join(ROOT, 'src/entries/waymark.ts'))}
console.log('a module that says hello')
export default ({ events, store }) => createService({
  info: { title: 'Notes', version: '1.0.0' },
  unknownArguments: 'ignore',
  store,
  functions: [
    defineFunction({
      name: 'notes.tell',
      version: '1.0.0',
      sideEffects: [],
      handler: async () => ({ id: await events.emit('notes.told', { text: 'told' }) }),
    }),
    defineFunction({
      name: 'notes.write',
      version: '1.0.0',
      async handler({ input }) {
        console.log('a function that says', input.text)
        appendFileSync('begun', input.text + '\\n')
        while (input.text === 'told' && !existsSync('go-on')) await sleep(5)
        appendFileSync('notes', input.text + '\\n')
        return null
      },
    }),
  ],
})
const common = { description: 'x', tool: 'notes.write' }
export const triggers = [
  { ...common, type: 'emit', name: 'told', event: 'notes.told' },
  { ...common, type: 'file', name: 'inbox', watch_path: './inbox', payload_map: { text: 'relative_path' } },
  { ...common, type: 'schedule', name: 'yearly', cron: '0 0 1 1 *', arguments: { text: 'tick' } },
  { ...common, type: 'webhook', name: 'posted', path: '/posted', secret_env: 'NOBODY_SET_THIS' },
]
`

interface Talk {
  readonly child: ChildProcess
  readonly out: () => string
  readonly err: () => string
  readonly ask: (message: object) => void
}

function start(...flags: string[]): Talk {
  const args = [join(ROOT, 'bin/waymark.js'), 'serve', 'notes.mjs', '--stdio', ...flags]
  const child = spawn(process.execPath, args, { cwd: folder })
  let out = ''
  let err = ''
  child.stdout.on('data', (chunk) => {
    out += chunk
  })
  child.stderr.on('data', (chunk) => {
    err += chunk
  })
  const ask = (message: object) => {
    child.stdin.write(`${JSON.stringify({ jsonrpc: '2.0', ...message })}\n`)
  }
  return { child, out: () => out, err: () => err, ask }
}

describe('triggers over stdio', () => {
  let talk: Talk
  beforeAll(async () => {
    writeFileSync(path('notes.mjs'), MODULE)
    talk = start('--store', 'sqlite:notes.db')
    await vi.waitFor(() => expect(talk.err()).toContain('3 triggers'), { timeout: 20_000 })
  }, 30_000)
  afterAll(() => {
    talk.child.kill('SIGKILL')
    rmSync(folder, { recursive: true, force: true })
  })

  it('are listed on standard error, with what webhooks need', () => {
    expect(talk.err()).toMatch(/told +emit +notes\.told/)
    expect(talk.err()).toMatch(/yearly +schedule .*next \d{4}-01-01/)
    expect(talk.err()).toContain(
      'Webhook posted needs HTTP and does not run over stdio; beside this, on the same --store: waymark serve notes.mjs',
    )
  })

  it('run; what runs when the input ends may finish, and only protocol is on standard output', async () => {
    const params = {
      protocolVersion: '2025-06-18',
      capabilities: {},
      clientInfo: { name: 'x', version: '1' },
    }
    talk.ask({ id: 1, method: 'initialize', params })
    talk.ask({ method: 'notifications/initialized' })
    talk.ask({ id: 2, method: 'tools/call', params: { name: 'notes__tell', arguments: {} } })
    await expect.poll(() => existsSync(path('begun')), { timeout: 10_000 }).toBe(true)
    talk.child.stdin?.end()
    writeFileSync(path('go-on'), '')
    const [code] = await once(talk.child, 'exit')
    expect(code).toBe(0)
    expect(readFileSync(path('notes'), 'utf8')).toBe('told\n')
    const messages = talk
      .out()
      .trimEnd()
      .split('\n')
      .map((line) => JSON.parse(line))
    expect(messages.map(({ id }) => id)).toEqual([1, 2])
    expect(talk.err()).toContain('a module that says hello')
    expect(talk.err()).toContain('a function that says told')
  })

  it('end on SIGTERM though the input is still open', async () => {
    const other = start()
    await expect.poll(other.err, { timeout: 20_000 }).toContain('3 triggers')
    other.child.kill('SIGTERM')
    const [code] = await once(other.child, 'exit')
    expect(code).toBe(0)
    expect(other.out()).toBe('')
  }, 30_000)
})
