import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const SRC = new URL('../src/', import.meta.url).pathname

// On Node 20 a signal made by AbortSignal.any is kept by its sources as long as they live, and with it the arguments of
// every call that it was made for. `openScope` of values/abort.ts releases them.
it('follows several signals only through the helper that releases them', () => {
  const files = readdirSync(SRC, { recursive: true, encoding: 'utf8' })
  const using = files
    .filter((file) => file.endsWith('.ts') && !/\.test(-d)?\.ts$/.test(file))
    .filter((file) => readFileSync(join(SRC, file), 'utf8').includes('AbortSignal.any('))
  expect(using).toEqual([])
})
