import { type CallOptions, type Client, inlineFiles } from '../../client/index.ts'
import { CallError } from '../../errors/index.ts'
import type { JsonSchema } from '../../schema/index.ts'
import { extensionUrn, type JsonObject } from '../../values/index.ts'
import type { RequestExtension } from '../../wire/index.ts'
import { type CommandInput, EXIT, UsageError } from '../command.ts'
import { readFiles, saveResult } from '../files.ts'
import { parseDuration, readListFlag, readTextFlag } from '../flags.ts'
import { mayLoseDigits, parseArguments, parseObject } from '../parse-arguments.ts'
import { formatJson } from '../print.ts'
import { readTextFile } from '../read-json.ts'
import { createRemoteClient, followOperation, toRemoteError } from '../remote.ts'

/** Calls a function of a service. */
export async function runCallCommand(input: CommandInput): Promise<number> {
  const client = createRemoteClient(input)
  const [, name, ...rest] = input.positionals
  if (name === undefined) throw new UsageError('which function? waymark describe <url> lists them')
  const written = await readArguments(input, client, name, rest)
  const isWords = rest[0]?.trimStart().startsWith('{') === false
  const given = isWords ? await readFiles(written, input.io.cwd) : written
  const place = readTextFlag(input, 'out')
  const options: CallOptions = {
    version: readTextFlag(input, 'version'),
    idempotencyKey: readTextFlag(input, 'idempotency-key'),
    deadline: readDeadline(input),
    extensions: readExtensions(input),
    signal: input.io.signal,
  }
  if (input.flags['stream']) return printStream(input, client, { name, given, options })
  if (input.flags['wait']) {
    const operation = await client.start(name, given, options).catch(toThrownRemote)
    return followOperation(input, operation)
  }
  const outcome = await client.call(name, given, options)
  if (place !== undefined && outcome.ok) return saveResult(input, outcome.result, place)
  if (input.flags['json']) {
    input.io.out(formatJson(await inlineFiles(outcome)))
    return outcome.ok ? EXIT.ok : EXIT.remote
  }
  if (!outcome.ok) throw toRemoteError(outcome)
  const { result, extensions } = outcome
  // Dry runs and other extensions answer beside an empty result; there the answer is what was asked for.
  const shown = result === null && extensions.length > 0 ? extensions : result
  input.io.out(formatJson(await inlineFiles(shown)))
  return EXIT.ok
}

function toThrownRemote(thrown: unknown): never {
  throw thrown instanceof CallError ? toRemoteError(thrown) : thrown
}

/** One line per item; with --json also the progress and the result, each line saying which it is. */
async function printStream(
  { flags, io }: CommandInput,
  client: Client,
  call: { readonly name: string; readonly given: JsonObject; readonly options: CallOptions },
): Promise<number> {
  const print = (member: 'item' | 'progress' | 'result', value: unknown) => {
    if (flags['json']) io.out(`${JSON.stringify({ [member]: value })}\n`)
    else if (member === 'item') io.out(`${JSON.stringify(value)}\n`)
  }
  const stream = client.stream(call.name, call.given, {
    ...call.options,
    onProgress: (progress) => print('progress', progress),
  })
  try {
    for await (const item of stream) print('item', item)
    print('result', await stream.result())
    return EXIT.ok
  } catch (thrown) {
    if (thrown instanceof CallError) throw toRemoteError(thrown)
    throw thrown
  }
}

async function readArguments(
  input: CommandInput,
  client: Client,
  name: string,
  words: readonly string[],
): Promise<JsonObject> {
  const file = readTextFlag(input, 'args')
  if (file === undefined) {
    return parseArguments(words, mayLoseDigits(words) ? await readSchema(input, client, name) : {})
  }
  if (words.length > 0)
    throw new UsageError('give arguments either with --args or on the line, not both')
  return parseObject(readTextFile(file, input.io.cwd), `--args ${file}`)
}

/** Asks the service what arguments a function takes; one that does not say takes any. */
async function readSchema(input: CommandInput, client: Client, name: string): Promise<JsonSchema> {
  const version = readTextFlag(input, 'version')
  const { signal } = input.io
  const outcome = await client.discoverFunction(name, { signal, ...(version && { version }) })
  if (!outcome.ok) return {}
  const described = (outcome.result.arguments ?? []).filter((one) => 'schema' in one)
  const properties = described.map((one) => [one.name, one.schema])
  return { type: 'object', properties: Object.fromEntries(properties) }
}

function readDeadline(input: CommandInput): ReturnType<typeof parseDuration> | undefined {
  const text = readTextFlag(input, 'deadline')
  return text === undefined ? undefined : parseDuration(text, '--deadline')
}

function readExtensions(input: CommandInput): readonly RequestExtension[] {
  const scenario = readTextFlag(input, 'simulate')
  return [
    ...readListFlag(input, 'extension').map(parseExtension),
    ...(input.flags['async'] ? [{ urn: extensionUrn('async'), options: { preferred: true } }] : []),
    ...(input.flags['dry-run']
      ? [
          {
            urn: extensionUrn('dry-run'),
            options: { enabled: true, include_diff: true, include_side_effects: true },
          },
        ]
      : []),
    ...(scenario === undefined
      ? []
      : [{ urn: extensionUrn('simulation'), options: { enabled: true, scenario } }]),
  ]
}

function parseExtension(text: string): RequestExtension {
  const mark = text.indexOf('=')
  const urn = mark === -1 ? text : text.slice(0, mark)
  const full = urn.startsWith('urn:') ? urn : extensionUrn(urn)
  return mark === -1
    ? { urn: full }
    : { urn: full, options: parseObject(text.slice(mark + 1), `--extension ${urn}`) }
}
