import {
  type Components,
  type ContentDescriptor,
  resolveReference,
  type Tag,
} from '../core/index.ts'
import { defined, groupBy, isList, toText } from '../values/index.ts'
import { type DiscoveryDocument, type FunctionObject, REQUIRED_SCOPES } from './decode.ts'
import { groupByPrefix, listFunctions } from './outline.ts'

/** What is told besides the functions. */
export interface LlmsOptions {
  /** Origin of the service, such as `https://api.example.com`; addresses are relative when absent. */
  readonly origin?: string
  /** Where functions are over REST; `/api` when absent. */
  readonly rest?: string
  /** Where to read on; the documents of a running service when absent. */
  readonly links?: readonly LlmsLink[]
}

/** A document with more to read. */
export interface LlmsLink {
  readonly title: string
  readonly url: string
  readonly text: string
}

const LONGEST_LINE = 300

/** Writes what an agent should know first, in the form of llms.txt: what the service is for and how it is called. */
export function buildLlmsText(document: DiscoveryDocument, options: LlmsOptions = {}): string {
  const { title, description } = document.info
  const { origin = '', rest = '/api', links = toSurfaceLinks(origin) } = options
  return [
    `# ${oneLine(title)}`,
    ...(description === undefined ? [] : ['', `> ${oneLine(description)}`]),
    '',
    `Call a function over MCP, as a tool (dots become two underscores), or with \`POST ${rest}/{function}\` and its arguments as a JSON object.`,
    'A failed call answers with errors that have a stable `code` and name the argument that is wrong.',
    ...toGroups(document).flatMap(({ heading, text, functions }) => [
      '',
      `## ${oneLine(heading)}`,
      '',
      ...(text === undefined ? [] : [oneLine(text), '']),
      ...functions.map((latest) => toLine(latest, document.components)),
    ]),
    '',
    '## Descriptions',
    '',
    ...links.map(({ title, url, text }) => `- [${title}](${url}): ${text}`),
    '',
  ].join('\n')
}

interface LlmsGroup {
  readonly heading: string
  readonly text?: string
  readonly functions: readonly FunctionObject[]
}

/** Groups by the first part of the name; an imported API, where all share it, by tag within it. */
function toGroups({ components = {}, ...document }: DiscoveryDocument): readonly LlmsGroup[] {
  return groupByPrefix(listFunctions(document)).flatMap(({ name, functions }): LlmsGroup[] => {
    const all = functions.map(({ latest }) => latest)
    const firstTag = ({ tags: [tag] = [] }: FunctionObject) =>
      tag && resolveReference<Tag>(tag, components, 'tags')
    const byTag = groupBy(all, (latest) => firstTag(latest)?.name)
    if (byTag.size < 2) return [{ heading: name, functions: all }]
    return [...byTag].map(([tagName, members]) => {
      if (tagName === undefined) return { heading: name, functions: members }
      const { summary, description } = (members[0] && firstTag(members[0])) ?? {}
      const heading = `${name}: ${summary ?? tagName}`
      return { heading, ...defined({ text: description }), functions: members }
    })
  })
}

function toSurfaceLinks(origin: string): readonly LlmsLink[] {
  return [
    { title: 'OpenAPI', url: `${origin}/openapi.json`, text: 'every function as a REST operation' },
    { title: 'OpenRPC', url: `${origin}/openrpc.json`, text: 'every function as a method' },
    { title: 'MCP', url: `${origin}/mcp`, text: 'the same functions as tools' },
    { title: 'Explorer', url: `${origin}/explorer/`, text: 'a page to try them' },
  ]
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
