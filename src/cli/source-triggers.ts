import type { ToolSpec, TriggerDef } from '../spec/index.ts'

/** Reads the triggers of a tool spec that call something; a tool of the file goes by its full name. */
export function readSpecTriggers(
  { domain, tools, triggers = [] }: ToolSpec,
  reference: string,
): { readonly triggers: readonly TriggerDef[]; readonly unused: readonly string[] } {
  const own = new Set(tools.map(({ name }) => name))
  return {
    triggers: triggers.flatMap((trigger) => {
      const { tool = own.has(trigger.name) ? trigger.name : undefined } = trigger
      return tool === undefined
        ? []
        : [{ ...trigger, tool: own.has(tool) ? `${domain}.${tool}` : tool }]
    }),
    unused: triggers
      .filter(({ tool, name }) => tool === undefined && !own.has(name))
      .map(({ name }) => `${reference}: trigger ${name} does not run: it says no tool to call`),
  }
}
