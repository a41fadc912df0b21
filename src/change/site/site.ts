import {
  buildLlmsText,
  type DiscoveryDocument,
  decodeDocument,
  type SiteModel,
  toSiteModel,
} from '../../discovery/index.ts'
import { formatType, renderFields, renderFunction } from './function-page.ts'
import { type Html, html, renderMarkdown } from './html.ts'
import { renderPage } from './layout.ts'

/** A file of a documentation site. */
export interface SiteFile {
  readonly path: string
  readonly text: string
}

const SITE_LINKS = [
  {
    title: 'Discovery document',
    url: 'discovery.json',
    text: 'everything the service says about itself',
  },
]

/** Builds a static documentation site of a service: pages that need nothing but themselves. */
export function buildSite(given: DiscoveryDocument): readonly SiteFile[] {
  const document = decodeDocument(given)
  const model = toSiteModel(document)
  const page = (path: string, title: string, main: Html): SiteFile => ({
    path,
    text: renderPage(model, { page: path, title, main }),
  })
  return [
    page('index.html', document.info.title, renderIndex(model)),
    ...model.functions.map((entry) => page(entry.page, entry.name, renderFunction(model, entry))),
    ...(model.errors.length > 0 ? [page('errors.html', 'Errors', renderErrors(model))] : []),
    ...(model.schemas.length > 0 ? [page('schemas.html', 'Schemas', renderSchemas(model))] : []),
    { path: 'discovery.json', text: `${JSON.stringify(given, null, 2)}\n` },
    { path: 'llms.txt', text: buildLlmsText(document, { links: SITE_LINKS }) },
  ]
}

function renderIndex({ document, groups }: SiteModel): Html {
  const { title, version, description, contact, license } = document.info
  return html`<h1>${title}</h1><p class="soft">version ${version}${license && `, ${license.name}`}${contact?.email && `, ${contact.email}`}</p>
${renderMarkdown(description)}
${(document.servers ?? []).map(({ name, url, summary }) => html`<p><code>${url}</code> <span class="soft">${summary ?? name}</span></p>`)}
${groups.map(
  (group) =>
    html`<h2>${group.name}</h2><table><tbody>${group.functions.map(
      ({ name, page, latest }) =>
        html`<tr><td><a href="${page}">${name}</a></td><td>${latest.object.summary}${latest.object.deprecated && html` <span class="deprecated">deprecated</span>`}</td></tr>`,
    )}</tbody></table>`,
)}`
}

function renderErrors({ errors }: SiteModel): Html {
  return html`<h1>Errors</h1>${errors.map(
    ({
      error,
      functions,
    }) => html`<h2 id="${error.code}"><code>${error.code}</code></h2><p>${error.message}</p>
${error.data && renderFields(error.data)}
<p class="soft">Answered by ${functions.map(({ name, page }, index) => html`${index > 0 && ', '}<a href="${page}">${name}</a>`)}</p>`,
  )}`
}

function renderSchemas({ schemas }: SiteModel): Html {
  return html`<h1>Schemas</h1>${schemas.map(([name, schema]) => {
    const { description } = schema
    return html`<h2 id="${name}">${name}</h2>${renderMarkdown(typeof description === 'string' ? description : undefined)}${renderFields(schema) ?? html`<p class="type">${formatType(schema)}</p>`}`
  })}`
}
