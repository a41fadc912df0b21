import { createHash } from 'node:crypto'
import { type Content, prepareContent } from './content.ts'
import { PAGE } from './page.gen.ts'

/** What the page is told when it is rendered. */
export interface PageOptions {
  readonly title: string
  readonly allowExecute: boolean
  /** Whether the service has triggers to show. */
  readonly hasTriggers: boolean
  /** Whether the service is served anew when its files change. */
  readonly isWatched: boolean
  readonly projectName: string | undefined
  readonly projectUrl: string | undefined
}

/** Renders the page once, with the headers that keep foreign code out of it. */
export function preparePage(options: PageOptions): Content {
  const html = renderPage(PAGE, options)
  return prepareContent(html, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': toPolicy(html),
    'x-content-type-options': 'nosniff',
    'x-frame-options': 'DENY',
    'referrer-policy': 'no-referrer',
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
  })
}

/** Fills the template in a single pass, so that no value is ever searched for placeholders. */
function renderPage(template: string, options: PageOptions): string {
  const values: Readonly<Record<string, string>> = {
    TITLE: escapeHtml(options.title),
    ALLOW_EXECUTE: String(options.allowExecute),
    HAS_TRIGGERS: String(options.hasTriggers),
    IS_WATCHED: String(options.isWatched),
    PROJECT_LINK: toProjectLink(options.projectName, options.projectUrl),
  }
  return template.replace(
    /\{\{(TITLE|ALLOW_EXECUTE|HAS_TRIGGERS|IS_WATCHED|PROJECT_LINK)\}\}/g,
    (_placeholder, name: string) => values[name] ?? '',
  )
}

function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => ENTITIES[character] ?? character)
}

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#x27;',
}

function toProjectLink(name: string | undefined, url: string | undefined): string {
  if (!name) return ''
  const label = escapeHtml(name)
  const href = toSafeHref(url)
  if (href === undefined) return ` &middot; ${label}`
  return ` &middot; <a href="${escapeHtml(href)}" target="_blank" rel="noopener noreferrer">${label}</a>`
}

/** Browsers drop tabs and line breaks inside a URL before they look at its scheme; so do we. */
function toSafeHref(url: string | undefined): string | undefined {
  const href = url?.replace(/[\t\n\r]/g, '').trim()
  if (href === undefined) return undefined
  // `//host` and `/\host` leave the site although they begin with a slash.
  return /^(?:https?:\/\/|mailto:|\/(?![/\\]))/i.test(href) || href === '/' ? href : undefined
}

/** Only the page's own script and style, its own server, pictures that came as data; no HTML from strings at all. */
function toPolicy(html: string): string {
  return [
    "default-src 'none'",
    `script-src ${toHashes(html, 'script')}`,
    `style-src ${toHashes(html, 'style')}`,
    "connect-src 'self'",
    'img-src data:',
    'media-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
  ].join('; ')
}

function toHashes(html: string, element: 'script' | 'style'): string {
  const blocks = html.matchAll(new RegExp(`<${element}(?: [^>]*)?>([\\s\\S]*?)</${element}>`, 'g'))
  const hashes = [...blocks].map(([, text = '']) =>
    createHash('sha256').update(text).digest('base64'),
  )
  return hashes.map((hash) => `'sha256-${hash}'`).join(' ')
}
