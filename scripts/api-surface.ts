// Reads what the package exports from its emitted declarations: each name of each entry, followed through re-exports to
// the declaration, with what that declaration mentions.
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, normalize, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'oxc-parser'

const ROOT = fileURLToPath(new URL('../', import.meta.url))

/** The path of each declaration file, and its text. */
export type Declarations = ReadonlyMap<string, string>

/** One exported name. */
export interface ApiExport {
  readonly name: string
  readonly kind: 'function' | 'class' | 'constant' | 'interface' | 'type'
  /** The declaration, with comments reduced to their first sentence. */
  readonly text: string
  /** The first sentence of its documentation; empty where there is none. */
  readonly summary: string
  /** The file and name of the declaration. */
  readonly id: string
  /** The files and names of the declarations that it mentions, of this package. */
  readonly mentions: readonly string[]
}

/** What one entry of the package exports. */
export interface ApiEntry {
  /** As the report is named: `waymark`, `client`. */
  readonly name: string
  /** As it is imported: `waymark`, `waymark/client`. */
  readonly specifier: string
  /** What it is for: the comment at the head of its source. */
  readonly about: string
  readonly exports: readonly ApiExport[]
}

/** A mention of something that its reader cannot import from the same place. */
export interface HiddenMention {
  readonly entry: string
  readonly name: string
  readonly mentions: string
}

interface Conditions {
  readonly types: string
  readonly 'waymark-source': string
}

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
  readonly [key: string]: unknown
}

interface Source {
  readonly text: string
  readonly comments: readonly { readonly start: number; readonly end: number }[]
  /** Declared names; overloads are several nodes. */
  readonly declared: ReadonlyMap<string, readonly Node[]>
  /** Imported and re-exported names, and what they are in which file. */
  readonly imported: ReadonlyMap<string, { readonly file: string; readonly name: string }>
  readonly exported: ReadonlyMap<string, { readonly file: string; readonly name: string }>
}

const KINDS: Readonly<Record<string, ApiExport['kind']>> = {
  TSDeclareFunction: 'function',
  FunctionDeclaration: 'function',
  ClassDeclaration: 'class',
  VariableDeclaration: 'constant',
  TSInterfaceDeclaration: 'interface',
  TSTypeAliasDeclaration: 'type',
}

/** Emits the declarations of src/ to a folder that is gone afterwards. */
export function emitDeclarations(): Declarations {
  const folder = mkdtempSync(join(tmpdir(), 'waymark-api-'))
  try {
    const compiler = join(ROOT, 'node_modules/typescript/bin/tsc')
    const project = join(ROOT, 'tsconfig.build.json')
    const parameters = ['-p', project, '--emitDeclarationOnly', '--outDir', folder]
    execFileSync(process.execPath, [compiler, ...parameters], { stdio: 'inherit' })
    const files = readdirSync(folder, { recursive: true }).map(String)
    const declarations = files.filter((file) => file.endsWith('.d.ts'))
    return new Map(declarations.map((file) => [file, readFileSync(join(folder, file), 'utf8')]))
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** Lists what each entry of package.json exports. */
export function readEntries(declarations: Declarations): readonly ApiEntry[] {
  const manifest = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    readonly exports: Readonly<Record<string, string | Conditions>>
  }
  const sources = createSources(declarations)
  return Object.entries(manifest.exports).flatMap(([path, target]) => {
    if (typeof target === 'string') return []
    const name = path === '.' ? 'waymark' : path.slice(2)
    const specifier = path === '.' ? 'waymark' : `waymark/${name}`
    const file = relative('dist', normalize(target.types))
    const [head = ''] = readFileSync(join(ROOT, target['waymark-source']), 'utf8').split('\n')
    const about = head.replace(/^\/\/ |\.$/g, '')
    return [{ name, specifier, about, exports: readExports(file, sources) }]
  })
}

/** Lists what a declaration file exports, sorted by name. */
export function readExports(file: string, sources: (file: string) => Source): readonly ApiExport[] {
  const names = [...sources(file).exported.keys()].sort((a, b) => (a < b ? -1 : 1))
  return names.map((name) => describe(name, resolve(file, name, sources), sources))
}

/** Lists what the exports of an entry mention and the entry does not export. */
export function listHidden(entry: ApiEntry): readonly HiddenMention[] {
  const known = new Set(entry.exports.map(({ id }) => id))
  return entry.exports.flatMap(({ name, mentions }) =>
    mentions
      .filter((id) => !known.has(id))
      .map((id) => ({ entry: entry.name, name, mentions: id })),
  )
}

/** Parses each file once, when it is first needed. */
export function createSources(declarations: Declarations): (file: string) => Source {
  const parsed = new Map<string, Source>()
  return (file) => {
    const known = parsed.get(file)
    if (known !== undefined) return known
    const text = declarations.get(file)
    if (text === undefined) throw new Error(`There is no declaration file ${file}`)
    const source = parse(file, text)
    parsed.set(file, source)
    return source
  }
}

function parse(file: string, text: string): Source {
  const { program, comments, errors } = parseSync(file, text)
  if (errors.length > 0) throw new Error(`${file}: ${errors[0]?.message}`)
  const declared = new Map<string, Node[]>()
  const imported = new Map<string, { file: string; name: string }>()
  const exported = new Map<string, { file: string; name: string }>()
  for (const statement of program.body as unknown as readonly Node[]) {
    const origin = statement['source'] as { value: string } | null | undefined
    const from = origin ? resolvePath(file, origin.value) : file
    if (statement.type === 'ImportDeclaration') {
      for (const specifier of statement['specifiers'] as readonly Node[]) {
        const name = specifier['imported'] ? nameOf(specifier['imported']) : 'default'
        imported.set(nameOf(specifier['local']), { file: from, name })
      }
      continue
    }
    if (statement.type === 'ExportAllDeclaration') throw new Error(`${file}: name what is exported`)
    const declaration = (statement['declaration'] ?? statement) as Node
    for (const name of namesOf(declaration)) {
      declared.set(name, [...(declared.get(name) ?? []), statement])
      if (declaration !== statement) exported.set(name, { file, name })
    }
    if (statement.type !== 'ExportNamedDeclaration') continue
    for (const specifier of statement['specifiers'] as readonly Node[]) {
      exported.set(nameOf(specifier['exported']), { file: from, name: nameOf(specifier['local']) })
    }
  }
  return { text, comments, declared, imported, exported }
}

/** The declaration files of this package are known by their path; those of others keep their specifier. */
function resolvePath(file: string, specifier: string): string {
  if (!specifier.startsWith('.')) return specifier
  return join(dirname(file), specifier).replace(/\.[jt]s$/, '.d.ts')
}

function nameOf(node: unknown): string {
  const { name, value } = node as { name?: string; value?: string }
  return name ?? value ?? ''
}

function namesOf(declaration: Node): readonly string[] {
  if (KINDS[declaration.type] === undefined) return []
  if (declaration.type !== 'VariableDeclaration') return [nameOf(declaration['id'])]
  return (declaration['declarations'] as readonly Node[]).map(({ id }) => nameOf(id))
}

/** Follows a name to the file that declares it. */
function resolve(
  file: string,
  name: string,
  sources: (file: string) => Source,
): { readonly file: string; readonly name: string } {
  const source = sources(file)
  const next = source.exported.get(name)
  if (next === undefined) throw new Error(`${file} does not export ${name}`)
  if (next.file !== file) return resolve(next.file, next.name, sources)
  return resolveLocal(file, next.name, sources) ?? { file, name: next.name }
}

/** Follows a name that stands in a file to its declaration; none for a global or another package's. */
function resolveLocal(
  file: string,
  name: string,
  sources: (file: string) => Source,
): { readonly file: string; readonly name: string } | undefined {
  const source = sources(file)
  if (source.declared.has(name)) return { file, name }
  const origin = source.imported.get(name)
  if (origin === undefined || !origin.file.endsWith('.d.ts')) return undefined
  return resolve(origin.file, origin.name, sources)
}

function describe(
  name: string,
  target: { readonly file: string; readonly name: string },
  sources: (file: string) => Source,
): ApiExport {
  const source = sources(target.file)
  const nodes = source.declared.get(target.name) ?? []
  const [first] = nodes
  if (first === undefined) throw new Error(`${target.file} does not declare ${target.name}`)
  const declaration = (first['declaration'] ?? first) as Node
  const mentions = new Set<string>()
  for (const mentioned of nodes.flatMap((node) => mentionsOf(node))) {
    const found = resolveLocal(target.file, mentioned, sources)
    if (found !== undefined) mentions.add(`${found.file}#${found.name}`)
  }
  const id = `${target.file}#${target.name}`
  mentions.delete(id)
  return {
    name,
    kind: KINDS[declaration.type] as ApiExport['kind'],
    text: nodes.map((node) => reduceText(source, node)).join('\n'),
    summary: summaryBefore(source, first),
    id,
    mentions: [...mentions].sort(),
  }
}

/** The names of types that stand in a declaration, without its own type parameters. */
function mentionsOf(root: Node): readonly string[] {
  const names = new Set<string>()
  const own = new Set<string>()
  visit(root, (node) => {
    if (node.type === 'TSTypeParameter') own.add(nameOf(node['name']))
    if (node.type === 'TSMappedType') own.add(nameOf(node['key']))
    const name =
      node['typeName'] ??
      node['exprName'] ??
      node['superClass'] ??
      (node.type === 'TSInterfaceHeritage' || node.type === 'TSClassImplements'
        ? node['expression']
        : undefined)
    if (name) names.add(leftmost(name as Node))
    // A computed member, such as `[BRAND]: true`.
    if (node['computed'] === true && node['key']) names.add(leftmost(node['key'] as Node))
  })
  return [...names].filter((name) => !own.has(name))
}

function leftmost(node: Node): string {
  const left = node['left'] ?? node['object']
  return left ? leftmost(left as Node) : nameOf(node)
}

function visit(value: unknown, see: (node: Node) => void): void {
  if (Array.isArray(value)) for (const item of value) visit(item, see)
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return
  if (typeof (value as Node).type === 'string') see(value as Node)
  for (const child of Object.values(value)) visit(child, see)
}

/** The text of a declaration as a reader writes it, with comments reduced to their first sentence. */
function reduceText(source: Source, node: Node): string {
  let text = ''
  let at = node.start
  for (const { start, end } of source.comments) {
    if (start < node.start || end > node.end) continue
    const sentence = firstSentence(source.text.slice(start, end))
    text += source.text.slice(at, start) + (sentence === '' ? '' : `/** ${sentence} */`)
    at = end
  }
  text += source.text.slice(at, node.end)
  return text
    .replace(/^export (?:declare )?/, '')
    .replace(/^( {4})+/gm, (spaces) => ' '.repeat(spaces.length / 2))
    .replace(/;$/gm, '')
}

function summaryBefore(source: Source, node: Node): string {
  const comment = source.comments.findLast(
    ({ end }) => end <= node.start && source.text.slice(end, node.start).trim() === '',
  )
  if (comment === undefined) return ''
  const text = source.text.slice(comment.start, comment.end)
  return text.startsWith('/**') ? firstSentence(text) : ''
}

/** The first sentence of a comment; a full stop ends it when a space and a new word follow. */
function firstSentence(comment: string): string {
  const words = comment
    .replace(/^\/\*\*?|\*\/$/g, '')
    .replace(/^\/\//, '')
    .replace(/^\s*\*/gm, '')
    .replace(/\s+/g, ' ')
    .trim()
  const [plain = ''] = words.split(/ @\w+ /)
  const end = plain.search(/\.(?= [A-Z`])/)
  return end < 0 ? plain : plain.slice(0, end + 1)
}
