import {
  type BackgroundOperation,
  type CallFailure,
  type Client,
  createClient,
} from '../client/index.ts'
import { CODES } from '../errors/index.ts'
import { isRecord, type JsonObject, ownMember } from '../values/index.ts'
import { type CommandInput, EXIT, RemoteError, UsageError } from './command.ts'
import { readListFlag } from './flags.ts'
import { formatJson, printable } from './print.ts'
import { isOnDisk } from './read-json.ts'

/** Creates a client for the URL a person typed; a bare origin means its /forrst endpoint. */
export function createRemoteClient(input: CommandInput): Client {
  const [text] = input.positionals
  if (text === undefined)
    throw new UsageError('which service? Give its URL, such as http://127.0.0.1:4000')
  if (!/:\/\//.test(text) && isOnDisk(text, input.io.cwd)) {
    throw new UsageError(
      `${text} is a file, and a running service is needed: start it with "waymark serve ${text}" and give its URL`,
    )
  }
  const url = parseUrl(text)
  return createClient({ url, name: 'waymark-cli', headers: readHeaders(input), retry: false })
}

/** Calls a function of the service that a person named and gives its result; a failure ends the command. */
export async function askRemote(
  input: CommandInput,
  name: string,
  args: JsonObject = {},
  options: { readonly readOnly?: boolean } = {},
): Promise<unknown> {
  const { signal } = input.io
  const outcome = await createRemoteClient(input).call(name, args, { ...options, signal })
  if (outcome.ok) return outcome.result
  throw toRemoteError(outcome)
}

/** Makes the error that ends a command when the service refused or could not be reached. */
export function toRemoteError({ errors }: Pick<CallFailure, 'errors'>): RemoteError {
  const lines = errors.map(({ code, message, source, details }) => {
    const place =
      source && 'pointer' in source && source.pointer !== '' ? ` (${source.pointer})` : ''
    return `${code}: ${printable(message)}${place}${formatDetails(code, details)}${advise(code, message)}`
  })
  return new RemoteError(lines.join('\n         '))
}

/** Shows the facts a function's own error carries; those of the protocol stand in its message already. */
function formatDetails(code: string, details: unknown): string {
  if (Object.hasOwn(CODES, code) || code.startsWith('CLIENT_') || !isRecord(details)) return ''
  const text = JSON.stringify(details)
  return text === '{}' || text.length > LONGEST_DETAILS ? '' : ` ${printable(text)}`
}

const LONGEST_DETAILS = 300

/** Says what to do next about a failure, where there is something to do. */
export function advise(code: string, message: string): string {
  if (/ECONNREFUSED|cannot be reached$/.test(message)) {
    return '; is the service running? "waymark serve" starts one'
  }
  if (
    code === 'INVALID_ARGUMENTS' &&
    /expected string, received (?:number|boolean|null|object|array)/.test(message)
  ) {
    return `; a word that is JSON means that value: write a text as ${"'"}name="…"${"'"}, quotes included`
  }
  if (code === 'FUNCTION_NOT_FOUND' && message.includes(':ext:async:fn:')) {
    return '; this service keeps no operations: it has no store, or leaves the async extension out'
  }
  if (code === 'CLIENT_UNREACHABLE' && /ENOTFOUND|EAI_AGAIN/.test(message)) {
    return '; is the host spelt right?'
  }
  if (code === 'CLIENT_UNREACHABLE' && message.includes('(bad port)')) {
    return '; fetch refuses ports that belong to other protocols, so the service needs another one'
  }
  // A name that is near was suggested by the service itself.
  if (code === 'FUNCTION_NOT_FOUND' && message.includes('did you mean')) return ''
  const advice = ownMember(ADVICE, code)
  return advice === undefined ? '' : `; ${advice}`
}

const ADVICE: Readonly<Record<string, string>> = {
  CLIENT_INVALID_RESPONSE: 'is this the address of a Forrst endpoint? Without a path it is /forrst',
  CLIENT_REDIRECTED: 'redirects are not followed; give the address it leads to',
  CLIENT_TIMEOUT: 'give it longer with --deadline',
  FUNCTION_NOT_FOUND: '"waymark describe <url>" lists what there is',
  EXTENSION_NOT_SUPPORTED: '"waymark capabilities <url>" lists what there is',
  UNAUTHORIZED: 'authenticate with --header "Authorization: Bearer …"',
}

function parseUrl(text: string): string {
  const candidate = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? text : `http://${text}`
  if (!URL.canParse(candidate)) throw new UsageError(`"${text}" is not a URL`)
  const url = new URL(candidate)
  if (url.protocol !== 'http:' && url.protocol !== 'https:') {
    throw new UsageError(`${url.protocol}// cannot be called; use http:// or https://`)
  }
  if (url.pathname === '/') url.pathname = '/forrst'
  return url.href
}

/** Reads the headers a person typed. */
export function readHeaders(input: CommandInput): Record<string, string> {
  return Object.fromEntries(
    readListFlag(input, 'header').map((header) => {
      const colon = header.indexOf(':')
      if (colon < 1) throw new UsageError(`--header must look like "name: value"; got "${header}"`)
      return [header.slice(0, colon).trim(), header.slice(colon + 1).trim()]
    }),
  )
}

/** Waits for the end of an operation and prints its result; a terminal also sees its progress. */
export async function followOperation(
  { io, flags }: CommandInput,
  operation: BackgroundOperation,
): Promise<number> {
  let shown = ''
  const outcome = await operation.result({
    signal: io.signal,
    onState({ id, status, progress, message }) {
      const share = progress === undefined ? '' : ` ${Math.round(progress * 100)} %`
      const line = `${id} ${status}${share}${message === undefined ? '' : ` ${printable(message)}`}`
      if (io.terminal && line !== shown) io.err(`${line}\n`)
      shown = line
    },
  })
  if (flags['json']) {
    io.out(formatJson(outcome))
    return outcome.ok ? EXIT.ok : EXIT.remote
  }
  if (!outcome.ok) throw toRemoteError(outcome)
  io.out(formatJson(outcome.result))
  return EXIT.ok
}
