import { isRecord, type JsonObject } from '../core/json.ts'
import { andThen } from '../core/maybe.ts'
import { selectPage } from './cursor.ts'
import { readObject, requireText } from './decode.ts'
import type { Environment } from './environment.ts'
import { invalidParams } from './errors.ts'
import type { Methods } from './methods.ts'
import type { McpPrompt } from './offer.ts'
import { runReader } from './reader.ts'
import { encodePage } from './resources.ts'
import { createServicePrompts } from './service-prompts.ts'

/** What people can choose from a menu. */
export interface Prompts {
  readonly methods: Methods
  readonly find: (name: string) => McpPrompt | undefined
}

/** Makes the methods that list and get prompts. */
export function createPrompts(environment: Environment): Prompts {
  const { options, writer, pageSize, cacheMs } = environment
  const { prompts: offered = [] } = options
  const examples = createServicePrompts(environment)
  const all = (): readonly McpPrompt[] => [
    ...(typeof offered === 'function' ? offered() : offered),
    ...examples(),
  ]
  const find = (name: string) => all().find((prompt) => prompt.name === name)

  return {
    find,
    methods: {
      'prompts/list': ({ era, params }) => {
        const page = selectPage(all(), params['cursor'], pageSize, ({ name }) => name)
        const items = page.items.map(({ arguments: gaps, ...prompt }) => ({
          ...prompt,
          ...(gaps && { arguments: gaps.map(({ complete: _complete, ...gap }) => gap) }),
        }))
        return writer.cacheable(era, encodePage('prompts', items, page.nextCursor), cacheMs)
      },
      'prompts/get': (exchange) => {
        const name = requireText(exchange.params, 'name')
        const prompt = find(name)
        if (prompt === undefined) throw invalidParams(`Unknown prompt: ${name.slice(0, 100)}`)
        const values = readValues(prompt, readObject(exchange.params, 'arguments'))
        return runReader(environment, exchange, (reader) =>
          andThen(prompt.get(values, reader), (messages) => {
            const description =
              prompt.description === undefined
                ? ''
                : `"description":${JSON.stringify(prompt.description)},`
            return writer.complete(
              exchange.era,
              `${description}"messages":${JSON.stringify(messages)}`,
            )
          }),
        )
      },
    },
  }
}

function readValues(prompt: McpPrompt, input: JsonObject): Readonly<Record<string, string>> {
  const missing = (prompt.arguments ?? []).filter(
    ({ name, required }) => required && !Object.hasOwn(input, name),
  )
  if (missing.length > 0) {
    const names = missing.map(({ name }) => name).join(', ')
    throw invalidParams(`Prompt ${prompt.name} needs the arguments ${names}`)
  }
  const values = Object.entries(input)
  const wrong = values.find(([, value]) => typeof value !== 'string')
  if (wrong !== undefined) throw invalidParams(`params.arguments.${wrong[0]} must be a string`)
  return isRecord(input) ? (input as Record<string, string>) : {}
}
