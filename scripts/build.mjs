// Builds dist/, or `--out FOLDER`, `--no-types` without declarations: one file for each entry and what entries share, bundled from src/ with what is used of TypeBox, and the
// declarations of tsc. A file of its own for each module would cost a program that imports them three times as long.
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { rolldown } from 'rolldown'
import { parseAst } from 'rolldown/parseAst'
import { Meta } from 'typebox/schema'

const { values } = parseArgs({
  options: { out: { type: 'string', default: 'dist' }, 'no-types': { type: 'boolean' } },
})
const out = resolve(values.out)
process.chdir(fileURLToPath(new URL('..', import.meta.url)))
const manifest = JSON.parse(readFileSync('package.json', 'utf8'))
const entries = toEntries()
/** The dialects of `DIALECT_URIS` in src/schema/dialect.ts. */
const META_SCHEMAS = [
  'https://json-schema.org/draft/2020-12/schema',
  'http://json-schema.org/draft-07/schema#',
]
const NOTES = ['$comment', '$vocabulary', 'default', 'deprecated', 'title']
const INSTALLED = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })

rmSync(out, { recursive: true, force: true })
if (!values['no-types']) writeDeclarations()
const bundle = await rolldown({
  input: entries,
  // For `node` the bundler's own helpers import node:module, which no browser has.
  platform: 'neutral',
  // Packages are installed beside ours, or, if optional, are not; what else is imported becomes part of ours.
  external: (id) =>
    id.startsWith('node:') || INSTALLED.some((name) => id === name || id.startsWith(`${name}/`)),
  treeshake: { moduleSideEffects: false },
  plugins: [withSmallMetaSchemas(), withPureConstants()],
  onLog(level, log, handler) {
    if (level === 'warn') throw new Error(`rolldown: ${log.message}`)
    handler(level, log)
  },
})
const { output } = await bundle.write({
  dir: out,
  format: 'esm',
  entryFileNames: '[name].js',
  chunkFileNames: 'shared/[name]-[hash].js',
  comments: { legal: false, annotation: true, jsdoc: false },
  hoistTransitiveImports: false,
})
await bundle.close()
assertDeclared(output)
copyFileSync('src/sources/tool-spec/tool-spec.schema.json', join(out, 'tool-spec.schema.json'))
writeFileSync(join(out, 'LICENSES.md'), formatLicences(output))

/**
 * TypeBox lists the meta-schemas of six drafts in one object; src/schema/compile.ts reads those of two, and nobody reads
 * what these say to people.
 */
function withSmallMetaSchemas() {
  const filter = { id: /typebox\/build\/schema\/meta\/meta\.mjs$/ }
  let isFound = false
  return {
    name: 'with-small-meta-schemas',
    load: {
      filter,
      handler() {
        isFound = true
        const read = META_SCHEMAS.map((uri) => [uri, withoutNotes(Meta[uri])])
        return `export const Meta = ${JSON.stringify(Object.fromEntries(read))}`
      },
    },
    buildEnd() {
      if (!isFound) throw new Error('TypeBox keeps its meta-schemas elsewhere')
    },
  }
}

/** Gives a schema without the keywords that check nothing; members of `properties` and the like are names, not keywords. */
function withoutNotes(node, isMap = false) {
  if (Array.isArray(node)) return node.map((one) => withoutNotes(one))
  if (typeof node !== 'object' || node === null) return node
  const kept = Object.entries(node).filter(([key]) => isMap || !NOTES.includes(key))
  return Object.fromEntries(
    kept.map(([key, value]) => [
      key,
      withoutNotes(value, !isMap && /^(?:properties|\$defs|definitions)$/.test(key)),
    ]),
  )
}

/**
 * Tells bundlers that a constant of a module is there for its value only, so that they leave out the unused ones: they
 * keep what is made by a call otherwise, and, marked or not, what spreads or reads a member, which could be a getter.
 */
function withPureConstants() {
  return {
    name: 'with-pure-constants',
    renderChunk(code) {
      const inits = parseAst(code).body.flatMap((statement) => {
        const { declarations = [], kind } = statement.declaration ?? statement
        return declarations.map(({ init }) => ({ init, isConst: kind === 'const' }))
      })
      const insertions = inits.flatMap(({ init, isConst }) =>
        isConst && mayRunCode(init)
          ? [
              { at: init.start, text: '/* @__PURE__ */ (() => (' },
              { at: init.end, text: '))()' },
            ]
          : [...new Set(listCalls(init))].map((at) => ({ at, text: '/* @__PURE__ */ ' })),
      )
      const marked = insertions
        .toSorted((a, b) => b.at - a.at)
        .reduce((text, { at, text: mark }) => `${text.slice(0, at)}${mark}${text.slice(at)}`, code)
      return { code: marked, map: null }
    },
  }
}

/** Where the calls begin that run when an expression is read. */
function listCalls(node) {
  if (typeof node !== 'object' || node === null || /Function|Class/.test(node.type)) return []
  const inside = listChildren(node).flatMap(listCalls)
  return /^(?:Call|New)Expression$/.test(node.type) ? [node.start, ...inside] : inside
}

/** True for an expression that a bundler believes to run code beside its calls; `await` has to stay where it is. */
function mayRunCode(init) {
  const types = new Set(listTypes(init))
  return (
    (types.has('SpreadElement') || types.has('MemberExpression')) && !types.has('AwaitExpression')
  )
}

function listTypes(node) {
  if (typeof node !== 'object' || node === null || /Function|Class/.test(node.type)) return []
  return [node.type, ...listChildren(node).flatMap(listTypes)]
}

function listChildren(node) {
  return Object.values(node).flatMap((child) => [child].flat())
}

/** The entries of the package by their path in dist/, and the command line. */
function toEntries() {
  const sources = Object.values(manifest.exports).flatMap((entry) => entry['waymark-source'] ?? [])
  return Object.fromEntries(
    [...sources, './src/cli/main.ts'].map((source) => [
      relative('./src', source).replace(/\.ts$/, ''),
      source,
    ]),
  )
}

/** Refuses an import of a package that nobody who installs ours would get, as of a helper that the bundler adds. */
function assertDeclared(chunks) {
  const { dependencies, peerDependencies } = manifest
  const declared = [...Object.keys({ ...dependencies, ...peerDependencies }), manifest.name]
  for (const { fileName, imports = [], dynamicImports = [] } of chunks) {
    for (const id of [...imports, ...dynamicImports]) {
      const isKnown = declared.some((name) => id === name || id.startsWith(`${name}/`))
      if (isKnown || isBuiltin(id) || chunks.some((chunk) => chunk.fileName === id)) continue
      throw new Error(`${fileName} imports ${id}, which package.json does not list`)
    }
  }
}

/** Writes the declarations that entries reach, and no others. */
function writeDeclarations() {
  const emit = ['-p', 'tsconfig.build.json', '--emitDeclarationOnly', '--sourceMap', 'false']
  const { status } = spawnSync('npx', ['tsc', ...emit, '--outDir', out], { stdio: 'inherit' })
  if (status !== 0) process.exit(status ?? 1)
  const reached = new Set()
  const open = Object.keys(entries)
    .filter((name) => name.startsWith('entries/'))
    .map((name) => join(out, `${name}.d.ts`))
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (reached.has(file) || !existsSync(file)) continue
    reached.add(file)
    for (const [, path] of readFileSync(file, 'utf8').matchAll(
      /['"](\.{1,2}\/[^'"]+)\.[jt]s['"]/g,
    )) {
      open.push(join(dirname(file), `${path}.d.ts`))
    }
  }
  for (const name of readdirSync(out, { recursive: true })) {
    const file = join(out, name)
    if (file.endsWith('.d.ts') && !reached.has(file)) rmSync(file)
  }
}

/** The licences of the packages whose code is part of dist/. */
function formatLicences(chunks) {
  const modules = chunks.flatMap((chunk) => (chunk.type === 'chunk' ? chunk.moduleIds : []))
  const names = modules.flatMap(
    (id) => /\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(id)?.[1] ?? [],
  )
  // The page of the explorer is generated with its library in it; `npm run build:explorer` puts it there.
  const texts = [...new Set([...names, 'preact'])].map((name) => {
    const folder = join('node_modules', name)
    const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one))
    return `## ${name} ${version} (${license})\n\n${readFileSync(join(folder, file ?? ''), 'utf8').trim()}\n`
  })
  return `# Code of others in this folder\n\n${texts.join('\n')}`
}
