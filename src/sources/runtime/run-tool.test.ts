import { describe, expect, it } from 'vitest'
import { callSpec, failureOf, oneTool } from '../../../test/codegen/call-spec.ts'
import { useRecordingServer } from '../../../test/codegen/recording-server.ts'
import { createClient } from '../../client/client.ts'
import { createLocalTransport } from '../../client/local-transport.ts'
import type { CallOutcome } from '../../client/outcome.ts'
import { createForrstHandler } from '../../surfaces/forrst/handler.ts'
import { createService } from '../../system/create-service.ts'
import type { ToolDef, ToolSpec } from '../tool-spec/types.ts'
import { createPublicOnlyFetch } from './public-only.ts'
import { createToolFunctions, firstSentence, type ToolFunctionsOptions } from './run-tool.ts'

const api = useRecordingServer()

/** Calls a function of a spec the way other services do: through the protocol, checks included. */
async function dispatch(
  spec: ToolSpec,
  args: Record<string, unknown>,
  options: ToolFunctionsOptions = {},
): Promise<CallOutcome> {
  const service = createService({
    info: { title: 'Shop', version: '1.0.0' },
    functions: createToolFunctions(spec, options),
  })
  const transport = createLocalTransport(createForrstHandler(service))
  return createClient({ transport, retry: false, name: 'test' }).call(
    `${spec.domain}.${spec.tools[0]?.name}`,
    args,
  )
}

const params: ToolDef['params'] = [
  { name: 'kind', type: 'string', enum: ['apple', 'pear'], required: true, description: 'Kind.' },
  { name: 'count', type: 'integer', minimum: 1, default: 3, description: 'Count.' },
]

describe('tools of a spec are functions like any other', () => {
  it('[TS-45] answer through a service with their defaults filled in', async () => {
    expect(await dispatch(oneTool(api.url, { params }), { kind: 'pear' })).toMatchObject({
      ok: true,
      result: { ok: true },
    })
    expect(api.requests[0]?.url).toBe('/things?kind=pear&count=3')
  })

  it.each([
    [{ kind: 'cherry' }, '/call/arguments/kind'],
    [{}, '/call/arguments'],
    [{ kind: 'pear', count: 1.5 }, '/call/arguments/count'],
    [{ kind: 'pear', count: 0 }, '/call/arguments/count'],
  ])('[TS-38] [TS-45] refuse %j before anything is sent', async (args, pointer) => {
    const outcome = await dispatch(oneTool(api.url, { params }), args)
    expect(outcome).toMatchObject({ ok: false, errors: [{ code: 'INVALID_ARGUMENTS' }] })
    expect(!outcome.ok && JSON.stringify(outcome.errors[0].source)).toContain(pointer)
    expect(api.requests).toEqual([])
  })

  it('fail with the code of what the upstream said', async () => {
    api.answer({ status: 404, body: {} })
    expect(await dispatch(oneTool(api.url, { params }), { kind: 'pear' })).toMatchObject({
      ok: false,
      errors: [{ code: 'NOT_FOUND', details: { upstream_status: 404 } }],
    })
  })

  it('[TS-28] say what the spec says, with side effects by method', () => {
    const define = (tool: Partial<ToolDef>) => createToolFunctions(oneTool(api.url, tool))[0]
    expect(
      define({ description: 'Reads. And more.', tags: ['a'], deprecated: true }),
    ).toMatchObject({
      name: 'shop.do_it',
      version: '1.0.0',
      summary: 'Reads.',
      description: 'Reads. And more.',
      readOnly: true,
      tags: [{ name: 'a' }],
      deprecated: { reason: expect.any(String) },
    })
    expect(define({ method: 'POST' })?.sideEffects).toEqual(['create', 'external_api_call'])
    expect(define({ method: 'DELETE' })?.sideEffects).toEqual(['delete', 'external_api_call'])
    expect(define({ method: 'POST', read_only: true })?.readOnly).toBe(true)
    expect(define({ method: 'POST', destructive: true })?.sideEffects).toContain('update')
  })

  it('[TS-5] do not depend on the version of the spec', () => {
    const [one] = createToolFunctions(oneTool(api.url, {}, { version: '1' }))
    const [two] = createToolFunctions(oneTool(api.url, {}, { version: '2' }))
    expect(JSON.stringify(one)).toBe(JSON.stringify(two))
  })

  it('cut a summary to one short sentence', () => {
    expect(firstSentence('One. Two.')).toBe('One.')
    expect(firstSentence('e.g. this\nand that')).toBe('e.g.')
    expect(firstSentence('x'.repeat(200))).toHaveLength(120)
  })
})

describe('tools that are not HTTP calls', () => {
  const spec: ToolSpec = {
    domain: 'shop',
    tools: [{ name: 'do_it', description: 'Does it.', params }],
  }

  it('[TS-20] run the code they are given', async () => {
    const handlers = { do_it: (args: object) => ({ got: args }) }
    expect(await dispatch(spec, { kind: 'pear' }, { handlers })).toMatchObject({
      ok: true,
      result: { got: { kind: 'pear', count: 3 } },
    })
  })

  it('[TS-20] say that there is none', async () => {
    expect(await dispatch(spec, { kind: 'pear' })).toMatchObject({
      ok: false,
      errors: [{ code: 'FUNCTION_DISABLED' }],
    })
  })
})

describe('public addresses only', () => {
  it('refuses what leads to this machine, and says so', async () => {
    const options = { fetch: createPublicOnlyFetch(), retries: 0 }
    const error = await failureOf(callSpec(oneTool(api.url, {}), {}, options))
    expect(error.message).toContain('address_refused')
    expect(api.requests).toEqual([])
  })

  it('sends and reads like fetch where it is allowed', async () => {
    const fetchLocal = createPublicOnlyFetch({ allowLoopback: true })
    const body: ToolDef['body'] = [
      { name: 'f', type: 'string', format: 'binary', description: 'f' },
    ]
    const tool: Partial<ToolDef> = { method: 'POST', content_type: 'multipart', body }
    const answer = await callSpec(oneTool(api.url, tool), { f: 'AAE=' }, { fetch: fetchLocal })
    expect(answer).toEqual({ ok: true })
    expect(api.requests[0]?.headers['content-type']).toContain('multipart/form-data')
  })
})
