import { DEFINITION_TARGETS } from '../../../codegen/index.ts'
import { type JsonSchema, jsonSchema, type TypedJsonSchema } from '../../../schema/index.ts'
import type { CommandInput } from '../../command.ts'
import type { GivenDocument } from './workshop.ts'

/** Which operations of an API description are meant. */
export interface FilterArguments {
  readonly pick?: readonly string[]
  readonly tag?: readonly string[]
  readonly path_prefix?: readonly string[]
  readonly method?: readonly string[]
  readonly exclude?: readonly string[]
  readonly read_only?: boolean
  readonly no_deprecated?: boolean
}

/** Where generated files belong. */
export interface OutputWish {
  readonly out?: string
  readonly write?: boolean
  readonly show?: readonly string[]
}

const text = (description: string, maxLength = 1000): JsonSchema => ({
  type: 'string',
  description,
  minLength: 1,
  maxLength,
})
const list = (description: string, maxItems = 100): JsonSchema => ({
  type: 'array',
  description,
  items: { type: 'string', minLength: 1, maxLength: 1000 },
  maxItems,
})
const yesNo = (description: string): JsonSchema => ({ type: 'boolean', description })

const FILE = text('Path of the file, under the folder of the server.')
const SPEC = text('Text of a tool spec (YAML), instead of a file.', 1_000_000)
const DOMAIN = text('Names the spec and its files: a letter, then letters, digits, - and _.', 32)

const FILTER = {
  pick: list('Only these: tool names, operation ids, * patterns, /path/prefixes, "GET /path".'),
  tag: list('Only operations with one of these tags.'),
  path_prefix: list('Only paths under one of these.'),
  method: list('Only these methods, such as GET.'),
  exclude: list('Without these, written as for pick.'),
  read_only: yesNo('Only GET and HEAD.'),
  no_deprecated: yesNo('Without deprecated operations.'),
}

const OUTPUT = {
  out: text('Folder the files belong to; the folder of the server when absent.'),
  write: yesNo(
    'Write the files instead of returning their text; only if the server was started with --allow-write. Files that somebody changed by hand are never overwritten.',
  ),
  show: list('Paths of the files whose text is wanted; when absent, of all that fit into 64 KiB.'),
}

const object = (properties: JsonSchema, required: readonly string[] = []): JsonSchema => ({
  type: 'object',
  properties,
  additionalProperties: false,
  ...(required.length > 0 && { required }),
})

/** Arguments of forge_propose_tools. */
export const PROPOSE: TypedJsonSchema<{
  readonly prompt: string
  readonly docs?: readonly string[]
  readonly domain?: string
}> = jsonSchema(
  object(
    {
      prompt: text('What the tools should do, in words.', 20_000),
      docs: list('Documentation for the model: files and folders under that of the server.', 20),
      domain: DOMAIN,
    },
    ['prompt'],
  ),
)

/** Arguments of forge_generate_tools. */
export const GENERATE: TypedJsonSchema<
  GivenDocument &
    FilterArguments &
    OutputWish & { readonly domain?: string; readonly target?: string }
> = jsonSchema(
  object({
    file: FILE,
    spec: SPEC,
    ...FILTER,
    domain: DOMAIN,
    target: {
      enum: ['ts', ...DEFINITION_TARGETS],
      description: 'TypeScript (ts, when absent), or tool definitions as JSON.',
    },
    ...OUTPUT,
  }),
)

/** Arguments of forge_list_operations. */
export const LIST: TypedJsonSchema<{ readonly file: string } & FilterArguments> = jsonSchema(
  object({ file: FILE, ...FILTER }, ['file']),
)

/** Arguments of forge_compose. */
export const COMPOSE: TypedJsonSchema<
  OutputWish & {
    readonly name: string
    readonly files: readonly string[]
    readonly standalone?: boolean
    readonly description?: string
    readonly prefix?: string
    readonly rename?: readonly string[]
  }
> = jsonSchema(
  object(
    {
      name: text('Name of the agent, such as ops-bot.', 64),
      files: { ...list('Tool specs and API descriptions.', 50), minItems: 1 },
      standalone: yesNo('A whole project that installs and starts, instead of the code alone.'),
      description: text('What the agent is for; made from its tools when absent.'),
      prefix: {
        enum: ['domain', 'clash'],
        description: 'Puts the domain before all tool names, or before those that clash.',
      },
      rename: list('Other names, such as zendesk:create_ticket=open_ticket.'),
      ...OUTPUT,
      out: text('Folder of the agent; one named like it when absent.'),
    },
    ['name', 'files'],
  ),
)

/** Arguments of forge_validate. */
export const VALIDATE: TypedJsonSchema<GivenDocument & { readonly strict_seed?: boolean }> =
  jsonSchema(
    object({
      file: FILE,
      spec: SPEC,
      strict_seed: yesNo('Extensions of the original format count as errors.'),
    }),
  )

/** Gives arguments the names that the flags of the command line have. */
export function toFlags(args: object): CommandInput['flags'] {
  const entries = Object.entries(args) as [string, CommandInput['flags'][string]][]
  return Object.fromEntries(entries.map(([name, value]) => [name.replaceAll('_', '-'), value]))
}
