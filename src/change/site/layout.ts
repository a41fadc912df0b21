import type { SiteModel } from '../../discovery/index.ts'
import { type Html, html, toHtml } from './html.ts'

/** How a documentation site looks, in light and in dark. */
export const STYLE: string = `
:root { color-scheme: light dark; --ink: light-dark(#1c2430, #e6e9ef); --soft: light-dark(#5b6675, #a2acba);
  --line: light-dark(#dfe4ea, #2c3542); --page: light-dark(#fff, #12161c); --wash: light-dark(#f5f7f9, #1a2029);
  --accent: light-dark(#0a5fb4, #7cb8ff); --warn: light-dark(#8a4b00, #f0b35c) }
* { box-sizing: border-box }
body { margin: 0; font: 16px/1.55 system-ui, sans-serif; color: var(--ink); background: var(--page);
  display: grid; grid-template: auto 1fr / 18rem minmax(0, 1fr); min-height: 100vh }
header { grid-column: 1 / -1; padding: .75rem 1.5rem; border-bottom: 1px solid var(--line) }
.title { font-weight: 650; color: inherit; text-decoration: none }
.version, .type, .limits, .soft { color: var(--soft); font-size: .9em }
nav { padding: 1rem 1.5rem; border-right: 1px solid var(--line); overflow: auto; position: sticky; top: 0; max-height: 100vh }
nav h2 { font-size: .8rem; color: var(--soft); margin: 1.2rem 0 .3rem; font-weight: 600 }
nav .more { margin-top: 1.2rem; border-top: 1px solid var(--line); padding-top: .8rem }
nav ul { list-style: none; margin: 0; padding: 0 }
nav a { display: block; padding: .15rem .4rem; border-radius: 4px; overflow-wrap: anywhere; font-size: .93rem }
nav a[aria-current] { background: var(--wash); font-weight: 600 }
#search { width: 100%; font: inherit; padding: .35rem .6rem; border: 1px solid var(--line); border-radius: 6px;
  background: var(--page); color: inherit }
main { padding: 1.5rem 2rem 4rem; max-width: 60rem }
h1 { margin: 0 0 .25rem; font-size: 1.7rem; overflow-wrap: anywhere }
h2 { margin: 2rem 0 .5rem; font-size: 1.15rem }
a { color: var(--accent); text-decoration: none }
a:hover { text-decoration: underline }
code, pre { font: .9em/1.5 ui-monospace, monospace }
pre { background: var(--wash); border: 1px solid var(--line); border-radius: 6px; padding: .8rem 1rem; overflow: auto }
table { border-collapse: collapse; width: 100% }
td, th { text-align: left; vertical-align: top; padding: .45rem .75rem .45rem 0; border-top: 1px solid var(--line) }
td:first-child { width: 30% }
td p { margin: .2rem 0 }
.required, .deprecated { color: var(--warn); font-size: .8em; font-weight: 600 }
.note { border-left: 3px solid var(--warn); padding: .2rem .9rem; background: var(--wash) }
.skip { position: absolute; left: -999rem }
.skip:focus { left: 1rem; top: 1rem; background: var(--page); padding: .5rem }
[hidden] { display: none }
@media (max-width: 48rem) { body { display: block } nav { position: static; max-height: 40vh; border-right: 0; border-bottom: 1px solid var(--line) } }
`

/** Narrows the navigation while somebody types; `/` goes to the field. */
export const SEARCH_SCRIPT: string = `
const field = document.getElementById('search')
const items = [...document.querySelectorAll('nav li[data-words]')]
field.addEventListener('input', () => {
  const words = field.value.toLowerCase().split(/\\s+/).filter(Boolean)
  for (const item of items) item.hidden = !words.every((word) => item.dataset.words.includes(word))
  for (const section of document.querySelectorAll('nav section:not(.more)')) {
    section.hidden = !section.querySelector('li:not([hidden])')
  }
})
field.addEventListener('keydown', (event) => {
  const first = items.find((item) => !item.hidden)
  if (event.key === 'Enter' && first) location.href = first.querySelector('a').href
})
document.addEventListener('keydown', (event) => {
  if (event.key !== '/' || event.target.closest('input')) return
  event.preventDefault()
  field.focus()
})
`

/** A page without its frame. */
export interface PageBody {
  readonly title: string
  /** File name, to mark it in the navigation. */
  readonly page: string
  readonly main: Html
}

/** Puts a page into its frame: one file without anything from elsewhere. */
export function renderPage(
  { document, groups, errors, schemas }: SiteModel,
  body: PageBody,
): string {
  const { title, version } = document.info
  const link = (page: string, text: string) =>
    html`<a href="${page}"${page === body.page && toHtml(' aria-current="page"')}>${text}</a>`
  const navigation = groups.map(
    (group) =>
      html`<section><h2>${group.name}</h2><ul>${group.functions.map(
        ({ name, page, latest }) =>
          html`<li data-words="${`${name} ${latest.object.summary ?? ''}`.toLowerCase()}">${link(page, name)}</li>`,
      )}</ul></section>`,
  )
  const isIndex = body.page === 'index.html'
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="generator" content="waymark docs">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${isIndex ? title : `${body.title} · ${title}`}</title>
<style>${toHtml(STYLE)}</style>
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header><a class="title" href="index.html">${title}</a> <span class="version">${version}</span></header>
<nav aria-label="Functions">
<input id="search" type="search" placeholder="Search functions" aria-label="Search functions">
${navigation}
<section class="more"><ul>
${errors.length > 0 && html`<li>${link('errors.html', 'Errors')}</li>`}
${schemas.length > 0 && html`<li>${link('schemas.html', 'Schemas')}</li>`}
</ul></section>
</nav>
<main id="main">
${body.main}
</main>
${toHtml(`<script>${SEARCH_SCRIPT}</script>`)}
</body>
</html>
`.text
}
