import { type ChildProcess, spawn } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { connect, createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { formatErrorsPage } from '../scripts/format-errors-page.ts'
import { COMMANDS } from '../src/cli/commands.ts'
import { buildPackage } from './support/built-package.ts'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const WORK = makeWork()
const PACKAGE = `${WORK}waymark/`
const read = (name: string) => readFileSync(`${ROOT}${name}`, 'utf8')
const pages = [
  'README.md',
  'CONTRIBUTING.md',
  'SECURITY.md',
  'CHANGELOG.md',
  ...readdirSync(`${ROOT}docs`, { recursive: true })
    .map(String)
    .filter((name) => name.endsWith('.md'))
    .map((name) => `docs/${name}`),
]

/** A folder inside the project, so that what runs there finds its packages; of its own, for runs at the same time. */
function makeWork(): string {
  mkdirSync(`${ROOT}test/.docs`, { recursive: true })
  return `${mkdtempSync(`${ROOT}test/.docs/run-`)}/`
}

/** A piece of code on a page, with the text before it. */
interface Fence {
  readonly language: string
  readonly code: string
  readonly before: string
}

function readFences(text: string): readonly Fence[] {
  return [...text.matchAll(/([^\n]*)\n+```(\w+)\n([\s\S]*?)```/g)].map(
    ([, before = '', language = '', code = '']) => ({ language, code, before }),
  )
}

/** What a reader can run: whole modules, and our own command line. */
function isRunnable({ language, code }: Fence): boolean {
  if (language === 'ts') return code.startsWith('import ')
  return language === 'sh' && /^(npx waymark|curl) /m.test(code)
}

const running: ChildProcess[] = []
beforeAll(() => buildPackage(PACKAGE), 120_000)
afterAll(() => {
  for (const { stdin } of running) stdin?.end()
  rmSync(WORK, { recursive: true, force: true })
})

/** Runs a command, and ends its whole process group when its input ends: also when this process is killed. */
const LEASH = 'exec 3<&0; (cat <&3 >/dev/null; kill -9 0) & exec "$@" 3<&- </dev/null'

/** What a module that serves prints once all its code has run. */
const END = 'end of the block'

/** Runs a command; one that goes on serving is left running for the fences that follow. */
function run(
  command: string,
  args: readonly string[],
  {
    folder,
    port,
    isServer = false,
  }: { readonly folder: string; readonly port: string; readonly isServer?: boolean },
): Promise<{ code: number | 'serving'; output: string }> {
  return new Promise((resolve) => {
    const child = spawn('sh', ['-c', LEASH, 'sh', command, ...args], {
      cwd: folder,
      detached: true,
      env: { ...process.env, NODE_ENV: 'test', PORT: port },
    })
    running.push(child)
    let output = ''
    const collect = (chunk: Buffer) => {
      output += chunk
      if (!isServer && /is listening on/.test(output)) resolve({ code: 'serving', output })
    }
    child.stdout.on('data', collect)
    child.stderr.on('data', collect)
    const probe = setInterval(async () => {
      if (isServer && output.includes(END) && (await answers(Number(port))))
        resolve({ code: 'serving', output })
    }, 200)
    child.on('exit', (code) => {
      clearInterval(probe)
      child.stdin.end()
      resolve({ code: code ?? 1, output })
    })
  })
}

/** Tells whether somebody listens: a module that serves prints nothing and does not end. */
function answers(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.once('connect', () => resolve(true))
    socket.once('error', () => resolve(false))
    socket.once('close', () => socket.destroy())
    socket.once('connect', () => socket.end())
  })
}

function freePort(): Promise<number> {
  return new Promise((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const { port } = probe.address() as { port: number }
      probe.close(() => resolve(port))
    })
  })
}

async function runFence(
  fence: Fence,
  index: number,
  { folder, port }: { readonly folder: string; readonly port: string },
): Promise<void> {
  if (fence.language === 'ts') {
    const name = /`([\w-]+\.ts)`/.exec(fence.before)?.[1] ?? `fence-${index}.ts`
    const isServer = /\bserve\(|\.listen\(/.test(fence.code)
    writeFileSync(`${folder}${name}`, `${fence.code}${isServer ? `console.log('${END}')\n` : ''}`)
    const { code, output } = await run(process.execPath, ['--import', 'tsx', name], {
      folder,
      port,
      isServer,
    })
    expect([0, 'serving'], output).toContain(code)
    return
  }
  const commands = fence.code
    .replaceAll(/\\\n\s*/g, ' ')
    .replaceAll('npx waymark', `node ${PACKAGE}bin/waymark.js`)
    // A reader sees an answer that is no success; here it has to fail.
    .replaceAll(/^curl /gm, 'curl -f ')
  for (const command of splitCommands(commands)) {
    const { code, output } = await run('sh', ['-c', command], { folder, port })
    const refused = /^# waymark: (\w+)/m.exec(fence.code)?.[1]
    if (refused !== undefined && output.includes(refused)) expect(code).toBe(3)
    else expect([0, 'serving'], output).toContain(code)
  }
}

/** A quoted argument may span lines; a command ends where a line leaves no quote open. */
function splitCommands(text: string): readonly string[] {
  const commands: string[] = []
  let current = ''
  for (const line of text.split('\n')) {
    current += current === '' ? line : `\n${line}`
    if ((current.match(/'/g) ?? []).length % 2 === 0) {
      if (current.trim() !== '' && !current.startsWith('#')) commands.push(current)
      current = ''
    }
  }
  return commands
}

describe.each(pages)('%s', (page) => {
  const text = read(page)

  it('links only to files that exist', () => {
    const prose = text.replace(/```[\s\S]*?```/g, '')
    for (const [, target = ''] of prose.matchAll(/\]\((?!https?:)([^)#]+)/g)) {
      const path = new URL(target, `file://${ROOT}${page}`)
      expect(() => readFileSync(path), target).not.toThrow()
    }
  })

  const fences = readFences(text).filter(isRunnable)
  if (fences.length === 0) return
  it('runs as a reader would run it', async () => {
    const folder = `${WORK}${page.replaceAll('/', '-')}/`
    mkdirSync(folder, { recursive: true })
    cpSync(`${ROOT}examples`, `${folder}examples`, { recursive: true })
    // Fences, examples and projects that a page makes find the package as if it were installed, not this project.
    writeFileSync(`${folder}package.json`, '{ "private": true, "type": "module" }')
    mkdirSync(`${folder}node_modules`)
    symlinkSync(PACKAGE, `${folder}node_modules/waymark`)
    const port = String(await freePort())
    for (const [index, fence] of fences.entries()) {
      await runFence({ ...fence, code: fence.code.replaceAll('4000', port) }, index, {
        folder,
        port,
      })
    }
  }, 120_000)
})

describe('docs/reference/errors.md', () => {
  it('says what the table says; npm run docs:errors writes it', () => {
    expect(read('docs/reference/errors.md')).toBe(formatErrorsPage())
  })
})

/** Pages that a page links to, as paths from the root. */
function listLinked(page: string): readonly string[] {
  return [...read(page).matchAll(/\]\((?!https?:)([^)#]+\.md)/g)].map(([, target = '']) =>
    fileURLToPath(new URL(target, `file://${ROOT}${page}`)).slice(ROOT.length),
  )
}

it('leads from README.md to every page', () => {
  const found = new Set(['README.md'])
  for (const page of found) {
    for (const linked of listLinked(page)) if (pages.includes(linked)) found.add(linked)
  }
  expect(pages.filter((page) => !found.has(page))).toEqual([])
})

describe('docs/reference/cli.md', () => {
  const rows = [
    ...read('docs/reference/cli.md').matchAll(/^\| `waymark (\w+)((?:[^`])*)` \|(.*)$/gm),
  ].map(([, name = '', usage = '', rest = '']) => ({
    name,
    usage: usage.replaceAll('\\|', '|').trim(),
    rest,
  }))

  it('has a row for every command, with its usage, and no other', () => {
    expect(rows.map(({ name, usage }) => `${name} ${usage}`)).toEqual(
      COMMANDS.map(({ name, usage }) => `${name} ${usage}`),
    )
  })

  it('names only flags that the command has', () => {
    for (const { name, flags } of COMMANDS) {
      const { rest = '' } = rows.find((row) => row.name === name) ?? {}
      const named = [...rest.matchAll(/`--([\w-]+)/g)].map(([, flag = '']) => flag)
      expect(Object.keys(flags), name).toEqual(expect.arrayContaining(named))
    }
  })
})

describe('docs/internals/dependencies.md', () => {
  const { dependencies, peerDependencies } = JSON.parse(read('package.json'))
  const known = Object.keys({ ...dependencies, ...peerDependencies })
  const [tables = ''] = read('docs/internals/dependencies.md').split('For development only')
  const rows = [...tables.matchAll(/^\| (`[^|]+) \|(.*)$/gm)].map(([, names = '', rest = '']) => ({
    names: [...names.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name),
    places: [...rest.matchAll(/`(src\/[\w./-]+)`/g)].map(([, place = '']) => place),
  }))

  it('gives the reason of every dependency and optional peer, and of nothing else', () => {
    expect([...new Set(rows.flatMap(({ names }) => names))].sort()).toEqual(known.sort())
  })

  it('names places that import the package', () => {
    for (const { names, places } of rows) {
      expect(places.length, names.join()).toBeGreaterThan(0)
      for (const place of places) {
        const text = readSources(place).join()
        for (const name of names)
          expect(text.includes(`'${name}`), `${name} in ${place}`).toBe(true)
      }
    }
  })
})

function readSources(place: string): readonly string[] {
  if (!place.endsWith('/')) return [read(place)]
  return readdirSync(`${ROOT}${place}`)
    .filter((name) => name.endsWith('.ts'))
    .map((name) => read(`${place}${name}`))
}
