import { dump } from 'js-yaml'
import type { ToolSpec } from './types.ts'

/** How a tool spec is written. */
export interface FormatToolSpecOptions {
  /** Lines of a comment at the top of the file, without `#`. */
  readonly header?: readonly string[]
}

/** Writes a tool spec as YAML: same value, same bytes; keys stay in the order they have. */
export function formatToolSpec(spec: ToolSpec, options: FormatToolSpecOptions = {}): string {
  const header = (options.header ?? []).map((line) => `# ${oneLine(line)}`.trimEnd())
  const body = dump(spec, { noRefs: true, lineWidth: 100, skipInvalid: true })
  return [...header, body].join('\n')
}

/** Text of a document must not be able to leave the comment it is put in. */
function oneLine(text: string): string {
  return text.replace(/[\p{Cc}\u2028\u2029]+/gu, ' ')
}
