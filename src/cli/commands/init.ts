import { existsSync, readdirSync } from 'node:fs'
import { basename, join, relative, resolve } from 'node:path'
import { type CommandInput, EXIT, UsageError } from '../command.ts'
import { readTextFlag } from '../flags.ts'
import { VERSION } from '../help.ts'
import { buildProject, type Language } from '../init/template.ts'
import { ask, createPaint, formatTable } from '../print.ts'
import { writeAllInside } from '../write-inside.ts'

/** Writes a small service with a test. */
export async function runInitCommand(input: CommandInput): Promise<number> {
  const { io, flags, positionals } = input
  const [folder = '.'] = positionals
  const target = resolve(io.cwd, folder)
  refuseFullFolder(target, folder, flags['force'] === true)
  const asks = io.terminal && flags['yes'] !== true
  const name = await readName(input, toName(basename(target)), asks)
  const language = await readLanguage(input, asks)
  const files = buildProject({
    name,
    language,
    waymark: readTextFlag(input, 'waymark') ?? `^${VERSION}`,
  })
  const written = files.filter(({ path }) => !existsSync(join(target, path)))
  await writeAllInside(target, written)
  io.out(formatResult(input, { target, name, paths: written.map(({ path }) => path) }))
  return EXIT.ok
}

function refuseFullFolder(target: string, folder: string, force: boolean): void {
  if (!existsSync(target) || force) return
  const found = readdirSync(target).filter((name) => name !== '.git')
  if (found.length === 0) return
  throw new UsageError(
    `${folder} is not empty (${found.slice(0, 3).join(', ')}${found.length > 3 ? ', …' : ''}); name a new folder, or add --force to write beside what is there`,
  )
}

const NAME = /^[a-z][a-z0-9-]{0,49}$/

async function readName(input: CommandInput, usual: string, asks: boolean): Promise<string> {
  const given = readTextFlag(input, 'name')
  const answer =
    given ?? (asks ? await ask(`What is the service called? (${usual}) `, input.io, usual) : usual)
  const name = answer.trim() || usual
  if (NAME.test(name)) return name
  throw new UsageError(
    `a service name has lower-case letters, digits and dashes and begins with a letter; got "${name.slice(0, 60)}"`,
  )
}

async function readLanguage(input: CommandInput, asks: boolean): Promise<Language> {
  const given = readTextFlag(input, 'language')
  const answer =
    given ?? (asks ? await ask('TypeScript or JavaScript? (ts) ', input.io, 'ts') : 'ts')
  const word = answer.trim().toLowerCase() || 'ts'
  if (word === 'ts' || word === 'typescript') return 'ts'
  if (word === 'js' || word === 'javascript') return 'js'
  throw new UsageError(`the language is ts or js; got "${word.slice(0, 40)}"`)
}

function toName(folder: string): string {
  const name = folder
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+|-+$/g, '')
    .slice(0, 50)
  return name === '' ? 'greetings' : name
}

function formatResult(
  { io, flags }: CommandInput,
  {
    target,
    name,
    paths,
  }: { readonly target: string; readonly name: string; readonly paths: readonly string[] },
): string {
  if (flags['json']) return `${JSON.stringify({ folder: target, name, files: paths })}\n`
  const paint = createPaint(io)
  const shown = relative(io.cwd, target)
  const steps = [
    ...(shown === '' ? [] : [`cd ${quoteWord(shown)}`]),
    'npm install',
    'npm test',
    'npm start',
  ]
  const place = shown === '' ? '' : ` to ${shown}`
  if (paths.length === 0) return `Nothing is written${place}: every file is there already.\n`
  return [
    `${paint.bold(name)} is written${place}:\n`,
    formatTable(paths.map((path) => [path])),
    `\nNext: ${steps.join(' && ')}\n`,
  ].join('')
}

/** Writes a word so that a shell takes it as one. */
function quoteWord(word: string): string {
  return /^[\p{L}\p{N}_./@-]+$/u.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}
