import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { buildSite } from '../../change/site/index.ts'
import { type CommandInput, EXIT, UsageError } from '../command.ts'
import { readTextFlag } from '../flags.ts'
import { loadDiscovery } from '../source/description.ts'
import { writeAllInside } from '../write-inside.ts'

/** Writes a static documentation site of a service. */
export async function runDocsCommand(input: CommandInput): Promise<number> {
  const { positionals, flags, io } = input
  const [reference] = positionals
  if (reference === undefined) {
    throw new UsageError('what should be documented? Give one source: waymark docs service.ts')
  }
  const { document, notes } = await loadDiscovery(reference, input)
  for (const note of notes) io.err(`${note}\n`)
  const folder = resolve(io.cwd, readTextFlag(input, 'out') ?? 'site')
  const files = buildSite(document)
  const shown = relative(io.cwd, folder) || '.'
  const paths = files.map(({ path }) => path)
  if (flags['force'] !== true) refuseForeign(folder, shown, paths)
  await writeAllInside(folder, files)
  removeStale(folder, paths)
  io.out(
    flags['json']
      ? `${JSON.stringify({ folder, files: paths })}\n`
      : `${files.length} files in ${shown}; open ${join(shown, 'index.html')}\n`,
  )
  return EXIT.ok
}

/** A site is written over an older one of ours, never over what somebody else has there. */
function refuseForeign(folder: string, shown: string, paths: readonly string[]): void {
  if (isOurs(join(folder, 'index.html'))) return
  const found = paths.find((path) => existsSync(join(folder, path)))
  if (found === undefined) return
  throw new UsageError(
    `${join(shown, found)} was not written by this command; choose another folder with --out, or replace it with --force`,
  )
}

/** A page of a function that is gone would go on telling of it. */
function removeStale(folder: string, paths: readonly string[]): void {
  for (const name of readdirSync(folder)) {
    const path = join(folder, name)
    if (name.endsWith('.html') && !paths.includes(name) && isOurs(path)) rmSync(path)
  }
}

function isOurs(path: string): boolean {
  try {
    return readFileSync(path, 'utf8').includes('<meta name="generator" content="waymark docs">')
  } catch {
    return false
  }
}
