import { mkdirSync, writeFileSync } from 'node:fs'
import { join, relative, resolve } from 'node:path'
import { buildSite } from '../../site/site.ts'
import type { Command } from '../command.ts'
import { EXIT, UsageError } from '../exit.ts'
import { JSON_FLAG, readText } from '../flags.ts'
import { loadDiscovery } from '../load-description.ts'
import { HEADER_FLAG } from '../remote.ts'

/** Writes a static documentation site of a service. */
export const docsCommand: Command = {
  name: 'docs',
  summary: 'Write a static documentation site of a service or a description',
  usage: '<source>',
  flags: {
    out: { type: 'string', short: 'o', value: 'folder', summary: 'where to; site when absent' },
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
    mkdirSync(folder, { recursive: true })
    for (const { path, text } of files) writeFileSync(join(folder, path), text)
    const shown = relative(io.cwd, folder) || '.'
    io.out(
      flags['json']
        ? `${JSON.stringify({ folder, files: files.map(({ path }) => path) })}\n`
        : `${files.length} files in ${shown}; open ${join(shown, 'index.html')}\n`,
    )
    return EXIT.ok
  },
}
