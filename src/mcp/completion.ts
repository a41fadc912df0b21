import { andThen, type Maybe } from '../core/maybe.ts'
import { readObject, requireText } from './decode.ts'
import type { Environment } from './environment.ts'
import { invalidParams } from './errors.ts'
import type { Exchange } from './exchange.ts'
import type { Methods } from './methods.ts'
import type { Prompts } from './prompts.ts'
import type { Resources } from './resources.ts'

const MOST_VALUES = 100

/** Makes the method that suggests values for arguments of prompts and variables of resource templates. */
export function createCompletion(
  { writer }: Environment,
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
  { params }: Exchange,
  prompts: Prompts,
  { templates }: Resources,
): Maybe<readonly string[]> {
  const reference = readObject(params, 'ref')
  const argument = readObject(params, 'argument')
  const name = requireText(argument, 'name')
  const value = requireText(argument, 'value')
  if (reference['type'] === 'ref/prompt') {
    const prompt = prompts.find(requireText(reference, 'name'))
    if (prompt === undefined) throw invalidParams('params.ref.name is no prompt of this server')
    return prompt.arguments?.find((gap) => gap.name === name)?.complete?.(value) ?? []
  }
  if (reference['type'] === 'ref/resource') {
    const uri = requireText(reference, 'uri')
    const template = templates.find(({ uriTemplate }) => uriTemplate === uri)
    return template?.complete?.(name, value) ?? []
  }
  throw invalidParams('params.ref.type must be "ref/prompt" or "ref/resource"')
}
