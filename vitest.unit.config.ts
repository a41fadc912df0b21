import { readdirSync, readFileSync } from 'node:fs'
import { defineConfig } from 'vitest/config'
import base from './vitest.config.ts'

/** What takes a file out of the quick run: servers, brokers and child processes, or tests that do nothing but wait for them. */
const OUTSIDE =
  /node:child_process|\/faults\/|listAllStores|support\/(?:brokers|event-buses|waymark-process|built-package|interplay)\.ts/

/** Files that need nothing but take long; each with its reason in CONTRIBUTING.md. */
export const SLOW: readonly string[] = [
  'src/cli/**',
  'src/sources/openapi/corpus.test.ts',
  'src/sources/openapi/fuzz.test.ts',
  'src/sources/openapi/mutants.test.ts',
  'src/surfaces/forrst/fuzz.test.ts',
  'src/triggers/create-triggers.test.ts',
  'src/triggers/file/file.test.ts',
]

export default defineConfig({
  ...base,
  test: {
    ...base.test,
    include: ['src/**/*.test.ts'],
    exclude: [...SLOW, ...listOutside()],
    // Files share the modules that a worker has loaded; loading them anew for each file takes longer than the tests.
    isolate: false,
  },
})

function listOutside(): readonly string[] {
  return readdirSync('src', { recursive: true, encoding: 'utf8' })
    .map((file) => `src/${file}`)
    .filter((file) => file.endsWith('.test.ts') && OUTSIDE.test(readFileSync(file, 'utf8')))
}
