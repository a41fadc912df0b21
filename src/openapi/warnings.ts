import type { SpecProblem } from '../spec/problem.ts'

/** Something an import could not carry over, or a choice it made. */
export interface ImportWarning extends SpecProblem {
  /** Name of the tool it is about; absent for the document as a whole. */
  readonly tool?: string
}

/** Takes one warning about a place inside an operation. */
export type Warn = (code: string, message: string, place?: string) => void

/** Collects warnings; the same sentence about one operation becomes one warning with its places. */
export interface WarningList {
  /** Warns about the document. */
  readonly warn: Warn
  /** Makes a function that warns about one operation. */
  forTool(tool: string): Warn
  list(): ImportWarning[]
}

/** Creates an empty collection. */
export function createWarnings(file: string): WarningList {
  const groups: Group[] = []
  const forTool = (tool: string | undefined): Warn => {
    const known = new Map<string, Group>()
    return (code, message, place = '') => {
      const group = known.get(message)
      if (group && group.code === code) {
        group.count += 1
        if (group.places.length < MAX_PLACES) group.places.push(place)
        return
      }
      const fresh = { tool, code, message, places: [place], count: 1 }
      known.set(message, fresh)
      groups.push(fresh)
    }
  }
  return {
    warn: forTool(undefined),
    forTool,
    list: () => groups.map((group) => toWarning(group, file)),
  }
}

interface Group {
  readonly tool: string | undefined
  readonly code: string
  readonly message: string
  readonly places: string[]
  count: number
}

const MAX_PLACES = 6

function toWarning({ tool, code, message, places, count }: Group, file: string): ImportWarning {
  const [first = '', ...others] = [...new Set(places)]
  const rest = count - places.length
  const more = rest > 0 ? [...others, `${rest} more`] : others
  return {
    severity: 'warning',
    code,
    file,
    line: 0,
    column: 0,
    path: [tool, first].filter(Boolean).join('.'),
    message: more.length === 0 ? message : `${message} (and ${more.join(', ')})`,
    ...(tool !== undefined && { tool }),
  }
}

/** Warns about a reference that leads nowhere: W112 inside the document, W114 outside. */
export function warnUnresolved(
  warn: Warn,
  failed: { readonly ref: string; readonly code: 'E101' | 'E102'; readonly reason: string },
  place: string,
): void {
  const code = failed.code === 'E101' ? 'W112' : 'W114'
  warn(
    code,
    `the reference "${failed.ref.slice(0, 200)}" cannot be followed: ${failed.reason}`,
    place,
  )
}
