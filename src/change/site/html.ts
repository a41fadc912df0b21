import { Marked } from 'marked'

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

/** Descriptions longer than this are shown as they are: reading them would take longer than anybody waits. */
const LONGEST = 100_000

// A description is foreign text: its HTML is shown, not obeyed, and its links lead to pages only.
const marked = new Marked({
  gfm: true,
  async: false,
  renderer: {
    html: ({ text }) => escapeHtml(text),
    link({ href, tokens }) {
      const text = this.parser.parseInline(tokens)
      return isPage(href) ? `<a href="${escapeHtml(href)}" rel="nofollow">${text}</a>` : text
    },
    image: ({ href, text }) =>
      isPage(href)
        ? `<a href="${escapeHtml(href)}" rel="nofollow">${escapeHtml(text)}</a>`
        : escapeHtml(text),
  },
})

/** Renders a description written in Markdown. */
export function renderMarkdown(text: string | undefined): Html | undefined {
  if (text === undefined || text.trim() === '') return undefined
  if (text.length > LONGEST) return toHtml(`<p>${escapeHtml(text)}</p>`)
  return toHtml(marked.parse(text) as string)
}

function isPage(href: string): boolean {
  return /^(?:https?:\/\/|mailto:|#)/i.test(href)
}
