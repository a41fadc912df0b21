import { createService } from '../../src/entries/waymark.ts'
import { createToolCaller } from '../../src/sources/runtime/call-tool.ts'
import { toInputSchema } from '../../src/sources/runtime/input-schema.ts'
import { createToolFunctions } from '../../src/sources/runtime/run-tool.ts'
import { toApiOperation } from '../../src/sources/runtime/to-operation.ts'
import { ToolError } from '../../src/sources/runtime/tool-error.ts'
import type { ToolDef, ToolSpec } from '../../src/sources/tool-spec/types.ts'
import { toText } from '../../src/values/json.ts'
import { sampleArguments } from '../../test/codegen/sample-arguments.ts'

/** Serves a spec and calls each of its tools; gives what must not happen. */
export async function callTools(spec: ToolSpec): Promise<string[]> {
  const failures: string[] = []
  try {
    const functions = createToolFunctions(spec)
    createService({ info: { title: spec.domain, version: '1.0.0' }, functions })
  } catch (thrown) {
    failures.push(`serve: ${describe(thrown)}`)
  }
  for (const tool of spec.tools) failures.push(...(await callTool(spec, tool)))
  return failures
}

/** Every variable is set: addresses to a host that is never asked, the rest to a credential. */
const environment: Record<string, string> = new Proxy(
  {},
  {
    get: (_target, name) =>
      /_(URL|HOST|SERVER)$/.test(String(name)) ? 'https://api.example.com/base' : 'secret',
  },
)

/** Takes every request that could be sent, and answers as an API and as a token endpoint. */
const answer: typeof fetch = async (input, init) => {
  new Request(input, init)
  return Response.json({ access_token: 'token' })
}

async function callTool(spec: ToolSpec, tool: ToolDef): Promise<string[]> {
  try {
    const operation = toApiOperation(spec, tool)
    if (operation === undefined) return [`${tool.name}: no HTTP tool`]
    const args = sampleArguments(toInputSchema(tool))
    await createToolCaller({ fetch: answer, env: environment, retries: 0 })(operation, args)
    return []
  } catch (thrown) {
    // What is refused with a reason is fine; a request that cannot be made is not.
    const isRefusal = thrown instanceof ToolError && /^(setup|arguments)$/.test(thrown.reason)
    return isRefusal ? [] : [`call ${tool.name}: ${describe(thrown)}`]
  }
}

function describe(thrown: unknown): string {
  if (!(thrown instanceof Error)) return toText(thrown)
  const cause = thrown.cause instanceof Error ? ` (${thrown.cause.message})` : ''
  return `${thrown instanceof ToolError ? thrown.message : thrown.stack}${cause}`
}
