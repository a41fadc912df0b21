// Builds dist/, or `--out FOLDER`, `--no-types` without declarations: one file for each entry and what entries share, bundled from src/ with what is used of TypeBox, and the
// declarations of tsc. A file of its own for each module would cost a program that imports them three times as long.
import { spawnSync } from 'node:child_process'
import { copyFileSync, existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { isBuiltin } from 'node:module'
import { dirname, join, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { rolldown } from 'rolldown'

const { values } = parseArgs({
  options: { out: { type: 'string', default: 'dist' }, 'no-types': { type: 'boolean' } },
})
const out = resolve(values.out)
process.chdir(fileURLToPath(new URL('..', import.meta.url)))
const manifest = JSON.parse(readFileSync('package.json', 'utf8'))
const entries = toEntries()
const INSTALLED = Object.keys({ ...manifest.dependencies, ...manifest.peerDependencies })

rmSync(out, { recursive: true, force: true })
if (!values['no-types']) writeDeclarations()
const bundle = await rolldown({
  input: entries,
  platform: 'node',
  // Packages are installed beside ours, or, if optional, are not; what else is imported becomes part of ours.
  external: (id) =>
    id.startsWith('node:') || INSTALLED.some((name) => id === name || id.startsWith(`${name}/`)),
  treeshake: { moduleSideEffects: false },
  plugins: [withoutOldMetaSchemas()],
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

/** TypeBox lists the meta-schemas of six drafts in one object; src/schema/compile.ts reads those of two. */
function withoutOldMetaSchemas() {
  const filter = { id: /typebox\/build\/schema\/meta\/(draft_(?:3|4|6|2019_09))\.mjs$/ }
  let found = 0
  return {
    name: 'without-old-meta-schemas',
    load: {
      filter,
      handler(id) {
        found += 1
        const [, name] = filter.id.exec(id)
        return `export const ${name.replace('draft', 'Draft')} = undefined`
      },
    },
    buildEnd() {
      if (found !== 4)
        throw new Error(`TypeBox keeps its meta-schemas elsewhere: found ${found} of 4`)
    },
  }
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
  const texts = [...new Set(names)].map((name) => {
    const folder = join('node_modules', name)
    const { version, license } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
    const file = readdirSync(folder).find((one) => /^licen[cs]e/i.test(one))
    return `## ${name} ${version} (${license})\n\n${readFileSync(join(folder, file ?? ''), 'utf8').trim()}\n`
  })
  return `# Code of others in this folder\n\n${texts.join('\n')}`
}
