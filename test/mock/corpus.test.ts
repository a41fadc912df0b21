import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CORPUS_FOLDER } from '../../scripts/corpus.ts'
import { compileSchema, findSchemaMistakes } from '../../src/core/json-schema.ts'
import type { JsonSchema } from '../../src/core/schema.ts'
import { createValueMaker } from '../../src/mock/value.ts'
import { importOpenApi, parseDocument } from '../../src/openapi/index.ts'
import { createToolFunctions } from '../../src/runtime/index.ts'
import { checkToolSpec } from '../../src/spec/index.ts'

const LARGEST_BYTES = 100_000
const files = existsSync(CORPUS_FOLDER)
  ? readdirSync(CORPUS_FOLDER)
      .map((name) => join(CORPUS_FOLDER, name))
      .filter((file) => statSync(file).isFile() && statSync(file).size < LARGEST_BYTES)
  : []

/** The named schemas of a document, which its results are made of, and the arguments of its tools. */
function schemasOf(file: string): readonly (readonly [string, JsonSchema, Named])[] {
  const parsed = parseDocument(readFileSync(file, 'utf8'), { file })
  if (!parsed.ok) return []
  const document = parsed.document as { components?: { schemas?: Named }; definitions?: Named }
  const own = document.components?.schemas ?? document.definitions ?? {}
  const shared = JSON.parse(
    JSON.stringify(own).replaceAll('"#/definitions/', '"#/components/schemas/'),
  ) as Named
  const named = Object.entries(shared).map(([name, schema]) => [name, schema, shared] as const)
  const imported = importOpenApi(parsed.document, { file })
  const checked = imported.ok ? checkToolSpec(imported.spec, { file }) : undefined
  const inputs = checked?.ok ? createToolFunctions(checked.spec, { env: {} }) : []
  return [...named, ...inputs.map(({ name, input }) => [name, input as JsonSchema, {}] as const)]
}

type Named = Readonly<Record<string, JsonSchema>>

// Written in another dialect than their document says, they are refused before anybody makes a value.
const isSound = (schema: JsonSchema, shared: Named) =>
  findSchemaMistakes(schema, shared).length === 0 &&
  !JSON.stringify(shared).includes('"#/components/parameters/')

/** Nothing meets this one: it allows no members beside those it takes from elsewhere, which are all it has. */
const IMPOSSIBLE = 'TransactionMetadataList'

describe.skipIf(files.length === 0)('schemas of real APIs', () => {
  it('get values that pass them', () => {
    const failures: string[] = []
    let made = 0
    for (const file of files) {
      for (const [name, schema, schemas] of schemasOf(file)) {
        if (name === IMPOSSIBLE || !isSound(schema, schemas)) continue
        try {
          const value = createValueMaker(schema, { schemas }).make('1')
          const checked = compileSchema(schema, { components: { schemas } })(value)
          if (checked.ok) made += 1
          else failures.push(`${file} ${name}: ${JSON.stringify(checked.problems)}`)
        } catch (thrown) {
          failures.push(`${file} ${name}: ${String(thrown)}`)
        }
      }
    }
    expect(failures).toEqual([])
    expect(made).toBeGreaterThan(1_000)
  }, 60_000)
})
