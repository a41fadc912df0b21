import { defineFunction, type FunctionDefinition } from '../../core/index.ts'
import { firstSentence, runHandler } from './run-tool.ts'
import type { ToolDefinition } from './tool-definition.ts'

/**
 * Makes ordinary functions of generated tools, named `<domain>.<tool>`.
 *
 * @example
 * createService({ info, functions: toFunctions('orchard', orchard_tools) })
 */
export function toFunctions(
  domain: string,
  tools: readonly ToolDefinition[],
): FunctionDefinition[] {
  return tools.map(({ name, description, parameters, tags = [], annotations, handler }) =>
    defineFunction({
      name: `${domain}.${name}`,
      version: '1.0.0',
      summary: firstSentence(description),
      description,
      input: { ...parameters },
      ...toEffects(annotations),
      ...(tags.length > 0 && { tags: tags.map((tag) => ({ name: tag })) }),
      handler: ({ input, signal }) => runHandler(handler, input, signal),
    }),
  )
}

/** The side effects that give these hints again. */
function toEffects(
  hints: ToolDefinition['annotations'],
): Pick<FunctionDefinition, 'readOnly' | 'sideEffects'> {
  if (hints?.readOnlyHint === undefined) return {}
  if (hints.readOnlyHint) return { readOnly: true }
  const reachesOut = hints.openWorldHint ? ['external_api_call'] : []
  return { sideEffects: [hints.destructiveHint ? 'update' : 'create', ...reachesOut] }
}
