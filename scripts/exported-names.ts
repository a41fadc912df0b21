// Finds names that two files of src/ declare and export: one name has one meaning.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'oxc-parser'

const SOURCE = fileURLToPath(new URL('../src/', import.meta.url))

/** The path of each file below src/, and its text. */
type Tree = ReadonlyMap<string, string>

/** Reads the files of src/ that are neither tests nor generated. */
export function readTree(): Tree {
  const paths = readdirSync(SOURCE, { recursive: true }).map((path) =>
    String(path).replaceAll('\\', '/'),
  )
  const files = paths.filter(
    (path) => path.endsWith('.ts') && !/\.(?:test|test-d|gen)\.ts$/.test(path),
  )
  return new Map(files.sort().map((path) => [path, readFileSync(join(SOURCE, path), 'utf8')]))
}

/** Lists each name that more than one file declares and exports, with the files; a re-export declares nothing. */
export function listDuplicates(tree: Tree): ReadonlyMap<string, readonly string[]> {
  const files = new Map<string, Set<string>>()
  for (const [path, text] of tree) {
    for (const name of listDeclared(path, text)) {
      files.set(name, (files.get(name) ?? new Set()).add(path))
    }
  }
  const duplicates = [...files].filter(([, paths]) => paths.size > 1)
  return new Map(
    duplicates
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, paths]) => [name, [...paths].sort()]),
  )
}

/** What was found in a text before: parsing all of src/ takes seconds. */
const known = new Map<string, readonly string[]>()

function listDeclared(path: string, text: string): readonly string[] {
  const names = known.get(text) ?? parseDeclared(path, text)
  known.set(text, names)
  return names
}

function parseDeclared(path: string, text: string): readonly string[] {
  return parseSync(path, text).program.body.flatMap((statement) => {
    if (statement.type !== 'ExportNamedDeclaration' || statement.declaration === null) return []
    const { declaration } = statement
    if (declaration.type === 'VariableDeclaration') {
      return declaration.declarations.flatMap(({ id }) =>
        id.type === 'Identifier' ? [id.name] : [],
      )
    }
    const { id } = declaration as { id?: { name?: string } | null }
    return id?.name === undefined ? [] : [id.name]
  })
}
