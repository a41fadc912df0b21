import { type Components, type ContentDescriptor, resolveReference } from '../core/index.ts'
import { isList, toText } from '../values/index.ts'
import { type DiscoveryDocument, type FunctionObject, REQUIRED_SCOPES } from './decode.ts'
import { groupByPrefix, listFunctions } from './outline.ts'

/** What is told besides the functions. */
export interface LlmsOptions {
  /** Where functions are over REST; `/api` when absent, false where they are not. */
  readonly rest?: string | false
  /** Whether functions are tools over MCP; true when absent. */
  readonly mcp?: boolean
  /** Where to read on. */
  readonly links: readonly LlmsLink[]
}

/** A document with more to read. */
export interface LlmsLink {
  readonly title: string
  readonly url: string
  readonly text: string
}

const LONGEST_LINE = 300

/** Writes what an agent should know first, in the form of llms.txt: what the service is for and how it is called. */
export function buildLlmsText(document: DiscoveryDocument, options: LlmsOptions): string {
  const { title, description } = document.info
  const { rest = '/api', mcp = true, links } = options
  const ways = [
    ...(mcp ? ['over MCP, as a tool (dots become two underscores)'] : []),
    ...(rest === false
      ? []
      : [`with \`POST ${rest}/{function}\` and its arguments as a JSON object`]),
  ]
  return [
    `# ${oneLine(title)}`,
    ...(description === undefined ? [] : ['', `> ${oneLine(description)}`]),
    '',
    `Call a function ${ways.length === 0 ? 'over Forrst' : ways.join(', or ')}.`,
    'A failed call answers with errors that have a stable `code` and name the argument that is wrong.',
    ...groupByPrefix(listFunctions(document)).flatMap(({ name, functions }) => [
      '',
      `## ${oneLine(name)}`,
      '',
      ...functions.map(({ latest }) => toLine(latest, document.components)),
    ]),
    '',
    '## Descriptions',
    '',
    ...links.map(({ title, url, text }) => `- [${title}](${url}): ${text}`),
    '',
  ].join('\n')
}

function toLine(latest: FunctionObject, components: Components = {}): string {
  const { name, summary, description = '', deprecated, sideEffects, arguments: all = [] } = latest
  const names = all.flatMap((one) => {
    const found = resolveReference<ContentDescriptor>(one, components, 'contentDescriptors')
    return found ? [found.required ? found.name : `${found.name}?`] : []
  })
  const effect =
    sideEffects !== undefined && sideEffects.length > 0
      ? ` Effects: ${sideEffects.join(', ')}.`
      : ''
  const scopes = latest[REQUIRED_SCOPES]
  const needs = isList(scopes) ? ` Requires: ${oneLine(scopes.map(toText).join(', '))}.` : ''
  const old = deprecated === undefined ? '' : ' Deprecated.'
  return `- \`${name}(${names.join(', ')})\`: ${toSentence(summary ?? description)}${effect}${needs}${old}`
}

/** Foreign text must not begin a line of its own: it could pose as a heading or as advice of ours. */
function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim().slice(0, LONGEST_LINE)
}

function toSentence(text: string): string {
  const line = oneLine(text)
  return /[.!?]$/.test(line) || line === '' ? line : `${line}.`
}
