/** Where generated code takes what it runs on: `inline` carries it, `package` imports this package. */
export type RuntimeSource = 'inline' | 'package'

/** Code of this package as generated files carry it. */
export interface EmbeddedRuntime {
  /** Names of the types, in the order of their text. */
  readonly typeNames: readonly string[]
  readonly types: string
  /** An expression in JavaScript, on one line, that gives all values. */
  readonly code: string
}

/** Prints what a file carries: types, then a declaration of one line around the code. */
export function printEmbedded(
  runtime: EmbeddedRuntime,
  { what, declare }: { readonly what: string; readonly declare: (code: string) => string },
): string {
  return `/* From here on: ${what} of the package waymark, the same in every generated file. */

${runtime.types}

// @ts-ignore: JavaScript on one line, whose type stands above.
${declare(runtime.code)}
`
}

/** Values and types of one module. */
export interface ModuleNames {
  readonly values: readonly string[]
  readonly types: readonly string[]
  readonly from: string
}

/** Prints an import or export of the names of a module. */
export function printNames(
  kind: 'import' | 'export',
  { values, types, from }: ModuleNames,
): string {
  const names = [...values].sort().concat([...types].sort().map((name) => `type ${name}`))
  return `${kind} {\n${names.map((name) => `  ${name},\n`).join('')}} from '${from}'\n`
}
