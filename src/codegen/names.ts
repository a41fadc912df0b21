/** Words that cannot name anything in a module. */
const KEYWORDS =
  'any as arguments async await bigint boolean break case catch class const continue debugger declare default delete do else enum eval export extends false finally for from function get if implements import in infer instanceof interface is keyof let module namespace never new null number object of package private protected public readonly require return satisfies set static string super switch symbol this throw true try type typeof undefined unique unknown var void while with yield'.split(
    ' ',
  )

/** Globals that generated code uses; a declaration of the same name would take their place. */
const GLOBALS =
  'AbortController AbortSignal Array ArrayBuffer BigInt Blob Boolean Date Error File FormData Function Headers Infinity JSON Map Math NaN Number Object Omit Partial Pick Promise Readonly ReadonlyArray Record RegExp Request Response Set String Symbol TextDecoder TextEncoder TypeError RangeError URL URLSearchParams Uint8Array WeakMap atob btoa clearTimeout console decodeURIComponent encodeURIComponent fetch globalThis process setTimeout'.split(
    ' ',
  )

/** Names that generated code must leave alone; a module that exports `then` can never be imported. */
export const RESERVED_NAMES: ReadonlySet<string> = new Set([...KEYWORDS, ...GLOBALS, 'then'])

/** Gives out identifiers, each at most once. */
export interface NamePlan {
  /** Takes the wished name, with underscores at its end when it is taken already. */
  readonly take: (wished: string) => string
}

/** Creates a plan in which the reserved names are taken from the start. */
export function createNamePlan(reserved: Iterable<string> = []): NamePlan {
  const taken = new Set([...RESERVED_NAMES, ...reserved])
  return {
    take: (wished) => {
      let name = toIdentifier(wished)
      while (taken.has(name)) name += '_'
      taken.add(name)
      return name
    },
  }
}

/** Makes an ASCII identifier of any text; what cannot stand in one becomes an underscore. */
export function toIdentifier(text: string): string {
  const plain = text
    .normalize('NFKD')
    .replace(/\p{Mark}+/gu, '')
    .replace(/[^A-Za-z0-9_$]+/g, '_')
  if (/^[A-Za-z_$]/.test(plain)) return plain
  return `_${plain}`
}

/**
 * Writes a name in PascalCase. An underscore before a digit stays, so that two different snake_case
 * names never become one.
 */
export function toPascalCase(text: string): string {
  const words = toIdentifier(text).split('_')
  return words
    .map((word, index) => {
      const mark = index > 0 && !/^[a-zA-Z$]/.test(word) ? '_' : ''
      return mark + word.charAt(0).toUpperCase() + word.slice(1)
    })
    .join('')
}

/** Writes a name in lower snake_case, as prefixes and exported lists use it. */
export function toSnakeCase(text: string): string {
  return toIdentifier(text)
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replace(/-+/g, '_')
    .toLowerCase()
}
