// Writes the API report, api/<entry>.txt, and the API reference, docs/reference/api.md and docs/reference/api/<entry>.md,
// from the emitted declarations; test/api-report.test.ts compares them. Run it with `npm run api`.
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { type ApiEntry, type ApiExport, emitDeclarations, readEntries } from './api-surface.ts'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const FOLDERS = ['api', 'docs/reference/api']

/** Formats every file of the report and of the reference, by its path. */
export function formatApi(entries: readonly ApiEntry[]): ReadonlyMap<string, string> {
  return new Map([
    ...entries.map((entry) => [`api/${entry.name}.txt`, formatReport(entry)] as const),
    ...entries.map((entry) => [pageOf(entry), formatPage(entry, entries)] as const),
    ['docs/reference/api.md', formatIndex(entries)] as const,
  ])
}

/** Lists the files that the report and the reference have now, so that one of a former entry is found. */
export function listApiFiles(): readonly string[] {
  return FOLDERS.flatMap((folder) =>
    readdirSync(`${ROOT}${folder}`).map((name) => `${folder}/${name}`),
  )
}

function pageOf({ name }: ApiEntry): string {
  return `docs/reference/api/${name}.md`
}

function formatReport({ specifier, exports }: ApiEntry): string {
  const parts = exports.map(({ summary, text }) => `/** ${summary} */\n${text}\n`)
  return [`// What can be imported from ${specifier}. Written by npm run api.\n`, ...parts].join(
    '\n',
  )
}

function formatIndex(entries: readonly ApiEntry[]): string {
  const rows = entries.map(
    ({ name, specifier, about, exports }) =>
      `| [\`${specifier}\`](api/${name}.md) | ${about} | ${exports.length} |`,
  )
  return `# API reference

What each entry of the package exports, written by \`npm run api\` from its declarations. What a signature mentions can be
imported: from the same entry, or from the entry that the end of the page names.

| Import from | For | Names |
| --- | --- | --: |
${rows.join('\n')}

A change to any of these signatures shows up in \`api/\`, which \`npm test\` compares with the code. The command line has
[a reference of its own](cli.md), and so have [errors](errors.md).
`
}

function formatPage(entry: ApiEntry, entries: readonly ApiEntry[]): string {
  const { specifier, about, exports } = entry
  const anchors = listAnchors(entry)
  const contents = exports.map(({ name }) => `[\`${name}\`](#${anchors.get(name)})`).join(', ')
  const parts = [
    `# ${specifier}\n`,
    `${about}. Written by \`npm run api\`.\n`,
    `${contents}\n`,
    ...exports.map(formatExport),
    ...formatForeign(entry, entries),
    '[All entries](../api.md)\n',
  ]
  return parts.join('\n')
}

/** Names the anchor of each heading; a page with `ToolContent` and `toolContent` numbers the second. */
function listAnchors({ exports }: ApiEntry): ReadonlyMap<string, string> {
  const taken = new Map<string, number>()
  return new Map(
    exports.map(({ name }) => {
      const anchor = name.toLowerCase()
      const count = taken.get(anchor) ?? 0
      taken.set(anchor, count + 1)
      return [name, count === 0 ? anchor : `${anchor}-${count}`]
    }),
  )
}

function formatExport({ name, kind, summary, text }: ApiExport): string {
  const word = `${kind[0]?.toUpperCase()}${kind.slice(1)}`
  return `## ${name}\n\n${word}. ${summary}\n\n\`\`\`ts\n${text}\n\`\`\`\n`
}

/** Names what the signatures of an entry mention and another entry exports. */
function formatForeign(entry: ApiEntry, entries: readonly ApiEntry[]): readonly string[] {
  const own = new Set(entry.exports.map(({ id }) => id))
  const foreign = new Set(entry.exports.flatMap(({ mentions }) => mentions))
  const rows = entries.flatMap((other) => {
    const found = other.exports.filter(({ id }) => foreign.has(id) && !own.has(id))
    for (const { id } of found) foreign.delete(id)
    if (found.length === 0) return []
    const anchors = listAnchors(other)
    const names = found.map(({ name }) => `[\`${name}\`](${other.name}.md#${anchors.get(name)})`)
    return [`- from [\`${other.specifier}\`](${other.name}.md): ${names.join(', ')}`]
  })
  return rows.length === 0 ? [] : [`## Mentioned here\n\n${rows.join('\n')}\n`]
}

function write(): void {
  for (const folder of FOLDERS) mkdirSync(`${ROOT}${folder}`, { recursive: true })
  const files = formatApi(readEntries(emitDeclarations()))
  for (const path of listApiFiles()) if (!files.has(path)) rmSync(`${ROOT}${path}`)
  for (const [path, text] of files) writeFileSync(`${ROOT}${path}`, text)
  console.log(`${files.size} files written to ${FOLDERS.join(' and ')}`)
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) write()
