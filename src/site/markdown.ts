import { Marked } from 'marked'
import { escapeHtml, type Html, toHtml } from './html.ts'

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
