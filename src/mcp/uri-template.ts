import { compileRe2, type LinearPattern } from '../core/pattern/index.ts'

/** Reads the variables out of a URI. */
export type UriMatcher = (uri: string) => Readonly<Record<string, string>> | undefined

const VARIABLE = /\{(\+?)([A-Za-z0-9_]+)\}/g

/** Creates the matcher of a URI template; `{name}` stands for one segment, `{+name}` for anything. */
export function createUriMatcher(template: string): UriMatcher {
  const names: string[] = []
  let pattern = ''
  let end = 0
  for (const match of template.matchAll(VARIABLE)) {
    pattern += escapePattern(template.slice(end, match.index))
    pattern += match[1] === '+' ? '(.+)' : '([^/?#]+)'
    names.push(match[2] ?? '')
    end = match.index + match[0].length
  }
  // URIs come from callers: two variables side by side would take them time squared on the engine of JavaScript.
  const compile = () => compileRe2(`^${pattern}${escapePattern(template.slice(end))}$`)
  let expression: LinearPattern | undefined
  return (uri) => {
    expression ??= compile()
    const values = expression.exec(uri)
    if (values === null) return undefined
    const entries = names.map((name, index) => [name, decode(values[index + 1] ?? '')] as const)
    return Object.fromEntries(entries)
  }
}

function escapePattern(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
