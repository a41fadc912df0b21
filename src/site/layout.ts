import { type Html, html, toHtml } from './html.ts'
import type { SiteModel } from './model.ts'
import { SEARCH_SCRIPT } from './search-script.ts'
import { STYLE } from './style.ts'

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
<script>${toHtml(SEARCH_SCRIPT)}</script>
</body>
</html>
`.text
}
