import type { McpSourceOptions } from './source.ts'

const REFERENCE = /^mcp(?:\+([A-Za-z][A-Za-z0-9_-]{0,62}))?:(.+)$/s
const RUNNERS = new Set(['npx', 'bunx', 'uvx', 'pnpx', 'node', 'bun', 'deno', 'python', 'python3'])
const WORD = /"([^"]*)"|'([^']*)'|(\S+)/g

/**
 * Reads an MCP server as a command line names it: `mcp:https://host/mcp`, `mcp:npx -y some-server`, or with a name for
 * its functions `mcp+files:npx -y some-server`. Undefined when the text names something else.
 */
export function parseMcpReference(text: string): McpSourceOptions | undefined {
  const [, name, target = ''] = REFERENCE.exec(text) ?? []
  if (target === '') return undefined
  if (/^https?:\/\//.test(target)) {
    if (!URL.canParse(target)) throw new TypeError(`"${target}" is not a URL`)
    return { name: name ?? toSourceName(new URL(target).hostname.split('.')[0] ?? ''), url: target }
  }
  const [command = '', ...args] = splitWords(target)
  return { name: name ?? nameOfCommand([command, ...args]), command, args }
}

function splitWords(text: string): readonly string[] {
  return [...text.matchAll(WORD)].map(
    ([, double, single, plain]) => double ?? single ?? plain ?? '',
  )
}

/** The program itself, not what runs it: `server-files` of `npx -y @acme/server-files /tmp`. */
function nameOfCommand(words: readonly string[]): string {
  const program = words.find((word) => !RUNNERS.has(word) && !word.startsWith('-')) ?? ''
  const base = program.split(/[\\/]/).at(-1) ?? ''
  return toSourceName(base.replace(/@[\w.-]+$/, '').replace(/\.\w+$/, ''))
}

/** Makes the first part of function names of any text. */
export function toSourceName(text: string): string {
  const name = text.replace(/[^A-Za-z0-9_-]/g, '_').slice(0, 63)
  return /^[A-Za-z]/.test(name) ? name : `mcp${name === '' ? '' : `_${name}`}`.slice(0, 63)
}
