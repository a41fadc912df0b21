import { execFile } from 'node:child_process'
import {
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { listCompilers } from '../../scripts/compilers.mjs'
import { installPackage } from '../support/built-package.ts'
import { formatMistakes, readMistakes, toSource } from './mistakes.ts'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))
const GOLDEN = fileURLToPath(new URL('mistakes.md', import.meta.url))
const LACKING = 'A definition without a version'
const read = (name: string) => readFileSync(`${ROOT}${name}`, 'utf8')

/** What `tsc --init` writes, on both compilers. */
const OPTIONS = {
  module: 'nodenext',
  target: 'esnext',
  types: ['node'],
  noEmit: true,
  allowImportingTsExtensions: true,
  noUncheckedIndexedAccess: true,
  exactOptionalPropertyTypes: true,
  strict: true,
  verbatimModuleSyntax: true,
  isolatedModules: true,
  noUncheckedSideEffectImports: true,
  moduleDetection: 'force',
  skipLibCheck: true,
}

const pages = [
  'README.md',
  ...readdirSync(`${ROOT}docs`, { recursive: true })
    .map(String)
    // Pages about the inside show modules that users cannot import.
    .filter((name) => name.endsWith('.md') && !/^(?:internals|reference\/api)\//.test(name))
    .map((name) => `docs/${name}`),
]

/** Writes every TypeScript block of a page as a reader would: modules under their names, and pieces below their module. */
function writePage(page: string, folder: string): void {
  const text = read(page)
  const files = new Map<string, string>()
  let last = ''
  // A client that a command generates is compiled by test/newcomer.test.ts.
  for (const [, before = '', code = ''] of text.matchAll(/([^\n]*)\n+```ts\n([\s\S]*?)```/g)) {
    if (code.includes("from './client.ts'")) continue
    if (/^(?:\/\/[^\n]*\n)?import /.test(code)) {
      last = /`([\w-]+\.ts)`/.exec(before)?.[1] ?? `block-${files.size + 1}.ts`
      files.set(last, code)
    } else {
      files.set(
        last,
        `${files.get(last)}\nexport async function block${code.length}() {\n${code}\n}\n`,
      )
    }
  }
  if (text.includes("'./service.ts'") && !files.has('service.ts')) files.set('service.ts', SERVICE)
  mkdirSync(folder, { recursive: true })
  for (const [name, code] of files) writeFileSync(join(folder, name), code)
  if (text.includes("from './examples/")) {
    cpSync(`${ROOT}examples`, join(folder, 'examples'), { recursive: true })
  }
}

/** The first block of the README: the service that pages call. */
const SERVICE = /```ts\n([\s\S]*?)```/.exec(read('README.md'))?.[1] ?? ''

describe.each(listCompilers())('a project outside the repository, with $name', ({ name, tsc }) => {
  let output = ''
  beforeAll(async () => {
    await ready
    output = await compile(tsc)
  }, 240_000)

  it('compiles README.md and every TypeScript block of the documentation', () => {
    const errors = output.split('\n').filter((line) => line !== '' && !line.startsWith('mistakes'))
    expect(errors.filter((line) => !line.startsWith(' '))).toEqual([])
  })

  it('is told the field in the first line of every common mistake', () => {
    const found = formatMistakes(mistakes, output)
    for (const { title, field, lines } of found) {
      // TypeScript 5.9 begins every message about an argument that lacks a member with the types of both.
      const said = title === LACKING ? lines.slice(0, 2).join() : lines[0]
      expect(said, `${title}: ${lines.join('\n')}`).toContain(field)
    }
    compiled.set(
      name,
      found.map(({ lines }) => lines),
    )
  })
})

it('says what mistakes.md records; -u writes it', async () => {
  const sections = mistakes.map(({ title, field, code }, index) => {
    const outputs = [...compiled].map(
      ([name, lines]) => `${name}:\n\n\`\`\`text\n${(lines[index] ?? []).join('\n')}\n\`\`\``,
    )
    return [`## ${title}: \`${field}\``, `\`\`\`ts\n${code}\`\`\``, ...outputs].join('\n\n')
  })
  const head = readFileSync(GOLDEN, 'utf8').split('\n## ')[0]
  await expect(`${[head?.trimEnd(), ...sections].join('\n\n')}\n`).toMatchFileSnapshot(GOLDEN)
})

const project = `${mkdtempSync(join(tmpdir(), 'waymark-user-'))}/`
const mistakes = readMistakes(readFileSync(GOLDEN, 'utf8'))
const compiled = new Map<string, readonly (readonly string[])[]>()
const ready = prepare()
afterAll(() => rmSync(project, { recursive: true, force: true }))

async function prepare(): Promise<void> {
  await installPackage(project)
  rmSync(`${project}build`, { recursive: true })
  writeFileSync(`${project}package.json`, '{ "private": true, "type": "module" }')
  writeFileSync(
    `${project}tsconfig.json`,
    JSON.stringify({ compilerOptions: OPTIONS, exclude: ['**/examples'] }),
  )
  for (const page of pages) writePage(page, `${project}${page.replaceAll(/[/.]/g, '-')}`)
  writeFileSync(`${project}mistakes.ts`, toSource(mistakes))
}

async function compile(tsc: string): Promise<string> {
  const args = [tsc, '-p', project, '--pretty', 'false']
  const run = promisify(execFile)(process.execPath, args, { cwd: project, maxBuffer: 64 << 20 })
  return run.then(
    ({ stdout }) => stdout,
    ({ stdout }: { stdout: string }) => stdout,
  )
}
