import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { formatRuntimePieces, readRuntimePieces } from './runtime-pieces.ts'

it('generated code carries the runtime as it is in src/sources/runtime', async () => {
  const directory = fileURLToPath(new URL('../../src/sources/runtime', import.meta.url))
  const text = formatRuntimePieces(readRuntimePieces(directory))
  await expect(text).toMatchFileSnapshot('../../src/codegen/runtime-pieces.gen.ts')
})
