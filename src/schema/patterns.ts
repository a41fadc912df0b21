import { asRecord } from '../values/index.ts'
import { compilePattern, toRegExp } from './pattern/index.ts'
import type { Subschema } from './walk/index.ts'

/** Compiles a pattern for the validator, which asks for a regular expression and calls its `test`. */
export function toTestedRegExp(pattern: string, isOwn: boolean): RegExp {
  const expression = toRegExp(pattern)
  return Object.defineProperty(expression, 'test', {
    configurable: true,
    value(text: string) {
      const compiled = compilePattern(pattern, { isOwn })
      // From the second text on nothing stands between the validator and the engine.
      if (compiled instanceof RegExp) Reflect.deleteProperty(expression, 'test')
      else
        Object.defineProperty(expression, 'test', { value: (next: string) => compiled.test(next) })
      return compiled.test(text)
    },
  })
}

/** Names of members by which patterns of patternProperties can be told from texts. */
export interface NamePatterns {
  readonly patterns: Record<string, Subschema>
  /** True when a pattern runs on another engine than the validator's; it then has to know the names of a value. */
  readonly needsNames: boolean
}

/** Patterns that a name may be compared with as text, per pattern. */
const MOST_NAMES = 1_000

/**
 * Rewrites the names of patternProperties, which the validator runs on the engine of JavaScript: a pattern that would
 * take more than linear time there becomes a list of those names of the value that it matches.
 */
export function toNamePatterns(
  patterns: unknown,
  isOwn: boolean,
  names: readonly string[] = [],
): NamePatterns {
  const rewritten = new Map<string, Subschema[]>()
  let needsNames = false
  const add = (pattern: string, schema: Subschema) =>
    rewritten.set(pattern, [...(rewritten.get(pattern) ?? []), schema])
  for (const [pattern, schema] of Object.entries(asRecord(patterns))) {
    const compiled = compilePattern(pattern, { isOwn })
    if (compiled instanceof RegExp) {
      add(toUnicodeSource(compiled, pattern), schema as Subschema)
    } else if (compiled.unchecked !== undefined) {
      // Any name may be meant, so none is taken for an additional one.
      add('', true)
    } else {
      needsNames = true
      const matching = names.filter((name) => compiled.test(name))
      if (matching.length > MOST_NAMES) throw new TooManyNames()
      if (matching.length > 0)
        add(`^(?:${matching.map(escapeText).join('|')})$`, schema as Subschema)
    }
  }
  const entries = [...rewritten].map(([pattern, [first = true, ...rest]]) => {
    return [pattern, rest.length === 0 ? first : { allOf: [first, ...rest] }] as const
  })
  return { patterns: Object.fromEntries(entries), needsNames }
}

/** Says that a value has more members than patterns are compared with. */
export class TooManyNames extends Error {
  constructor() {
    super(`has more than ${MOST_NAMES} members that one pattern of patternProperties matches`)
  }
}

function toUnicodeSource({ source, unicode }: RegExp, pattern: string): string {
  return unicode ? pattern : source.replace(/\\([^\w^$\\.*+?()[\]{}|/])/g, '$1')
}

function escapeText(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')
}

/** Collects the names of all members of a value, at any depth. */
export function collectNames(
  value: unknown,
  names: Set<string> = new Set<string>(),
): ReadonlySet<string> {
  if (typeof value !== 'object' || value === null) return names
  for (const [name, member] of Object.entries(value)) {
    if (!Array.isArray(value)) names.add(name)
    collectNames(member, names)
  }
  return names
}
