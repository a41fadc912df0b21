import { type Client, createClient, createLocalTransport } from '../../client/index.ts'
import {
  type DiscoveryDocument,
  decodeDocument,
  decodeFunctionObject,
} from '../../discovery/index.ts'
import { type CommandInput, formatSuggestion, UsageError } from '../command.ts'
import { readTextFlag } from '../flags.ts'
import { formatDocument, formatFunction } from '../format-description.ts'
import { printAnswer, printable } from '../print.ts'
import { isOnDisk } from '../read-json.ts'
import { createRemoteClient, toRemoteError } from '../remote.ts'
import { loadDiscovery } from '../source/description.ts'

/** Explains a service or one of its functions. */
export async function runDescribeCommand(input: CommandInput): Promise<number> {
  const [reference, name] = input.positionals
  if (reference !== undefined && isSource(reference, input.io.cwd)) {
    return describeSource(reference, name, input)
  }
  return name === undefined
    ? describeService(input)
    : describeFunction(input, name, createRemoteClient(input))
}

/** A reference that is not the address of a running service is read here, without anybody serving it. */
function isSource(reference: string, cwd: string): boolean {
  if (/^https?:\/\//i.test(reference)) return /\.(?:json|ya?ml)$/i.test(reference)
  return /^(?:git|mcp|mcp\+[\w-]+|file):|^-$/.test(reference) || isOnDisk(reference, cwd)
}

async function describeSource(
  reference: string,
  name: string | undefined,
  input: CommandInput,
): Promise<number> {
  const { document, notes } = await loadDiscovery(reference, input)
  for (const note of notes) input.io.err(`${printable(note)}\n`)
  if (name === undefined) return printDocument(document, input)
  const [{ createApp }, { forrst }, { readForrstDocument }, { createService }] = await Promise.all([
    import('../../http/index.ts'),
    import('../../surfaces/forrst/index.ts'),
    import('../../sources/forrst/index.ts'),
    import('../../system/index.ts'),
  ])
  const { info, functions } = readForrstDocument(document)
  const service = createService({ info, functions })
  const transport = createLocalTransport(createApp(service, { surfaces: [forrst()] }).handle)
  try {
    return await describeFunction(input, name, createClient({ transport }))
  } finally {
    await service.close()
  }
}

async function describeService(input: CommandInput): Promise<number> {
  const outcome = await createRemoteClient(input).discover({ signal: input.io.signal })
  if (!outcome.ok) throw toRemoteError(outcome)
  return printDocument(outcome.result, input)
}

function printDocument(document: DiscoveryDocument, input: CommandInput): number {
  return printAnswer(input, document, (paint) => formatDocument(decodeDocument(document), paint))
}

async function describeFunction(
  input: CommandInput,
  name: string,
  client: Client,
): Promise<number> {
  const version = readTextFlag(input, 'version')
  const outcome = await client.discoverFunction(name, { version, signal: input.io.signal })
  if (!outcome.ok && outcome.error.code === 'FUNCTION_NOT_FOUND') {
    const known = await client.discover({ signal: input.io.signal })
    const names = known.ok ? known.result.functions.map((entry) => entry.name) : []
    throw new UsageError(`the service has no function "${name}".${formatSuggestion(name, names)}`)
  }
  if (!outcome.ok) throw toRemoteError(outcome)
  const entry = outcome.result
  return printAnswer(input, entry, (paint) =>
    formatFunction(decodeFunctionObject(entry) ?? entry, paint),
  )
}
