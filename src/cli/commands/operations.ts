import { asList, asRecord, defined, isRecord, type JsonObject, toText } from '../../values/index.ts'
import { type CommandInput, formatSuggestion, UsageError } from '../command.ts'
import { readNumber, readTextFlag } from '../flags.ts'
import { formatTable, type Paint, printAnswer, printable, printableCell } from '../print.ts'
import { askRemote, createRemoteClient, followOperation, toRemoteError } from '../remote.ts'

const FUNCTION = 'urn:cline:forrst:ext:async:fn:'

/** Looks after calls that go on in the background. */
export async function runOperationsCommand(input: CommandInput): Promise<number> {
  const [verb, ...positionals] = input.positionals
  const run = verb !== undefined && Object.hasOwn(VERBS, verb) ? VERBS[verb] : undefined
  if (run === undefined) throw new UsageError(explainVerb(verb))
  return run({ ...input, positionals })
}

const VERBS: Readonly<Record<string, (input: CommandInput) => Promise<number>>> = {
  list: listOperations,
  show: showOperation,
  cancel: cancelOperation,
}

function explainVerb(verb: string | undefined): string {
  if (verb === undefined)
    return 'which action? One of list, show and cancel: waymark operations list <url>'
  return `unknown action "${verb}".${formatSuggestion(verb, Object.keys(VERBS))} There are list, show and cancel.`
}

async function listOperations(input: CommandInput): Promise<number> {
  const filter = await readFilter(input)
  const result = await askRemote(input, `${FUNCTION}list`, filter, { readOnly: true })
  const { operations, next_cursor: cursor } = asRecord(result)
  const rows = asList(operations).filter(isRecord)
  const code = printAnswer(input, result, (paint) => {
    const cells = rows.map((row) => toRow(row, paint))
    return cells.length === 0 ? 'No operations.\n' : formatTable(cells, '')
  })
  if (typeof cursor === 'string' && !input.flags['json']) {
    input.io.err(`More: --cursor ${printable(cursor)}\n`)
  }
  return code
}

async function showOperation(input: CommandInput): Promise<number> {
  const client = createRemoteClient(input)
  const id = requireId(input)
  if (input.flags['wait']) return followOperation(input, client.operation(id))
  const outcome = await client.call(
    `${FUNCTION}status`,
    { operation_id: id },
    { readOnly: true, signal: input.io.signal },
  )
  // The end of a failed operation is told as by --wait: under the function's own code.
  if (!outcome.ok && outcome.error.code === 'ASYNC_OPERATION_FAILED') {
    return followOperation(input, client.operation(id))
  }
  if (!outcome.ok) throw toRemoteError(outcome)
  const { output: _, ...shown } = asRecord(outcome.result)
  const lines = Object.entries(shown).map(([name, value]) => [name, printableCell(value)])
  return printAnswer(input, outcome.result, () => formatTable(lines, ''))
}

async function cancelOperation(input: CommandInput): Promise<number> {
  const result = await askRemote(input, `${FUNCTION}cancel`, { operation_id: requireId(input) })
  const { operation_id: id } = asRecord(result)
  return printAnswer(input, result, () => `${printable(toText(id))} is cancelled.\n`)
}

async function readFilter(input: CommandInput): Promise<JsonObject> {
  const status = readTextFlag(input, 'status')
  if (status !== undefined) await requireStatus(status)
  const limit = readNumber(input, 'limit', { from: 1, to: 100 })
  const name = readTextFlag(input, 'function')
  const cursor = readTextFlag(input, 'cursor')
  return defined({ status, function: name, limit, cursor })
}

async function requireStatus(status: string): Promise<void> {
  const { OPERATION_STATUSES } = await import('../../extensions/async/index.ts')
  if (OPERATION_STATUSES.some((known) => known === status)) return
  throw new UsageError(
    `--status must be one of ${OPERATION_STATUSES.join(', ')}; got "${status}".${formatSuggestion(status, OPERATION_STATUSES)}`,
  )
}

function requireId({ positionals: [, id] }: CommandInput): string {
  if (id !== undefined) return id
  throw new UsageError('which operation? "waymark operations list <url>" shows their ids')
}

function toRow(row: Record<string, unknown>, paint: Paint): readonly string[] {
  const { id, status, progress, message, started_at: startedAt } = row
  const name = `${printableCell(row['function'])}@${printableCell(row['version'])}`
  const share = typeof progress === 'number' ? `${Math.round(progress * 100)} %` : ''
  const cells = [share, startedAt, name, message].map(printableCell)
  return [printableCell(id), paintStatus(printableCell(status), paint), ...cells]
}

function paintStatus(status: string, { good, bad, warn, dim }: Paint): string {
  if (status === 'completed') return good(status)
  if (status === 'failed') return bad(status)
  return status === 'cancelled' ? warn(status) : dim(status)
}
