import { compilePattern, isStandardSchema, judgePattern, listPatterns } from '../schema/index.ts'
import type { TargetShape } from './target.ts'

/**
 * Says what an operator should know about the patterns of a function: those of an imported one that are not checked,
 * and those in the service's own code that can take exponential time.
 */
export function findPatternWarnings({
  name,
  definition,
  ...shape
}: Pick<
  TargetShape,
  'name' | 'definition' | 'inputSchema' | 'outputSchema' | 'itemSchema'
>): readonly string[] {
  const parts = [
    ['input', definition.input, shape.inputSchema],
    ['output', definition.output, shape.outputSchema],
    ['item', definition.item, shape.itemSchema],
  ] as const
  return parts.flatMap(([part, given, schema]) => {
    const runsItself = given !== undefined && isStandardSchema(given)
    return listPatterns(schema ?? true).flatMap(({ pointer, pattern }) => {
      const reason = definition.imported ? toUnchecked(pattern) : toExponential(pattern, runsItself)
      return reason === undefined ? [] : `function ${name}: ${part}${pointer} ${reason}`
    })
  })
}

function toUnchecked(pattern: string): string | undefined {
  const { unchecked } = compilePattern(pattern)
  return unchecked && `is not checked, because it could take too long: ${unchecked}`
}

/** Patterns of JSON Schema run on the linear engine wherever it can express them; other libraries run their own. */
function toExponential(pattern: string, runsItself: boolean): string | undefined {
  if (judgePattern(pattern) !== 'exponential') return undefined
  if (!runsItself && compilePattern(pattern).unchecked === undefined) return undefined
  return `can take exponential time: a short text can stop the process. Write it without repetitions inside repetitions: ${shorten(pattern)}`
}

function shorten(pattern: string): string {
  return pattern.length > 100 ? `${pattern.slice(0, 99)}…` : pattern
}
