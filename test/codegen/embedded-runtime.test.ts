import { describe, expect, it } from 'vitest'
import { buildRuntimeModule } from './embedded-runtime.ts'

describe('generated files carry the code of this package as it is', () => {
  it('clients: src/client', async () => {
    const text = await buildRuntimeModule({
      constant: 'CLIENT_RUNTIME',
      path: '../',
      entry: 'client/methods/runtime.ts',
      runtime: 'clientRuntime',
      typeFiles: [
        'client/methods/method.ts',
        'client/methods/query.ts',
        'client/methods/runtime.ts',
        'client/settings.ts',
        'client/stream.ts',
        'client/operation.ts',
        'client/retry.ts',
        'client/transport.ts',
        'core/call.ts',
        'values/time.ts',
        'errors/error.ts',
        'values/json.ts',
        'values/maybe.ts',
        'wire/envelope.ts',
      ],
      roots: [
        'CallOptions',
        'ClientRuntime',
        'Method',
        'QueryConditions',
        'QueryFilter',
        'Queryable',
        'Startable',
        'StreamOptions',
        'Streamable',
      ],
    })
    await expect(text).toMatchFileSnapshot('../../src/codegen/typed-client/client-runtime.gen.ts')
  })

  it('tools: src/sources/runtime', async () => {
    const text = await buildRuntimeModule({
      constant: 'TOOL_RUNTIME',
      path: './',
      entry: 'sources/runtime/generated.ts',
      runtime: 'toolRuntime',
      typeFiles: [
        'sources/runtime/tool-definition.ts',
        'sources/runtime/call-tool.ts',
        'sources/runtime/check-arguments.ts',
        'sources/runtime/tool-error.ts',
        'sources/runtime/operation.ts',
        'sources/runtime/generated.ts',
      ],
      roots: ['ToolRuntime'],
      exported: [
        'ArgumentSchema',
        'ToolContext',
        'ToolDefinition',
        'ToolDescription',
        'ToolError',
        'ToolErrorReason',
        'ToolHttpError',
      ],
    })
    await expect(text).toMatchFileSnapshot('../../src/codegen/tool-runtime.gen.ts')
  })
})
