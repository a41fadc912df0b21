import { once } from 'node:events'
import {
  addResponses,
  createMockService,
  type MockFailure,
  type MockOptions,
} from '../../change/mock/index.ts'
import { allSurfaces, serve } from '../../http/index.ts'
import { importOpenApi } from '../../sources/openapi/index.ts'
import { defined } from '../../values/index.ts'
import { type CommandInput, EXIT, UsageError } from '../command.ts'
import { parseDuration, parsePort, readChoiceFlag, readListFlag, readTextFlag } from '../flags.ts'
import { countOf, createPaint, formatTable, printable } from '../print.ts'
import { loadDescription, loadDiscovery } from '../source/description.ts'
import { explainListenError } from '../system-error.ts'

/** Serves answers for a description before there is a service. */
export async function runMockCommand(input: CommandInput): Promise<number> {
  const [reference] = input.positionals
  if (reference === undefined) {
    throw new UsageError('which description should be mocked? Give one: waymark mock service.json')
  }
  const options = readOptions(input)
  const port = parsePort(readTextFlag(input, 'port') ?? input.io.env['PORT'] ?? '4000', '--port')
  const host = readTextFlag(input, 'host') ?? input.io.env['HOST'] ?? '127.0.0.1'
  const { document, notes } = await loadDocument(reference, input)
  const { service, warnings } = createMockService(document, options)
  for (const note of [...notes, ...warnings]) input.io.err(`${printable(note)}\n`)
  const server = await serve(service, {
    port,
    host,
    ownsProcess: false,
    surfaces: allSurfaces({ explorer: { allowExecute: true } }),
  }).catch((thrown: unknown) => {
    throw explainListenError(thrown, { host, port }) ?? thrown
  })
  input.io.out(formatStart(server.url, document.functions.length, service.info.title, input))
  if (!input.io.signal.aborted) await once(input.io.signal, 'abort')
  await server.close()
  return EXIT.ok
}

/** An OpenAPI document also says what comes back, which its tools do not. */
async function loadDocument(reference: string, input: CommandInput) {
  const loaded = await loadDiscovery(reference, input)
  if (!/\.(?:json|ya?ml)$/i.test(reference)) return loaded
  const description = await loadDescription(reference, input)
  if (description.kind !== 'openapi') return loaded
  const imported = importOpenApi(description.document, { file: reference })
  if (!imported.ok) return loaded
  const { domain, tools } = imported.spec
  const operations = new Map(tools.map((tool) => [`${domain}.${tool.name}`, tool]))
  return { ...loaded, document: addResponses(loaded.document, description.document, operations) }
}

const PREFERENCES = ['simulations', 'examples', 'schema'] as const

function readOptions(input: CommandInput): MockOptions {
  const seed = readTextFlag(input, 'seed')
  const latency = readTextFlag(input, 'latency')
  const prefer = readChoiceFlag(input, 'prefer', PREFERENCES)
  return {
    ...defined({ seed, latency: latency === undefined ? latency : parseLatency(latency), prefer }),
    failures: readListFlag(input, 'fail').map(parseFailure),
  }
}

function parseLatency(text: string): { least: number; most: number } {
  const [from = '', to = from] = text.split('..')
  // 20..200ms means 20ms..200ms.
  const unit = /(?<![a-z])[a-z]+$/.exec(to)?.[0] ?? ''
  const [least, most] = [/\d$/.test(from) ? `${from}${unit}` : from, to].map((part) => {
    return Math.round(toMilliseconds(parseDuration(part, '--latency')) ?? 0)
  }) as [number, number]
  if (least > most)
    throw new UsageError(`--latency must begin with the shorter time; got "${text}"`)
  return { least, most }
}

function parseFailure(text: string): MockFailure {
  const [, code, figure = ''] = /^(?:([A-Z][A-Z0-9_]*):)?(\d+(?:\.\d+)?)%$/.exec(text) ?? []
  const share = Number(figure) / 100
  if (figure === '' || share > 1) {
    throw new UsageError(`--fail must be a share such as 5% or NOT_FOUND:5%; got "${text}"`)
  }
  return { share, ...(code !== undefined && { code }) }
}

function formatStart(url: string, functions: number, title: string, input: CommandInput): string {
  if (input.flags['json']) return `${JSON.stringify({ url, mock: title, functions })}\n`
  const paint = createPaint(input.io)
  return [
    `A mock of ${paint.bold(printable(title))} is listening on ${paint.bold(url)}\n\n`,
    formatTable([
      ['Explorer', `${url}/explorer/`],
      ['Forrst', `POST ${url}/forrst`],
      ['MCP', `${url}/mcp`],
      ['REST', `${url}/openapi.json`],
    ]),
    `\n${countOf(functions, 'function')}. No code runs and nothing is stored.\nPress Ctrl+C to stop.\n`,
  ].join('')
}
