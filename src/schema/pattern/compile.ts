import { toReason } from '../../values/index.ts'
import { type Cost, judgeCost } from './judge.ts'
import { compileLinear } from './linear.ts'
import { parsePattern } from './syntax.ts'

/** A regular expression as a schema uses it. */
export interface Pattern {
  readonly test: (text: string) => boolean
  /** Why texts are not compared with it, so that each one passes; absent when they are. */
  readonly unchecked?: string
}

/** How a pattern is compiled. */
export interface CompilePatternOptions {
  /**
   * True for a pattern in the code of the service itself: what the linear engine cannot express then runs on the
   * engine of JavaScript. From anywhere else it is not checked.
   */
  readonly isOwn?: boolean
}

/** The longest pattern from outside that is read at all. */
const LONGEST = 10_000

/** Compiles a pattern as ECMA-262 with `u`; patterns of older habits (`\-`) are read without it. */
export function toRegExp(pattern: string): RegExp {
  try {
    return new RegExp(pattern, 'u')
  } catch (strict) {
    try {
      return new RegExp(pattern)
    } catch {
      throw new TypeError(`pattern ${JSON.stringify(pattern)} is not a regular expression`, {
        cause: strict,
      })
    }
  }
}

/** Tells whether a pattern is a regular expression of ECMA-262 with `u`. */
export function isRegExp(pattern: string): boolean {
  try {
    return new RegExp(pattern, 'u') instanceof RegExp
  } catch {
    return false
  }
}

/**
 * Compiles a pattern so that a match takes time in proportion to the text: on the engine of JavaScript where that is
 * proven, else on an automaton. Throws a TypeError when it is not a regular expression.
 */
export function compilePattern(pattern: string, options: CompilePatternOptions = {}): Pattern {
  const native = toRegExp(pattern)
  if (isPlain(pattern)) return native
  try {
    if (pattern.length > LONGEST) throw new SyntaxError(`it is longer than ${LONGEST} characters`)
    const node = parsePattern(pattern, native.unicode)
    return judgeCost(node) === 'linear' ? native : compileLinear(node)
  } catch (thrown) {
    if (options.isOwn) return native
    return { test: () => true, unchecked: toReason(thrown) }
  }
}

/** Judges how long the engine of JavaScript takes for a pattern, at worst. */
export function judgePattern(pattern: string): Cost {
  if (isPlain(pattern)) return 'linear'
  try {
    return judgeCost(parsePattern(pattern, toRegExp(pattern).unicode))
  } catch {
    return 'unknown'
  }
}

/** One class repeated between anchors, or nothing repeated: known to be linear without being parsed. */
function isPlain(pattern: string): boolean {
  return (
    pattern.length < 100 &&
    (!/[*+?{(|\\]/.test(pattern) || /^\^\[[^\\[\]]+\][*+]?\$$/.test(pattern))
  )
}
