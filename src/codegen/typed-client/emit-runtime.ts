import { CLIENT_CODE, CLIENT_TYPE_NAMES, CLIENT_TYPES } from './client-runtime.gen.ts'

/** Where a generated client takes what it runs on: `inline` carries it, `package` imports `waymark/client`. */
export type ClientRuntime = 'inline' | 'package'

const VALUES: readonly string[] = ['createMethods', 'hasErrorCode']

/** What a generated client declares or imports besides its own names. */
export const RUNTIME_NAMES: readonly string[] = [
  ...VALUES,
  ...CLIENT_TYPE_NAMES,
  'CallError',
  'ClientRuntime',
  'ErrorClass',
]

/** Adds what the code of a client runs on: an import of the package, or its client bundled into one line. */
export function addRuntime(code: string, runtime: ClientRuntime): string {
  return runtime === 'package' ? `${printImport(code)}\n${code}` : `${code}\n${INLINE}`
}

function printImport(code: string): string {
  const bare = code.replace(TEXT, '')
  const words = new Set(bare.match(/[A-Za-z_$][\w$]*/g))
  const types = CLIENT_TYPE_NAMES.filter((name) => words.has(name)).map((name) => `type ${name}`)
  const names = [...VALUES.filter((name) => words.has(name)), ...types].sort()
  const lines = names.map((name) => `  ${name},\n`).join('')
  return `import {\n${lines}} from 'waymark/client'\n\nexport { CallError } from 'waymark/client'\n`
}

/** Comments and literals: what a document says is not code. */
const TEXT = /\/\*[\s\S]*?\*\/|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g

const INLINE = `/* From here on: the client of the package waymark, the same in every generated client. */

${CLIENT_TYPES}

/** Every failure of a call is one of these. */
export type CallError = MethodError

interface ClientRuntime {
  readonly CallError: new (code: string, options?: CallErrorOptions) => CallError
  readonly createMethods: (options: ClientOptions) => MethodMaker
  readonly hasErrorCode: (thrown: unknown, codes: readonly string[]) => boolean
}

// @ts-ignore: JavaScript on one line, whose type is the one above.
const { CallError: ErrorClass, createMethods, hasErrorCode } = ${CLIENT_CODE} as ClientRuntime

/** Every failure of a call is one of these. */
export const CallError: ClientRuntime['CallError'] = ErrorClass
`
