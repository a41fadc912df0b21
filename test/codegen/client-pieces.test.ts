import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { formatRuntimePieces, readRuntimePieces } from './runtime-pieces.ts'

const FILES = [
  'contract',
  'method',
  'links',
  'query',
  'operation',
  'stream',
  'fetch-connection',
  'fetch-stream',
  'sse',
  '../../../core/exact-json',
]

it('generated clients carry src/codegen/typed-client/parts as they are', async () => {
  const directory = fileURLToPath(new URL('../../src/codegen/typed-client/parts', import.meta.url))
  const text = formatRuntimePieces(readRuntimePieces(directory, FILES), {
    made: 'src/codegen/typed-client/parts by test/codegen/client-pieces.test.ts',
    constant: 'CLIENT_PIECES',
    type: "import type { RuntimePiece } from '../runtime-pieces.gen.ts'",
  })
  await expect(text).toMatchFileSnapshot('../../src/codegen/typed-client/client-pieces.gen.ts')
})
