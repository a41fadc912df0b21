import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { type Declaration, parseSync, type Statement } from 'oxc-parser'
import { build } from 'vite'

const SRC = fileURLToPath(new URL('../../src/', import.meta.url))

/** Code of this package that generated files carry. */
export interface RuntimeSources {
  /** Name of the constant that holds it. */
  readonly constant: string
  /** From the module to `src/codegen`. */
  readonly path: string
  /** The bundler starts there. Below src. */
  readonly entry: string
  /** The export of the entry that holds the runtime. */
  readonly runtime: string
  /** Where the types are declared, below src. */
  readonly typeFiles: readonly string[]
  /** The types that generated files, and the lines around their runtime, name themselves. */
  readonly roots: readonly string[]
  /** The types that whoever imports a generated file may name; all when absent. */
  readonly exported?: readonly string[]
}

/** Makes the module that holds what generated files carry: types cut from the sources, code bundled. */
export async function buildRuntimeModule(sources: RuntimeSources): Promise<string> {
  const { constant, entry, exported, path, runtime } = sources
  const types = selectTypes(sources.typeFiles.flatMap(readTypes), sources.roots)
  const texts = types.map(({ name, text }) =>
    exported?.includes(name) === false ? text : text.replace(/^(?=interface|type)/m, 'export '),
  )
  return `/* Made from src/${entry} by test/codegen/embedded-runtime.test.ts; run it with -u to make it anew. */

import type { EmbeddedRuntime } from '${path}embedded-runtime.ts'

/** What generated files carry of this package. */
export const ${constant}: EmbeddedRuntime = {
  typeNames: ${JSON.stringify(types.map(({ name }) => name))},
  types: ${JSON.stringify(texts.join('\n\n'))},
  code: ${JSON.stringify(`${await bundle(entry)}.${runtime}`)},
}
`
}

async function bundle(entry: string): Promise<string> {
  const made = await build({
    configFile: false,
    logLevel: 'silent',
    build: {
      write: false,
      target: 'es2022',
      minify: false,
      lib: { entry: SRC + entry, formats: ['iife'], name: 'runtime' },
      rolldownOptions: {
        output: { minify: { compress: true, mangle: false, codegen: { removeWhitespace: true } } },
      },
    },
  })
  const [{ output }] = made as unknown as [{ output: [{ code: string }] }]
  const code = output[0].code.trim()
  // Line breaks and characters nobody sees stand in template literals only, where escapes mean the same.
  const visible = code.replace(/[^\x20-\x7e]/g, (character) =>
    character === '\n' ? '\\n' : `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  )
  const [, expression] = /^(?:var|const) runtime=(.*);$/.exec(visible) ?? []
  if (expression === undefined) throw new TypeError(`not one expression: ${code.slice(0, 80)}`)
  return expression
}

interface TypeDeclaration {
  readonly name: string
  /** With its comment, without \`export\`. */
  readonly text: string
  readonly mentions: ReadonlySet<string>
}

function readTypes(file: string): TypeDeclaration[] {
  const source = readFileSync(SRC + file, 'utf8')
  const { program } = parseSync(file, source)
  return program.body.flatMap((statement) => {
    const declared = statement.type === 'ExportNamedDeclaration' ? statement.declaration : statement
    const found = declared && printDeclaration(declared, source)
    if (!found) return []
    const comment = /\/\*\*(?:(?!\*\/).)*\*\/\n$/s.exec(source.slice(0, statement.start))?.[0] ?? ''
    return [{ name: found.name, text: comment + found.text, mentions: mentionsIn(declared) }]
  })
}

/** Prints a type as it is written, and a class as the interface of its instances. */
function printDeclaration(
  declared: Statement | Declaration,
  source: string,
): { readonly name: string; readonly text: string } | undefined {
  const { type, start, end } = declared
  if (type === 'TSInterfaceDeclaration' || type === 'TSTypeAliasDeclaration')
    return { name: declared.id.name, text: source.slice(start, end) }
  if (type !== 'ClassDeclaration' || !declared.id || !declared.superClass) return undefined
  const { id, superClass, body } = declared
  const method = body.body.find((member) => member.type === 'MethodDefinition')
  const fields = source.slice(body.start, method?.start ?? body.end - 1).trimEnd()
  const parent = source.slice(superClass.start, superClass.end)
  return { name: id.name, text: `interface ${id.name} extends ${parent} ${fields}\n}` }
}

/** Collects the types that a declaration names; what a constructor does is no part of its instances. */
function mentionsIn(node: unknown, found = new Set<string>()): Set<string> {
  if (typeof node !== 'object' || node === null) return found
  const { type, typeName, expression, superClass } = node as Readonly<Record<string, unknown>>
  if (type === 'MethodDefinition') return found
  const named =
    type === 'TSTypeReference' ? typeName : type === 'TSInterfaceHeritage' ? expression : superClass
  const { name } = (named ?? {}) as { readonly name?: string }
  if (name !== undefined) found.add(name)
  for (const child of Object.values(node)) mentionsIn(child, found)
  return found
}

/** Selects what the roots need. */
function selectTypes(all: readonly TypeDeclaration[], roots: readonly string[]): TypeDeclaration[] {
  const wanted = new Set<string>()
  const visit = (name: string): void => {
    const found = all.filter((type) => type.name === name)
    if (found.length > 1) throw new TypeError(`two files declare ${name}`)
    if (found[0] === undefined || wanted.has(name)) return
    wanted.add(name)
    for (const mention of found[0].mentions) visit(mention)
  }
  for (const root of roots) {
    visit(root)
    if (!wanted.has(root)) throw new TypeError(`no file declares ${root}`)
  }
  return all.filter(({ name }) => wanted.has(name))
}
