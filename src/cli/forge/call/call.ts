import type { JsonSchema } from '../../../schema/index.ts'
import {
  createToolCaller,
  type HttpTool,
  runHttpTool,
  ToolError,
  ToolHttpError,
  toApiOperation,
  toInputSchema,
  withSafePatterns,
} from '../../../sources/runtime/index.ts'
import type { ToolSpec } from '../../../sources/tool-spec/index.ts'
import { isRecord, type JsonObject, tryJson } from '../../../values/index.ts'
import {
  type CommandInput,
  EXIT,
  formatSuggestion,
  RemoteError,
  UsageError,
} from '../../command.ts'
import { formatJson, nameFirst, printable } from '../../print.ts'
import { readEnvironment } from '../env-file.ts'
import { readAnySpec } from '../import-source.ts'
import { readFormat } from '../report.ts'
import { checkAsServed, readArguments } from './arguments.ts'
import { buildDryCall } from './dry-call.ts'

/** Runs one tool of a spec and prints what it answers; `--dry-run` prints the request as a command instead. */
export async function runForgeCall(input: CommandInput): Promise<number> {
  const [, reference = '', name, ...words] = input.positionals
  const { spec } = await readAnySpec(reference, input)
  const { tool, schema } = requireTool(spec, name, reference)
  const given = readArguments(tool, words, input)
  const env = readEnvironment(input)
  try {
    const args = await checkAsServed(tool, schema, given)
    if (input.flags['dry-run'] === true) {
      printDryCall(await buildDryCall(tool, args, env), input)
      return EXIT.ok
    }
    const result = await runHttpTool(tool, createToolCaller({ env }), args, {
      signal: input.io.signal,
    })
    printResult(result, input)
    return EXIT.ok
  } catch (thrown) {
    if (thrown instanceof ToolError) return printFailure(thrown, input)
    throw thrown
  }
}

function requireTool(
  spec: ToolSpec,
  word: string | undefined,
  reference: string,
): { readonly tool: HttpTool; readonly schema: JsonSchema } {
  const names = spec.tools.map(({ name }) => name)
  if (word === undefined) {
    throw new UsageError(`which tool? ${reference} has ${nameFirst(names, 12)}`)
  }
  // A served function is called <domain>.<tool>.
  const prefix = `${spec.domain}.`
  const name = word.startsWith(prefix) ? word.slice(prefix.length) : word
  const tool = spec.tools.find((candidate) => candidate.name === name)
  if (tool === undefined) {
    const hint = formatSuggestion(name, names) || ` It has ${nameFirst(names, 12)}.`
    throw new UsageError(`${reference} has no tool "${word}".${hint}`)
  }
  const operation = toApiOperation(spec, tool)
  if (operation === undefined) {
    throw new UsageError(
      `${name} has no method and path: its code is written by hand, and only the agent around it can run it`,
    )
  }
  const schema = toInputSchema(tool)
  const parameters = withSafePatterns(schema)
  return { tool: { name, description: tool.description, parameters, operation }, schema }
}

function printDryCall(
  { curl, variables }: Awaited<ReturnType<typeof buildDryCall>>,
  input: CommandInput,
): void {
  if (readFormat(input) === 'json') {
    input.io.out(formatJson({ curl, variables }))
    return
  }
  input.io.out(`${curl}\n`)
  const missing = variables.filter(({ set }) => !set).map(({ name }) => name)
  if (missing.length > 0) input.io.err(`Not set here: ${missing.join(', ')}\n`)
}

function printResult(result: unknown, input: CommandInput): void {
  if (readFormat(input) === 'json') input.io.out(formatJson({ ok: true, result }))
  else if (typeof result === 'string') input.io.out(`${printable(result)}\n`)
  else input.io.out(formatJson(result))
}

/** Reasons that are for the person at the keyboard to mend; all others are the other side's. */
const OWN_REASONS: readonly string[] = ['arguments', 'setup']

function printFailure(error: ToolError, input: CommandInput): number {
  const isOwn = OWN_REASONS.includes(error.reason)
  if (readFormat(input) === 'json') {
    input.io.out(formatJson({ ok: false, error: toPlain(error) }))
    return isOwn ? EXIT.input : EXIT.remote
  }
  const body = error instanceof ToolHttpError ? formatBody(error.body) : ''
  const message = `${printable(error.message)}${body}`
  throw isOwn ? new UsageError(message) : new RemoteError(message)
}

function toPlain(error: ToolError): JsonObject {
  const { reason, message, problems } = error
  const refusal = error instanceof ToolHttpError ? error : undefined
  return {
    reason,
    message,
    ...(problems.length > 0 && { problems }),
    ...(refusal && { status: refusal.status, body: refusal.body }),
    ...(refusal?.retry_after !== undefined && { retry_after: refusal.retry_after }),
  }
}

/** Shows what an API said about its refusal: its JSON on one line, any other text as it came. */
function formatBody(body: string): string {
  const text = body.trim()
  if (text === '') return ''
  const value = tryJson(text)
  if (isRecord(value)) return `: ${printable(JSON.stringify(value))}`
  // Most errors that are not JSON are HTML pages; their text is better than nothing.
  return `: ${printable(text.replace(/\s+/g, ' ')).slice(0, LONGEST_BODY)}`
}

const LONGEST_BODY = 500
