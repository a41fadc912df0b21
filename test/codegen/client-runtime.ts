import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseSync } from 'oxc-parser'
import { build } from 'vite'

const SRC = fileURLToPath(new URL('../../src/', import.meta.url))

/** Where the types of generated clients are declared. */
const TYPE_FILES: readonly string[] = [
  'client/methods/method.ts',
  'client/methods/query.ts',
  'client/settings.ts',
  'client/stream.ts',
  'client/operation.ts',
  'client/retry.ts',
  'client/transport.ts',
  'core/call.ts',
  'values/time.ts',
  'errors/error.ts',
  'values/json.ts',
  'values/maybe.ts',
  'wire/envelope.ts',
]

/** What generated clients, and the lines around their runtime, name themselves. */
const ROOTS: readonly string[] = [
  'CallErrorOptions',
  'CallOptions',
  'ClientOptions',
  'Method',
  'MethodError',
  'MethodMaker',
  'QueryConditions',
  'QueryFilter',
  'Queryable',
  'Startable',
  'StreamOptions',
  'Streamable',
]

/** Makes the module that holds what a generated client carries: the client of this package, bundled. */
export async function buildClientRuntime(): Promise<string> {
  const types = selectTypes(TYPE_FILES.flatMap(readTypes))
  return `/* Made from src/client by test/codegen/client-runtime.test.ts; run it with -u to make it anew. */

/** Names of the types, in the order of their text. */
export const CLIENT_TYPE_NAMES: readonly string[] = ${JSON.stringify(types.map(({ name }) => name))}

/** The types that a generated client is written with. */
export const CLIENT_TYPES: string =
  ${JSON.stringify(types.map(({ text }) => `export ${text}`.replace(/^export (\/\*\*.*?\*\/\n)/s, '$1export ')).join('\n\n'))}

/** An expression in JavaScript, on one line, that gives \`CallError\`, \`createMethods\` and \`hasErrorCode\`. */
export const CLIENT_CODE: string =
  ${JSON.stringify(await bundle())}
`
}

async function bundle(): Promise<string> {
  const made = await build({
    configFile: false,
    logLevel: 'silent',
    build: {
      write: false,
      target: 'es2022',
      minify: false,
      lib: { entry: `${SRC}client/methods/runtime.ts`, formats: ['iife'], name: 'runtime' },
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
    if (declared?.type !== 'TSInterfaceDeclaration' && declared?.type !== 'TSTypeAliasDeclaration')
      return []
    const comment = /\/\*\*(?:(?!\*\/).)*\*\/\n$/s.exec(source.slice(0, statement.start))?.[0] ?? ''
    const text = comment + source.slice(declared.start, declared.end)
    return [{ name: declared.id.name, text, mentions: new Set(text.match(/[A-Z]\w*/g)) }]
  })
}

/** Selects what the roots need; comments may mention more than that, which does no harm. */
function selectTypes(all: readonly TypeDeclaration[]): TypeDeclaration[] {
  const wanted = new Set<string>()
  const visit = (name: string): void => {
    const found = all.filter((type) => type.name === name)
    if (found.length > 1) throw new TypeError(`two files declare ${name}`)
    if (found[0] === undefined || wanted.has(name)) return
    wanted.add(name)
    for (const mention of found[0].mentions) visit(mention)
  }
  for (const root of ROOTS) {
    visit(root)
    if (!wanted.has(root)) throw new TypeError(`no file declares ${root}`)
  }
  return all.filter(({ name }) => wanted.has(name))
}
