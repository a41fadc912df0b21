import { viewOf } from '../../core/index.ts'
import { andThen, isRecord, type JsonObject, type Maybe } from '../../values/index.ts'
import { readObject, requireText } from './decode.ts'
import type { McpEnvironment } from './environment.ts'
import { invalidParams } from './errors.ts'
import type { McpPrompt } from './offer.ts'
import type { McpExchange, Methods } from './protocol.ts'
import { runReader, selectPage } from './reader.ts'
import { encodePage, type Resources, toGetter } from './resources.ts'
import { createServicePrompts } from './service-resources.ts'

/** What people can choose from a menu. */
export interface Prompts {
  readonly methods: Methods
  readonly find: (name: string, exchange: McpExchange) => McpPrompt | undefined
}

/** Makes the methods that list and get prompts. */
export function createPrompts(environment: McpEnvironment): Prompts {
  const { options, writer, pageSize, cacheMs, service } = environment
  const offered = toGetter(options.prompts)
  const examples = createServicePrompts(environment)
  const all = ({ principal }: McpExchange): readonly McpPrompt[] => [
    ...offered(),
    ...examples(viewOf(service, principal)),
  ]
  const find: Prompts['find'] = (name, exchange) =>
    all(exchange).find((prompt) => prompt.name === name)

  return {
    find,
    methods: {
      'prompts/list': (exchange) => {
        const { era, params } = exchange
        const page = selectPage(all(exchange), params['cursor'], pageSize, ({ name }) => name)
        const items = page.items.map(({ arguments: gaps, ...prompt }) => ({
          ...prompt,
          ...(gaps && { arguments: gaps.map(({ complete: _complete, ...gap }) => gap) }),
        }))
        return writer.cacheable(era, encodePage('prompts', items, page.nextCursor), cacheMs)
      },
      'prompts/get': (exchange) => {
        const name = requireText(exchange.params, 'name')
        const prompt = find(name, exchange)
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

/** Keeps the texts; what a client chose before is a help, not a demand. */
function readTexts(input: JsonObject): Readonly<Record<string, string>> {
  return Object.fromEntries(
    Object.entries(input).flatMap(([name, value]) =>
      typeof value === 'string' ? [[name, value]] : [],
    ),
  )
}

const MOST_VALUES = 100

/** Makes the method that suggests values for arguments of prompts and variables of resource templates. */
export function createCompletion(
  { writer }: McpEnvironment,
  prompts: Prompts,
  resources: Resources,
): Methods {
  return {
    'completion/complete': (exchange) =>
      andThen(suggest(exchange, prompts, resources), (values) =>
        writer.complete(
          exchange.era,
          `"completion":${JSON.stringify({
            values: values.slice(0, MOST_VALUES),
            total: values.length,
            hasMore: values.length > MOST_VALUES,
          })}`,
        ),
      ),
  }
}

function suggest(
  exchange: McpExchange,
  prompts: Prompts,
  { templates }: Resources,
): Maybe<readonly string[]> {
  const { params, principal } = exchange
  const reference = readObject(params, 'ref')
  const argument = readObject(params, 'argument')
  const name = requireText(argument, 'name')
  const value = requireText(argument, 'value')
  const given = readTexts(readObject(readObject(params, 'context'), 'arguments'))
  if (reference['type'] === 'ref/prompt') {
    const prompt = prompts.find(requireText(reference, 'name'), exchange)
    if (prompt === undefined) throw invalidParams('params.ref.name is not a prompt of this server')
    return prompt.arguments?.find((gap) => gap.name === name)?.complete?.(value, given) ?? []
  }
  if (reference['type'] === 'ref/resource') {
    const uri = requireText(reference, 'uri')
    const template = templates().find(({ uriTemplate }) => uriTemplate === uri)
    return template?.complete?.(name, value, principal, given) ?? []
  }
  throw invalidParams('params.ref.type must be "ref/prompt" or "ref/resource"')
}
