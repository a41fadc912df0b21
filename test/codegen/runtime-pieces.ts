import { readFileSync } from 'node:fs'
import { parseSync } from 'oxc-parser'

/** The files, from src/sources/runtime on, that generated code carries with it, in the order they are printed. */
export const CARRIED_FILES = [
  'operation',
  'tool-error',
  'tool-definition',
  'check-arguments',
  '../../values/suggest',
  'call-tool',
  'request',
  'serialize',
  'body',
  'auth',
  'oauth2',
  'send',
  'response',
  '../../values/exact-json',
] as const

/** One declaration of the runtime. */
export interface Piece {
  readonly name: string
  /** Source text with its comment, without `export`. */
  readonly text: string
  /** Other pieces it mentions. */
  readonly uses: readonly string[]
}

/** Cuts the runtime into its declarations and finds out which of them need which. */
export function readRuntimePieces(
  directory: string,
  files: readonly string[] = CARRIED_FILES,
): Piece[] {
  const found = files.flatMap((file) => {
    return readDeclarations(readFileSync(`${directory}/${file}.ts`, 'utf8'), `${file}.ts`)
  })
  const names = new Set(found.map((declaration) => declaration.name))
  if (names.size !== found.length) {
    const twice = found.map(({ name }) => name).filter((name, at, all) => all.indexOf(name) !== at)
    throw new TypeError(`two files of ${directory} declare ${twice.join(', ')}`)
  }
  return found.map(({ name, text, mentions }) => ({
    name,
    text,
    uses: [...mentions].filter((mention) => mention !== name && names.has(mention)).sort(),
  }))
}

/** What the module of some pieces is called and where they come from. */
interface PiecesModule {
  readonly made: string
  readonly constant: string
  /** Declares or imports the type of a piece. */
  readonly type: string
}

const RUNTIME_MODULE: PiecesModule = {
  made: 'src/sources/runtime by test/codegen/runtime-pieces.test.ts',
  constant: 'RUNTIME_PIECES',
  type: `/** A declaration of the runtime as generated code carries it. */
export interface RuntimePiece {
  /** Other pieces it needs. */
  readonly uses: readonly string[]
  readonly text: string
}`,
}

/** Prints the pieces as a module. */
export function formatRuntimePieces(
  pieces: readonly Piece[],
  { made, constant, type }: PiecesModule = RUNTIME_MODULE,
): string {
  const entries = pieces.map(({ name, text, uses }) => {
    return `  ${name}: {\n    uses: ${JSON.stringify(uses)},\n    text: ${JSON.stringify(text)},\n  },\n`
  })
  return `/* Made from ${made}; run it with -u to make it anew. */

${type}

/** Every declaration of the runtime, in the order it is printed. */
export const ${constant}: Readonly<Record<string, RuntimePiece>> = {
${entries.join('')}}
`
}

interface Declaration {
  readonly name: string
  readonly text: string
  readonly mentions: ReadonlySet<string>
}

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

function readDeclarations(source: string, file: string): Declaration[] {
  const { program, comments, errors } = parseSync(file, source)
  if (errors.length > 0) throw new TypeError(`${file}: ${errors[0]?.message}`)
  const statements = program.body as unknown as Node[]
  return statements
    .filter((statement) => statement.type !== 'ImportDeclaration')
    .map((statement, index, all) => {
      const previousEnd = all[index - 1]?.end ?? 0
      const lead = comments.filter((comment) => {
        const isAbove = comment.start >= previousEnd && comment.end <= statement.start
        return isAbove && isAttached(source, comment.end)
      })
      const first = lead.find((comment) => comment.start > 0)?.start ?? statement.start
      const text = `${source.slice(first, statement.start)}${source.slice(statement.start, statement.end)}`
      return {
        name: nameOf(statement),
        text: text.replace(/^export (?=interface|type|const|function|async|class)/m, ''),
        mentions: mentionsIn(statement),
      }
    })
}

// The comment at the head of a file is about the file; it is set off by a blank line or an import.
function isAttached(source: string, end: number): boolean {
  return /^\n(?:\/\/|\/\*|export|function|async|interface|type|const|class)/.test(source.slice(end))
}

function nameOf(statement: Node): string {
  const declaration = (statement['declaration'] ?? statement) as Node
  const declarators = declaration['declarations'] as Node[] | undefined
  const id = (declarators?.[0]?.['id'] ?? declaration['id']) as { name?: string } | undefined
  if (id?.name === undefined) throw new TypeError(`a ${statement.type} cannot be carried`)
  return id.name
}

function mentionsIn(node: unknown, found = new Set<string>()): Set<string> {
  if (Array.isArray(node)) for (const child of node) mentionsIn(child, found)
  if (typeof node !== 'object' || node === null || Array.isArray(node)) return found
  const { type, name } = node as { type?: string; name?: unknown }
  if (type === 'Identifier' && typeof name === 'string') found.add(name)
  for (const [key, child] of Object.entries(node)) {
    const isName = key === 'property' || key === 'key'
    if (isName && (node as { computed?: boolean }).computed !== true) continue
    mentionsIn(child, found)
  }
  return found
}
