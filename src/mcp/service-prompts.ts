import { toExampleArguments } from '../core/check-examples.ts'
import { isRecord } from '../core/json.ts'
import type { Service } from '../core/service.ts'
import { toToolName } from '../core/tool-name.ts'
import type { Environment } from './environment.ts'
import type { McpPrompt, PromptArgument } from './offer.ts'
import { type FunctionExample, listExamples } from './service-resources.ts'

/** Makes prompts of the example calls of functions. */
export function createServicePrompts(environment: Environment): () => readonly McpPrompt[] {
  const { service, catalogue } = environment
  let revision = -1
  let prompts: readonly McpPrompt[] = []
  return () => {
    const current = catalogue()
    if (current.revision !== revision) {
      revision = current.revision
      const names = new Map(current.tools.map(({ target, name }) => [target, name]))
      prompts = listExamples(service, current).map((example) =>
        toPrompt(example, names.get(example.target) ?? example.target.name, service),
      )
    }
    return prompts
  }
}

function toPrompt(example: FunctionExample, toolName: string, service: Service): McpPrompt {
  const { target, pairing, result } = example
  const values = toExampleArguments(target, pairing, service.components, (reason) => {
    throw new TypeError(`function ${target.name}: example ${pairing.name} ${reason}`)
  })
  return {
    name: toToolName(`${target.name}.${toSlug(pairing.name)}`),
    title: pairing.summary ?? pairing.name,
    description: pairing.description ?? pairing.summary ?? `An example call of ${target.name}`,
    arguments: Object.entries(values).map(([name, value]) => toGap(example, name, value)),
    get(given) {
      const input = { ...values, ...parseAll(given) }
      const question = `Use the tool ${toolName} with these arguments:\n${JSON.stringify(input, null, 2)}`
      const shown = result !== undefined && 'value' in result && Object.keys(given).length === 0
      return [
        { role: 'user', content: { type: 'text', text: question } },
        ...(shown
          ? [
              {
                role: 'assistant' as const,
                content: {
                  type: 'text' as const,
                  text: `It gives, for example:\n${JSON.stringify(result.value, null, 2)}`,
                },
              },
            ]
          : []),
      ]
    },
  }
}

function toGap({ target }: FunctionExample, name: string, value: unknown): PromptArgument {
  const text = toText(value)
  const { properties } = target.inputSchema
  const schema = isRecord(properties) ? properties[name] : undefined
  const choices = isRecord(schema) && Array.isArray(schema['enum']) ? schema['enum'] : [value]
  return {
    name,
    description: `${text.slice(0, 200)} when absent`,
    required: false,
    complete: (begun) => choices.map(toText).filter((choice) => choice.startsWith(begun)),
  }
}

/** Clients only send text: what reads as JSON is meant as JSON. */
function parseAll(given: Readonly<Record<string, string>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(given).map(([name, text]) => [name, parse(text)]))
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

function toSlug(name: string): string {
  return name.replace(/[^a-zA-Z0-9-]+/g, '-').replace(/^-|-$/g, '') || 'example'
}
