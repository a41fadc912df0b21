// The modules of src/, lowest first, and what each may import. A module is a folder with an index.ts, the only file of it
// that others import. `tsx scripts/modules.ts` checks the tree; a module may name only modules above it in this list,
// so there are no cycles.
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

type Modules = Readonly<Record<string, readonly string[]>>

/** The path of each file below src/, and its text. */
type Tree = ReadonlyMap<string, string>

const BASE = ['values', 'errors', 'files', 'schema/walk', 'schema', 'wire', 'core']
const STATE = [...BASE, 'net', 'store', 'work']

export const MODULES: Modules = {
  values: [],
  errors: ['values'],
  files: ['errors'],
  'schema/walk': ['values'],
  schema: ['values', 'errors', 'files', 'schema/walk'],
  wire: ['values', 'errors'],
  core: ['values', 'errors', 'files', 'schema'],
  net: BASE,
  store: ['values', 'errors', 'core'],
  work: ['values', 'errors', 'core', 'store'],
  'extensions/query': BASE,
  contract: [...BASE, 'extensions/query'],
  discovery: [...BASE, 'contract'],
  'extensions/outgoing': STATE,
  'extensions/deadline': BASE,
  'extensions/deprecation': BASE,
  'extensions/dry-run': BASE,
  'extensions/locale': BASE,
  'extensions/redact': BASE,
  'extensions/retry': BASE,
  'extensions/simulation': BASE,
  'extensions/stream': BASE,
  'extensions/tracing': BASE,
  'extensions/rate-limit': STATE,
  'extensions/quota': [...STATE, 'extensions/rate-limit'],
  'extensions/idempotency': STATE,
  'extensions/lock': STATE,
  'extensions/caching': STATE,
  'extensions/cancellation': STATE,
  'extensions/priority': STATE,
  'extensions/maintenance': STATE,
  'extensions/async': [...STATE, 'extensions/idempotency', 'extensions/outgoing'],
  'extensions/webhook': [...STATE, 'extensions/async', 'extensions/outgoing'],
  'extensions/replay': [
    ...STATE,
    'extensions/async',
    'extensions/idempotency',
    'extensions/outgoing',
    'extensions/webhook',
  ],
  observe: [...STATE, 'extensions/redact'],
  system: [...STATE, 'contract', 'discovery', 'extensions/*', 'observe'],
  auth: STATE,
  'sources/tool-spec': ['values', 'schema'],
  'sources/openapi': ['values', 'schema', 'sources/tool-spec'],
  'sources/runtime': [...BASE, 'net', 'sources/tool-spec'],
  'sources/mcp': [...BASE, 'sources/tool-spec'],
  'sources/forrst': [...BASE, 'discovery', 'system', 'sources/tool-spec'],
  capabilities: [...BASE, 'net'],
  'surfaces/surface': [...BASE, 'net', 'capabilities'],
  'surfaces/forrst': [...BASE, 'net', 'surfaces/surface', 'extensions/stream'],
  'surfaces/rest': [
    ...BASE,
    'net',
    'contract',
    'extensions/stream',
    'capabilities',
    'surfaces/surface',
  ],
  'surfaces/documents': [
    ...BASE,
    'net',
    'contract',
    'discovery',
    'surfaces/surface',
    'surfaces/rest',
  ],
  'surfaces/mcp': [...STATE, 'contract', 'discovery', 'capabilities', 'surfaces/surface'],
  'surfaces/tools': [...BASE, 'net', 'contract', 'extensions/stream', 'surfaces/surface'],
  'surfaces/profile': [
    ...BASE,
    'net',
    'contract',
    'capabilities',
    'surfaces/surface',
    'surfaces/documents',
  ],
  triggers: [...STATE, 'sources/tool-spec', 'sources/runtime'],
  http: [...BASE, 'net', 'observe', 'system', 'surfaces/*', 'triggers'],
  client: [...BASE, 'discovery'],
  codegen: [...BASE, 'discovery', 'sources/*'],
  'change/diff': ['values', 'errors', 'schema', 'core', 'discovery', 'sources/*'],
  'change/mock': [...BASE, 'store', 'discovery', 'extensions/query', 'system', 'sources/*'],
  'change/site': ['values', 'errors', 'schema', 'core', 'discovery'],
  'change/verify': [
    ...BASE,
    'discovery',
    'extensions/query',
    'sources/forrst',
    'http',
    'client',
    'change/mock',
  ],
  cli: ['*'],
  entries: ['*'],
}

/** Files in one folder before it stops being something one sees at a glance. */
const MAX_FILES = 25

const IMPORT = /\b(?:from|import)\s*\(?\s*'(\.{1,2}\/[^']+)'/g

/** Lists what is wrong with a tree. */
export function checkModules(files: Tree, modules: Modules = MODULES): readonly string[] {
  return [...checkTable(modules), ...checkFolders(files, modules), ...checkImports(files, modules)]
}

function checkTable(modules: Modules): readonly string[] {
  const names = Object.keys(modules)
  return names.flatMap((name, place) =>
    expand(modules, name)
      .filter((other) => !names.includes(other) || names.indexOf(other) >= place)
      .map((other) => `${name} may not import ${other}: it does not stand above it in the list`),
  )
}

function checkFolders(files: Tree, modules: Modules): readonly string[] {
  const counts = new Map<string, number>()
  for (const file of files.keys()) {
    if (isTest(file)) continue
    counts.set(dirname(file), (counts.get(dirname(file)) ?? 0) + 1)
  }
  const homeless = [...files.keys()].filter((file) => moduleOf(file, modules) === undefined)
  return [
    ...homeless.map((file) => `src/${file} belongs to no module of scripts/modules.ts`),
    ...[...counts]
      .filter(([, count]) => count > MAX_FILES)
      .map(([folder, count]) => `src/${folder} has ${count} files, more than ${MAX_FILES}`),
  ]
}

function checkImports(files: Tree, modules: Modules): readonly string[] {
  const found: string[] = []
  for (const [file, text] of files) {
    if (isTest(file)) continue
    const own = moduleOf(file, modules) ?? ''
    const allowed = new Set(expand(modules, own))
    for (const [, specifier = ''] of text.matchAll(IMPORT)) {
      const target = join(dirname(file), specifier)
      const other = target.startsWith('..') ? own : moduleOf(target, modules)
      if (other === undefined || other === own) continue
      if (!allowed.has(other)) {
        found.push(`src/${file} imports ${specifier}: ${own} may not import ${other}`)
      } else if (target !== `${other}/index.ts`) {
        found.push(`src/${file} imports ${specifier}: import ${other}/index.ts instead`)
      }
    }
  }
  return found
}

/** The modules a module may import, with `*` written out. */
function expand(modules: Modules, name: string): readonly string[] {
  const names = Object.keys(modules)
  const before = names.slice(0, names.indexOf(name))
  return (modules[name] ?? []).flatMap((pattern) => {
    if (pattern === '*') return before
    return pattern.endsWith('/*')
      ? before.filter((one) => one.startsWith(pattern.slice(0, -1)))
      : [pattern]
  })
}

function moduleOf(file: string, modules: Modules): string | undefined {
  const parts = file.split('/')
  return [parts.slice(0, 2).join('/'), parts[0] ?? ''].find((name) => Object.hasOwn(modules, name))
}

function isTest(file: string): boolean {
  return /\.test(-d)?\.ts$/.test(file)
}

/** Reads the TypeScript files below a folder, by their path. */
export function readTree(folder: string): Tree {
  return new Map(
    readdirSync(folder, { recursive: true })
      .map(String)
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.gen.ts'))
      .map((file) => [
        relative(folder, join(folder, file)),
        readFileSync(join(folder, file), 'utf8'),
      ]),
  )
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) {
  const problems = checkModules(readTree(fileURLToPath(new URL('../src', import.meta.url))))
  for (const problem of problems) console.error(problem)
  if (problems.length > 0) process.exit(1)
}
