import { compileSchema, type JsonSchema, withNullLeftOut } from '../../../schema/index.ts'
import {
  checkArguments,
  type HttpTool,
  type ToolArguments,
  ToolError,
} from '../../../sources/runtime/index.ts'
import { type JsonObject, ownMember, parsePointer } from '../../../values/index.ts'
import { type CommandInput, formatSuggestion, UsageError } from '../../command.ts'
import { readTextFlag } from '../../flags.ts'
import { parseArguments, parseObject } from '../../parse-arguments.ts'
import { nameFirst } from '../../print.ts'
import { readTextFile } from '../../read-json.ts'

/** Reads the arguments of a call from the line or from `--args`. */
export function readArguments(
  { name, parameters }: HttpTool,
  words: readonly string[],
  input: CommandInput,
): JsonObject {
  const given = readTextFlag(input, 'args')
  if (given !== undefined && words.length > 0) {
    throw new UsageError('give arguments either with --args or on the line, not both')
  }
  const properties = parameters.properties ?? {}
  const args =
    given === undefined
      ? keepTexts(parseArguments(words, { ...parameters }), words, properties)
      : parseObject(isInline(given) ? given : readTextFile(given, input.io.cwd), '--args')
  const known = Object.keys(properties)
  for (const key of Object.keys(args)) {
    if (known.includes(key)) continue
    const takes = known.length === 0 ? 'no arguments' : nameFirst(known, 12)
    const hint = formatSuggestion(key, known) || ` It takes ${takes}.`
    throw new UsageError(`${name} has no argument "${key}".${hint}`)
  }
  return args
}

/** Checks arguments as a served tool does, costly patterns included, and fills in the defaults of the spec. */
export async function checkAsServed(
  { name, parameters }: HttpTool,
  schema: JsonSchema,
  given: JsonObject,
): Promise<ToolArguments> {
  const args = checkArguments(name, parameters, given)
  const check = withNullLeftOut(compileSchema(schema, { safeIntegers: true }), schema)
  const checked = await check(args)
  if (checked.ok) return args
  const problems = checked.problems.map(({ pointer, message }) => {
    return `${(parsePointer(pointer) ?? []).join('.') || 'arguments'} ${message}`
  })
  const message = `${name}: ${problems.slice(0, 5).join('; ')}`
  throw new ToolError(name, 'arguments', message, { problems })
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
