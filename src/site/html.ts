/** HTML that is already safe: everything else is escaped where it is put into a page. */
export interface Html {
  readonly [safe]: true
  readonly text: string
}

const safe: unique symbol = Symbol('safe HTML')

/** What may stand in a template. */
export type HtmlValue = string | number | undefined | false | Html | readonly HtmlValue[]

/** Writes HTML; values are escaped unless they are HTML themselves. */
export function html(parts: TemplateStringsArray, ...values: readonly HtmlValue[]): Html {
  const text = parts.reduce((written, part, index) => written + toText(values[index - 1]) + part)
  return toHtml(text)
}

/** Marks text as HTML. Only for text of our own. */
export function toHtml(text: string): Html {
  return { [safe]: true, text }
}

/** Escapes text for HTML, inside elements and quoted attributes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character)
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
}

function toText(value: HtmlValue): string {
  if (value === undefined || value === false) return ''
  if (typeof value === 'string') return escapeHtml(value)
  if (typeof value === 'number') return String(value)
  return 'text' in value ? value.text : value.map(toText).join('')
}
