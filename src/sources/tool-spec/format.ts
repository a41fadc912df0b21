import { dump } from 'js-yaml'
import type { ToolSpec } from './types.ts'

/** A piece of a text with references: plain text, or a variable with an optional fallback. */
export type EnvPart =
  | { readonly text: string }
  | { readonly variable: string; readonly fallback?: string }

/** Splits a text at its `${NAME}` and `${NAME:-fallback}` references; `$${` stands for `${`. */
export function parseEnvText(text: string): EnvPart[] {
  const parts: EnvPart[] = []
  let plain = ''
  let rest = 0
  for (const match of text.matchAll(REFERENCE)) {
    plain += text.slice(rest, match.index)
    rest = match.index + match[0].length
    const [, variable, fallback] = match
    if (variable === undefined) {
      plain += '${'
      continue
    }
    if (plain !== '') parts.push({ text: plain })
    plain = ''
    parts.push({ variable, ...(fallback !== undefined && { fallback }) })
  }
  plain += text.slice(rest)
  if (plain !== '') parts.push({ text: plain })
  return parts
}

/** What expanding a text gives: the text, or the variables that are not set. */
export type ExpandedText =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly missing: readonly string[] }

/** Fills the references of a text; an unset or empty variable without a fallback is missing. */
export function expandEnvText(
  text: string,
  read: (variable: string) => string | undefined,
): ExpandedText {
  const missing: string[] = []
  const filled = parseEnvText(text).map((part) => {
    if ('text' in part) return part.text
    const value = read(part.variable) || part.fallback
    if (value === undefined) missing.push(part.variable)
    return value ?? ''
  })
  if (missing.length > 0) return { ok: false, missing: [...new Set(missing)] }
  return { ok: true, text: filled.join('') }
}

/** Lists the variables a text refers to, each once. */
export function envNamesOf(text: string): string[] {
  const names = parseEnvText(text).flatMap((part) => ('variable' in part ? [part.variable] : []))
  return [...new Set(names)]
}

/** Writes a text so that nothing in it is read as a reference. */
export function escapeEnvText(text: string): string {
  // A function: in a replacement text `$$` would mean one dollar.
  return text.replaceAll('${', () => '$${')
}

const REFERENCE = /\$\$\{|\$\{([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g

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
