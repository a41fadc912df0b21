import { isRecord } from './json.ts'

/** Compiles a pattern as ECMA-262 with `u`; patterns of older habits (`\-`) are read without it. */
export function toRegExp(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'u')
  } catch (strict) {
    try {
      return new RegExp(pattern)
    } catch {
      throw new TypeError(`pattern ${JSON.stringify(pattern)} is no regular expression`, {
        cause: strict,
      })
    }
  }
}

/** Compiles a pattern that fails, without being tried, on strings longer than a limit. */
export function toBoundedRegExp(pattern: string, limit: number): RegExp {
  const expression = toRegExp(pattern)
  if (limit === Number.POSITIVE_INFINITY) return expression
  const test = (text: string) =>
    text.length <= limit && RegExp.prototype.test.call(expression, text)
  return Object.defineProperty(expression, 'test', { value: test })
}

/** Rewrites names of patternProperties, which the validator compiles with `u` whatever their habits. */
export function toUnicodePatterns(patterns: unknown): unknown {
  if (!isRecord(patterns)) return patterns
  return Object.fromEntries(
    Object.entries(patterns).map(([pattern, schema]) => {
      const { source, unicode } = toRegExp(pattern)
      return [unicode ? pattern : source.replace(/\\([^\w^$\\.*+?()[\]{}|/])/g, '$1'), schema]
    }),
  )
}
