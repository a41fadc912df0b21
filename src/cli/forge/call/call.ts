import {
  createToolCaller,
  type HttpTool,
  runHttpTool,
  ToolError,
  ToolHttpError,
  toInputSchema,
  toOperation,
  withSafePatterns,
} from '../../../sources/runtime/index.ts'
import type { ToolSpec } from '../../../sources/tool-spec/index.ts'
import { isRecord, type JsonObject, ownMember } from '../../../values/index.ts'
import { type CommandInput, didYouMean, EXIT, RemoteError, UsageError } from '../../command.ts'
import { readText } from '../../flags.ts'
import { parseArguments, parseObject } from '../../parse-input.ts'
import { formatJson, printable } from '../../print.ts'
import { readTextFile } from '../../read-json.ts'
import { readEnvironment } from '../env-file.ts'
import { readAnySpec } from '../import-source.ts'
import { readFormat } from '../report.ts'
import { buildDryCall } from './dry-call.ts'

/** Runs one tool of a spec and prints what it answers; `--dry-run` prints the request as a command instead. */
export async function runCall(input: CommandInput): Promise<number> {
  const [, reference = '', name, ...words] = input.positionals
  const { spec } = await readAnySpec(reference, input)
  const tool = requireTool(spec, name, reference)
  const args = readArguments(tool, words, input)
  const env = readEnvironment(input)
  try {
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

function requireTool(spec: ToolSpec, word: string | undefined, reference: string): HttpTool {
  const names = spec.tools.map(({ name }) => name)
  if (word === undefined) {
    throw new UsageError(`which tool? ${reference} has ${formatNames(names)}`)
  }
  // A served function is called <domain>.<tool>.
  const prefix = `${spec.domain}.`
  const name = word.startsWith(prefix) ? word.slice(prefix.length) : word
  const tool = spec.tools.find((candidate) => candidate.name === name)
  if (tool === undefined) {
    const hint = didYouMean(name, names) || ` It has ${formatNames(names)}.`
    throw new UsageError(`${reference} has no tool "${word}".${hint}`)
  }
  const operation = toOperation(spec, tool)
  if (operation === undefined) {
    throw new UsageError(
      `${name} has no method and path: its code is written by hand, and only the agent around it can run it`,
    )
  }
  const parameters = withSafePatterns(toInputSchema(tool))
  return { name, description: tool.description, parameters, operation }
}

const MOST_NAMES = 12

function formatNames(names: readonly string[]): string {
  const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : ''
  return `${names.slice(0, MOST_NAMES).join(', ')}${more}`
}

function readArguments(
  { name, parameters }: HttpTool,
  words: readonly string[],
  input: CommandInput,
): JsonObject {
  const given = readText(input, 'args')
  if (given !== undefined && words.length > 0) {
    throw new UsageError('give arguments either with --args or on the line, not both')
  }
  const properties = parameters.properties ?? {}
  const args =
    given === undefined
      ? keepTexts(parseArguments(words), words, properties)
      : parseObject(isInline(given) ? given : readTextFile(given, input.io.cwd), '--args')
  const known = Object.keys(properties)
  for (const key of Object.keys(args)) {
    if (known.includes(key)) continue
    const takes = known.length === 0 ? 'no arguments' : formatNames(known)
    const hint = didYouMean(key, known) || ` It takes ${takes}.`
    throw new UsageError(`${name} has no argument "${key}".${hint}`)
  }
  return args
}

function isInline(text: string): boolean {
  return /^\s*[{["]/.test(text)
}

/** A word such as `id=42` is JSON, but where the tool takes a text it means that text. */
function keepTexts(
  args: JsonObject,
  words: readonly string[],
  properties: NonNullable<HttpTool['parameters']['properties']>,
): JsonObject {
  const texts = words.flatMap((word) => {
    const key = word.slice(0, word.indexOf('='))
    const isText = ownMember(properties, key)?.type === 'string'
    const value = word.slice(key.length + 1)
    return isText && typeof ownMember(args, key) !== 'string' ? [[key, value] as const] : []
  })
  return { ...args, ...Object.fromEntries(texts) }
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
  try {
    const value: unknown = JSON.parse(text)
    if (isRecord(value)) return `: ${printable(JSON.stringify(value))}`
  } catch {
    // Most errors that are no JSON are pages; their text is better than nothing.
  }
  return `: ${printable(text.replace(/\s+/g, ' ')).slice(0, LONGEST_BODY)}`
}

const LONGEST_BODY = 500
