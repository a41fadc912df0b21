import { CallError, type CallErrorShape } from '../core/error.ts'
import type { JsonObject } from '../core/json.ts'
import { formatPointer } from '../core/pointer.ts'

/** The way to an option: `['filters', 'self', 0, 'attribute']`. */
export type OptionPath = readonly (string | number)[]

/** Everything wrong with the options of one call, so that a caller can mend it in one go. */
export interface Findings {
  readonly add: (path: OptionPath, expected: string, details?: JsonObject) => void
  /** Throws when there is any finding. */
  readonly finish: () => void
}

const MAX_FINDINGS = 20
// A key of the caller's own making is repeated in the message.
const MAX_NAME = 100

const MAX_ECHO = 255

/** Repeats what a caller wrote as a detail; what is no name at all is left out. */
export function echo(key: string, value: unknown): JsonObject {
  return typeof value === 'string' && value.length <= MAX_ECHO ? { [key]: value } : {}
}

/** Creates an empty list of findings for the entry at `pointer`. */
export function createFindings(pointer: string): Findings {
  const errors: CallErrorShape[] = []
  const finish = () => {
    const [first, ...rest] = errors
    if (first !== undefined) throw CallError.all([first, ...rest])
  }
  return {
    finish,
    add(path, expected, details) {
      const words = path.map(String)
      errors.push({
        code: 'INVALID_ARGUMENTS',
        message: `options.${words.join('.').slice(0, MAX_NAME)} ${expected}`,
        source: { pointer: `${pointer}/options${formatPointer(words)}` },
        ...(details && { details }),
      })
      if (errors.length === MAX_FINDINGS) finish()
    },
  }
}
