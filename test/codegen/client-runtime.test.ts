import { expect, it } from 'vitest'
import { buildClientRuntime } from './client-runtime.ts'

it('generated clients carry src/client as it is', async () => {
  await expect(await buildClientRuntime()).toMatchFileSnapshot(
    '../../src/codegen/typed-client/client-runtime.gen.ts',
  )
})
