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
  const groups = new Map<
    string,
    { tool?: string; code: string; message: string; places: Set<string> }
  >()
  const add = (tool: string | undefined, code: string, message: string, place: string): void => {
    const key = `${tool ?? ''}\n${code}\n${message}`
    const group = groups.get(key)
    if (group) group.places.add(place)
    else
      groups.set(key, {
        ...(tool !== undefined && { tool }),
        code,
        message,
        places: new Set([place]),
      })
  }
  return {
    warn: (code, message, place = '') => add(undefined, code, message, place),
    forTool:
      (tool) =>
      (code, message, place = '') =>
        add(tool, code, message, place),
    list: () =>
      Array.from(groups.values(), ({ tool, code, message, places }) => {
        const [first = '', ...others] = places
        const more = others.length === 0 ? '' : ` (and ${shortList(others)})`
        return {
          severity: 'warning',
          code,
          file,
          line: 0,
          column: 0,
          path: [tool, first].filter(Boolean).join('.'),
          message: `${message}${more}`,
          ...(tool !== undefined && { tool }),
        }
      }),
  }
}

function shortList(places: readonly string[]): string {
  const shown = places.slice(0, 5).join(', ')
  return places.length > 5 ? `${shown} and ${places.length - 5} more` : shown
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
