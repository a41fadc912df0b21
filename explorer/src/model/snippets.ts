import { parseExactly } from './exact-json.ts'

/** What a snippet calls. */
export interface SnippetCall {
  readonly url: string
  readonly mcpUrl: string
  /** Of the service. */
  readonly origin: string
  readonly tool: string
  /** The function the tool stands for. */
  readonly function: string
  /** JSON text of the arguments, as it is sent. */
  readonly body: string
  readonly headers: readonly (readonly [name: string, value: string])[]
}

/** Writes the call for a POSIX shell. */
export function toCurl({ url, body, headers }: SnippetCall): string {
  const all = [['content-type', 'application/json'] as const, ...headers]
  const lines = [
    `curl -X POST ${quoteShell(url)}`,
    ...all.map(([name, value]) => `-H ${quoteShell(`${name}: ${value}`)}`),
    `-d ${quoteShell(body)}`,
  ]
  return lines.join(' \\\n  ')
}

/** Writes the call for our own command line. */
export function toCommand({ origin, function: name, body, headers }: SnippetCall): string {
  const lines = [
    `npx waymark call ${quoteShell(origin)} ${quoteShell(name)} ${quoteShell(body)}`,
    ...headers.map(([header, value]) => `-H ${quoteShell(`${header}: ${value}`)}`),
  ]
  return lines.join(' \\\n  ')
}

/** Writes the call for any JavaScript runtime with fetch. */
export function toFetch({ url, body, headers }: SnippetCall): string {
  const all = [['content-type', 'application/json'] as const, ...headers]
  const members = all.map(([name, value]) => `    ${toKey(name)}: ${quoteScript(value)},`)
  return [
    `const response = await fetch(${quoteScript(url)}, {`,
    `  method: 'POST',`,
    '  headers: {',
    ...members,
    '  },',
    `  body: ${writeBody(body)},`,
    '})',
    'const result = await response.json()',
  ].join('\n')
}

/** Writes the call for the official MCP client. */
export function toMcpClient({ mcpUrl, tool, body, headers }: SnippetCall): string {
  const credentials = headers
    .map(([name, value]) => `${toKey(name)}: ${quoteScript(value)}`)
    .join(', ')
  const init = headers.length === 0 ? '' : `, {\n  requestInit: { headers: { ${credentials} } },\n}`
  return [
    `import { Client } from '@modelcontextprotocol/sdk/client/index.js'`,
    `import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'`,
    '',
    `const client = new Client({ name: 'my-app', version: '1.0.0' })`,
    `await client.connect(new StreamableHTTPClientTransport(new URL(${quoteScript(mcpUrl)})${init}))`,
    'const result = await client.callTool({',
    `  name: ${quoteScript(tool)},`,
    `  arguments: ${indentRest(prettify(body), 2)},`,
    '})',
  ].join('\n')
}

/** Quotes text so that a POSIX shell passes it on unchanged. */
export function quoteShell(text: string): string {
  return `'${text.replaceAll("'", `'\\''`)}'`
}

/** Quotes text as a JavaScript string that also survives inside an HTML page. */
export function quoteScript(text: string): string {
  const inner = JSON.stringify(text)
    .slice(1, -1)
    .replaceAll('\\"', '"')
    .replaceAll("'", "\\'")
    .replaceAll('</', '<\\/')
    .replaceAll('\u2028', '\\u2028')
    .replaceAll('\u2029', '\\u2029')
  return `'${inner}'`
}

function toKey(name: string): string {
  return /^[a-z_$][\w$]*$/i.test(name) ? name : quoteScript(name)
}

/** As an object to be changed; as text where JavaScript would round a number in it. */
function writeBody(body: string): string {
  const pretty = prettify(body)
  return pretty === prettify(body, JSON.parse)
    ? `JSON.stringify(${indentRest(pretty, 2)})`
    : quoteScript(body)
}

function prettify(body: string, parse: (text: string) => unknown = parseExactly): string {
  try {
    return JSON.stringify(parse(body), null, 2)
  } catch {
    return body
  }
}

function indentRest(text: string, by: number): string {
  return text.replaceAll('\n', `\n${' '.repeat(by)}`)
}
