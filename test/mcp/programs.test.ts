import { execFile } from 'node:child_process'
import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { createFixture } from './fixture-service.ts'
import { type Listening, listen } from './listen.ts'
import { installPrograms } from './programs.ts'
import { nodePackage, runs, scratchNode } from './scratch.ts'

const folder = await installPrograms()
const ready = folder !== undefined && runs(scratchNode(folder))
const MCPORTER = 'mcporter/dist/cli.js'
const INSPECTOR = '@modelcontextprotocol/inspector/clients/launcher/build/index.js'
const SERVER = [
  process.execPath,
  '--conditions=waymark-source',
  '--import',
  'tsx',
  fileURLToPath(new URL('./fixture-stdio.ts', import.meta.url)),
]

/** Runs a program of the scratch folder and gives what it printed. */
function runProgram(
  program: string,
  args: readonly string[],
): Promise<{ code: number; output: string }> {
  const home = join(folder ?? '', 'home')
  mkdirSync(home, { recursive: true })
  return new Promise((resolve) => {
    execFile(
      scratchNode(folder ?? ''),
      [join(folder ?? '', 'node_modules', program), ...args],
      // Programs look for settings of whoever runs the tests; a home of their own keeps them out.
      {
        env: { ...process.env, HOME: home },
        cwd: fileURLToPath(new URL('../../', import.meta.url)),
      },
      (error, stdout, stderr) => {
        resolve({ code: error === null ? 0 : Number(error.code ?? 1), output: stdout + stderr })
      },
    )
  })
}

describe.skipIf(!ready)(
  `programs nobody here wrote (need the package registry once, and ${nodePackage()})`,
  { timeout: 60_000 },
  () => {
    let server: Listening
    let states: () => Promise<string>
    beforeAll(async () => {
      const { service, options } = createFixture()
      server = await listen(service, options)
      states = async () => {
        const answer = await fetch(server.url, {
          method: 'POST',
          headers: { 'content-type': 'application/json' },
          body: '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"list_states"}}',
        })
        return answer.text()
      }
    })
    afterAll(() => server.close())

    const overHttp = () => ['--http-url', server.url, '--allow-http']
    const overStdio = () => [
      '--stdio',
      SERVER[0] ?? '',
      ...SERVER.slice(1).flatMap((argument) => ['--stdio-arg', argument]),
    ]

    it.each([
      ['HTTP', overHttp],
      ['stdio', overStdio],
    ])('mcporter lists and calls over %s', async (_transport, reach) => {
      const list = await runProgram(MCPORTER, ['list', ...reach(), '--name', 'fixture'])
      expect(list.output).toContain('function greet(name: string)')
      const call = await runProgram(MCPORTER, ['call', ...reach(), 'greet', 'name=Ada'])
      expect(call).toEqual({ code: 0, output: 'Hello, Ada!\n' })
    })

    it('mcporter gives a call up in the middle, and the handler notices', async () => {
      const args = ['wait_until_cancelled', 'label=porter', '--timeout', '1500']
      const { code, output } = await runProgram(MCPORTER, ['call', ...overHttp(), ...args])
      expect(code).not.toBe(0)
      expect(output).toContain('timed out')
      await vi.waitFor(async () => expect(await states()).toContain('porter aborted'), 10_000)
    })

    it.each([
      ['HTTP', () => [server.url, '--transport', 'http']],
      ['stdio', () => SERVER],
    ])('MCP Inspector lists and calls over %s', async (_transport, reach) => {
      const list = await runProgram(INSPECTOR, ['--cli', ...reach(), '--method', 'tools/list'])
      const { tools } = JSON.parse(list.output) as { tools: { name: string }[] }
      expect(tools.map(({ name }) => name)).toContain('greet')
      const method = ['--method', 'tools/call', '--tool-name', 'greet', '--tool-arg', 'name=Ada']
      const call = await runProgram(INSPECTOR, ['--cli', ...reach(), ...method])
      expect(JSON.parse(call.output)).toMatchObject({
        content: [{ type: 'text', text: 'Hello, Ada!' }],
      })
    })
  },
)
