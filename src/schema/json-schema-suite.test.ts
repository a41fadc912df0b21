import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { compileSchema } from './compile.ts'
import { DIALECT_URIS, to202012, toDraft7 } from './dialect.ts'
import type { JsonSchema, Validation } from './schema.ts'
import type { Subschema } from './walk/index.ts'

const SUITE = join(import.meta.dirname, '../../../shared/fixtures/json-schema')
const hasSuite = existsSync(SUITE)

interface Group {
  readonly description: string
  readonly schema: Subschema
  readonly tests: readonly {
    readonly description: string
    readonly data: unknown
    readonly valid: boolean
  }[]
}

/** Required tests that are known to fail. A test that starts or stops failing changes this list. */
const KNOWN_FAILURES: readonly string[] = []

/** Files about keywords that draft 7 does not have. */
const BEYOND_DRAFT_7 = new Set([
  'dynamicRef.json',
  'maxContains.json',
  'minContains.json',
  'unevaluatedItems.json',
  'unevaluatedProperties.json',
  'vocabulary.json',
])

const UNSAYABLE_IN_DRAFT_7: readonly string[] = [
  // Draft 7 writes the anchor into $id; TypeBox does not look for it behind an absolute address.
  'draft2020-12/anchor.json: Location-independent identifier with absolute URI: match',
  // unevaluatedProperties beside a $ref has no counterpart.
  "draft2020-12/not.json: collect annotations inside a 'not', even if collection is disabled: unevaluated property",
]

const UNSAYABLE_IN_2020_12: readonly string[] = [
  // A pointer that crosses an $id has no meaning in 2020-12.
  'draft7/refRemote.json: base URI change - change folder in subschema: number is valid',
]

describe.skipIf(!hasSuite)('JSON Schema test suite (needs ../shared/fixtures/json-schema)', () => {
  const definitions = hasSuite ? readRemotes() : {}

  it.each(['draft2020-12', 'draft7'])('passes the required tests of %s', (draft) => {
    const outcome = runSuite(draft, (schema) => {
      const announced = announce(schema, draft)
      // The first value of a check is interpreted, later ones meet compiled code; both must be right.
      const compiled = compileSchema(announced, { definitions, now: true })
      return (value) => [compiled(value), compileSchema(announced, { definitions })(value)]
    })
    expect(outcome.failures).toEqual(KNOWN_FAILURES)
    expect(outcome.total).toBeGreaterThan(draft === 'draft7' ? 900 : 1200)
  })

  it('keeps the meaning of 2020-12 schemas written as draft 7', () => {
    const outcome = runSuite('draft2020-12', (schema, file) => {
      if (BEYOND_DRAFT_7.has(file)) return undefined
      const check = compileSchema(announce(toDraft7(withoutDialect(schema)), 'draft7'), {
        definitions,
      })
      return (value) => [check(value)]
    })
    expect(outcome.failures).toEqual(UNSAYABLE_IN_DRAFT_7)
    expect(outcome.total).toBeGreaterThan(700)
  })

  it('keeps the meaning of draft 7 schemas written as 2020-12', () => {
    const outcome = runSuite('draft7', (schema) => {
      const check = compileSchema(to202012(withoutDialect(schema)), { definitions })
      return (value) => [check(value)]
    })
    expect(outcome.failures).toEqual(UNSAYABLE_IN_2020_12)
  })
})

function runSuite(draft: string, compile: (schema: Subschema, file: string) => Check | undefined) {
  const folder = join(SUITE, 'tests', draft)
  const failures: string[] = []
  let total = 0
  for (const file of readdirSync(folder).filter((name) => name.endsWith('.json'))) {
    for (const group of readJson(join(folder, file)) as readonly Group[]) {
      const check = compile(group.schema, file)
      if (check === undefined) continue
      for (const { description, data, valid } of group.tests) {
        total += 1
        if (check(data).some(({ ok }) => ok !== valid)) {
          failures.push(`${draft}/${file}: ${group.description}: ${description}`)
        }
      }
    }
  }
  return { failures, total }
}

type Check = (value: unknown) => readonly Validation[]

/** Few schemas of the draft 7 suite announce their dialect; the folder does. */
function announce(schema: Subschema, draft: string): Subschema {
  return draft === 'draft7' && typeof schema === 'object' && !('$schema' in schema)
    ? { $schema: DIALECT_URIS['draft-07'], ...schema }
    : schema
}

function withoutDialect(schema: Subschema): Subschema {
  if (typeof schema === 'boolean') return schema
  const { $schema: _, ...rest } = schema
  return rest
}

function readRemotes(): Record<string, JsonSchema> {
  const folder = join(SUITE, 'remotes')
  const entries = listFiles(folder).map((path): [string, JsonSchema] => [
    `http://localhost:1234/${path.slice(folder.length + 1)}`,
    readJson(path) as JsonSchema,
  ])
  return Object.fromEntries(entries)
}

function listFiles(folder: string): readonly string[] {
  return readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    return statSync(path).isDirectory() ? listFiles(path) : [path]
  })
}

function readJson(path: string): unknown {
  return JSON.parse(readFileSync(path, 'utf8'))
}
