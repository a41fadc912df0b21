import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { buildSite } from '../../change/site/index.ts'
import { type Command, EXIT, UsageError } from '../command.ts'
import { JSON_FLAG, readText } from '../flags.ts'
import { HEADER_FLAG } from '../remote.ts'
import { loadDiscovery } from '../source/description.ts'
import { writeAllInside } from '../write-inside.ts'

/** Writes a static documentation site of a service. */
export const docsCommand: Command = {
  name: 'docs',
  summary: 'Write a static documentation site of a service or a description',
  usage: '<source>',
  flags: {
    out: { type: 'string', short: 'o', value: 'folder', summary: 'where to; site when absent' },
    force: { type: 'boolean', summary: 'replace files that were not written by this command' },
    header: HEADER_FLAG,
    json: JSON_FLAG,
  },
  examples: [
    'waymark docs service.ts --out site',
    'waymark docs http://127.0.0.1:4000 --out public/docs',
    'waymark docs openapi.yaml',
  ],
  async run(input) {
    const { positionals, flags, io } = input
    const [reference] = positionals
    if (reference === undefined) {
      throw new UsageError('what should be documented? Give one source: waymark docs service.ts')
    }
    const { document, notes } = await loadDiscovery(reference, input)
    for (const note of notes) io.err(`${note}\n`)
    const folder = resolve(io.cwd, readText(input, 'out') ?? 'site')
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
  },
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
