import { printEmbedded, printNames, type RuntimeSource } from '../embedded-runtime.ts'
import { CLIENT_RUNTIME } from './client-runtime.gen.ts'

const VALUES: readonly string[] = ['createMethods', 'hasErrorCode']

/** What a generated client declares or imports besides its own names. */
export const CLIENT_RUNTIME_NAMES: readonly string[] = [
  ...VALUES,
  ...CLIENT_RUNTIME.typeNames,
  'CallError',
  'ErrorClass',
]

/** Adds what the code of a client runs on: an import of the package, or its client bundled into one line. */
export function addRuntime(code: string, runtime: RuntimeSource): string {
  if (runtime === 'inline') return `${code}\n${INLINE}`
  const words = new Set(code.replace(TEXT, '').match(/[A-Za-z_$][\w$]*/g))
  const used = (names: readonly string[]): string[] => names.filter((name) => words.has(name))
  const imports = printNames('import', {
    values: used(VALUES),
    types: used(CLIENT_RUNTIME.typeNames),
    from: 'waymark/client',
  })
  return `${imports}\nexport { CallError } from 'waymark/client'\n\n${code}`
}

/** Comments and literals: what a document says is not code. */
const TEXT = /\/\*[\s\S]*?\*\/|'(?:[^'\\\n]|\\.)*'|"(?:[^"\\\n]|\\.)*"/g

const EMBEDDED = printEmbedded(CLIENT_RUNTIME, {
  what: 'the client',
  declare: (code) =>
    `const { CallError: ErrorClass, createMethods, hasErrorCode } = ${code} as ClientRuntime`,
})

const INLINE = `${EMBEDDED}
/** Every failure of a call is one of these. */
export type CallError = MethodError

/** Every failure of a call is one of these. */
export const CallError: ClientRuntime['CallError'] = ErrorClass
`
