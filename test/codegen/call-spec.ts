import { CallError } from '../../src/errors/error.ts'
import {
  createToolFunctions,
  type ToolFunctionsOptions,
} from '../../src/sources/runtime/run-tool.ts'
import type { FieldDef, ToolDef, ToolSpec } from '../../src/sources/tool-spec/types.ts'
import type { RecordedRequest, RecordingServer } from './recording-server.ts'

/** Calls one tool of a spec the way the registry does, without the checks before it. */
export async function callSpec(
  spec: ToolSpec,
  args: Record<string, unknown> = {},
  options: ToolFunctionsOptions & { readonly tool?: string; readonly signal?: AbortSignal } = {},
): Promise<unknown> {
  const { tool = spec.tools[0]?.name, signal = new AbortController().signal, ...rest } = options
  const functions = createToolFunctions(spec, { sleep: async () => {}, ...rest })
  const found = functions.find((definition) => definition.name === `${spec.domain}.${tool}`)
  if (found === undefined) throw new TypeError(`no tool ${tool}`)
  return await found.handler({ input: args, signal } as never)
}

/** Waits for a call to fail and gives what it failed with. */
export async function failureOf(call: Promise<unknown>): Promise<CallError> {
  const thrown: unknown = await call.then(
    () => undefined,
    (reason: unknown) => reason,
  )
  if (thrown instanceof CallError) return thrown
  throw new TypeError('the call did not fail with a CallError', { cause: thrown })
}

/** Makes a spec of one GET tool at `/things`, changed as told. */
export function oneTool(
  baseUrl: string,
  tool: Partial<ToolDef>,
  spec: Partial<ToolSpec> = {},
): ToolSpec {
  return {
    domain: 'shop',
    base_url: baseUrl,
    ...spec,
    tools: [
      {
        name: 'do_it',
        description: 'Does it.',
        method: 'GET',
        path: '/things',
        ...tool,
      } as ToolDef,
    ],
  }
}

/** Calls a tool of a recording server and gives the last request that arrived there. */
export async function requestOf(
  server: Pick<RecordingServer, 'url' | 'requests'>,
  tool: Partial<ToolDef>,
  args: Record<string, unknown> = {},
): Promise<RecordedRequest> {
  await callSpec(oneTool(server.url, tool), args)
  const request = server.requests.at(-1)
  if (request === undefined) throw new TypeError('nothing was sent')
  return request
}

/** Makes a text field, changed as told. */
export function fieldOf(name: string, more: Partial<FieldDef> = {}): FieldDef {
  return { name, type: 'string', description: name, ...more }
}
