import {
  createDocumentFetcher,
  type DocumentFetcher,
  type FallbackTable,
  findLeaf,
  formatNegotiation,
  isCalendarDate,
  isDateVersion,
  loadDocuments,
  type NegotiateInput,
  negotiate,
  negotiateReport,
  type Rules,
  readFallback,
  TRANSPORTS,
  type TransportName,
  toRules,
} from '../../capabilities/index.ts'
import { defined } from '../../values/index.ts'
import { type CommandInput, EXIT, RemoteError, UsageError } from '../command.ts'
import { readTextFlag, requireChoice } from '../flags.ts'
import { formatJson } from '../print.ts'
import { readDocumentsFlag, readJsonFile } from '../read-json.ts'

const LOOPBACK: ReadonlySet<string> = new Set(['127.0.0.1', 'localhost', '[::1]'])

/** Shows what two parties can do together. */
export async function runNegotiateCommand(input: CommandInput): Promise<number> {
  const [business, platform] = input.positionals
  if (business === undefined || platform === undefined) {
    throw new UsageError('give two profiles: the business and the platform, each a file or a URL')
  }
  const allowLoopback = input.flags['allow-loopback'] === true
  const fetcher = createDocumentFetcher({ allowLoopback })
  const given = {
    business: await readProfileDocument(business, 'business', fetcher, input),
    platform: await readProfileDocument(platform, 'platform', fetcher, input),
    ...defined({ rules: readRules(input) }),
    allowLoopback,
  }
  const transports = readTransports(input)
  const documents = await readDocuments(given, fetcher, transports, input)
  const report = negotiateReport({ ...given, documents, transports, ...readFallbackFlag(input) })
  input.io.out(input.flags['json'] ? formatJson(report) : formatNegotiation(report))
  // That two parties share nothing is an answer; a profile nobody can read is none.
  return report.outcome === 'profile_malformed' ? EXIT.input : EXIT.ok
}

async function readProfileDocument(
  reference: string,
  side: 'business' | 'platform',
  fetcher: DocumentFetcher,
  input: CommandInput,
): Promise<unknown> {
  if (!/^https?:\/\//.test(reference)) return readJsonFile(reference, input.io.cwd)
  if (!URL.canParse(reference)) throw new UsageError(`"${reference}" is not a URL`)
  const url = new URL(reference)
  if (side === 'business' && url.pathname === '/') url.pathname = '/.well-known/ucp'
  return fetchProfile(url, fetcher, input)
}

async function fetchProfile(
  url: URL,
  fetcher: DocumentFetcher,
  input: CommandInput,
): Promise<unknown> {
  const fetched = await fetcher.get(url.href)
  if (fetched.ok) return fetched.value
  const isHere = LOOPBACK.has(url.hostname) && input.flags['allow-loopback'] !== true
  const advice = isHere ? '; add --allow-loopback for this machine' : ''
  throw new RemoteError(`the profile at ${url.href} cannot be fetched: ${fetched.message}${advice}`)
}

async function readDocuments(
  given: Pick<NegotiateInput, 'business' | 'platform' | 'rules' | 'allowLoopback'>,
  fetcher: DocumentFetcher,
  transports: readonly TransportName[],
  input: CommandInput,
): Promise<Readonly<Record<string, unknown>>> {
  const named = readDocumentsFlag(input)
  if (named !== undefined) return named
  const address = findLeaf(given.business, given.platform)
  const leaf = address && (await fetchProfile(new URL(address), fetcher, input))
  const document = (url: string): unknown => (url === address ? leaf : undefined)
  const negotiation = negotiate({ ...given, document })
  const { files } = await loadDocuments(negotiation, {
    fetcher,
    transports,
    documents: address === undefined ? {} : { [address]: leaf },
    schemas: false,
  })
  return Object.fromEntries(files)
}

function readTransports(input: CommandInput): readonly TransportName[] {
  const names = (readTextFlag(input, 'transports') ?? 'rest,mcp')
    .split(',')
    .map((name) => name.trim())
  return names
    .filter((name) => name !== '')
    .map((name) => requireChoice(name, 'transports', TRANSPORTS))
}

function readRules(input: CommandInput): Rules | undefined {
  const date = readTextFlag(input, 'rules')
  // Case files of the protocol say `any` where both texts come to the same.
  if (date === undefined || date === 'any') return undefined
  if (!isDateVersion(date) || !isCalendarDate(date)) {
    throw new UsageError(`--rules must be a date such as 2026-04-08; got "${date}"`)
  }
  return toRules(date)
}

function readFallbackFlag(input: CommandInput): { readonly fallback?: FallbackTable | false } {
  const file = readTextFlag(input, 'fallback')
  if (file === undefined) return {}
  const fallback = readFallback(readJsonFile(file, input.io.cwd))
  if (typeof fallback !== 'string') return { fallback }
  throw new UsageError(`--fallback ${file}: ${fallback}`)
}
