import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { CORPUS_FOLDER } from '../../scripts/corpus.ts'
import { addResponses } from '../../src/change/mock/openapi-results.ts'
import { createValueMaker } from '../../src/change/mock/value.ts'
import { buildDocument } from '../../src/discovery/document.ts'
import { importOpenApi, parseDocument } from '../../src/entries/openapi.ts'
import { createToolFunctions } from '../../src/entries/runtime.ts'
import { checkToolSpec } from '../../src/entries/tool-spec.ts'
import { compileSchema, findSchemaMistakes } from '../../src/schema/compile.ts'
import type { JsonSchema } from '../../src/schema/schema.ts'
import { createService } from '../../src/system/create-service.ts'
import { isRecord } from '../../src/values/json.ts'

/** Seven documents take longer to read than all others together. */
const LARGEST_CHARACTERS = 450_000
/** Of each kind and document; a large one is sampled, evenly and always alike. */
const MOST_OF_A_KIND = 8

const KINDS = ['named', 'arguments', 'response'] as const
type Kind = (typeof KINDS)[number]
type Named = Readonly<Record<string, JsonSchema>>

interface Sample {
  readonly kind: Kind
  readonly name: string
  readonly schema: JsonSchema
  readonly schemas: Named
}

/** Nothing meets this one: it allows no members beside those it takes from elsewhere, which are all it has. */
const IMPOSSIBLE = '#/components/schemas/TransactionMetadataList'

/** Says why a schema cannot be tried; it is refused before anybody makes a value. */
function findObstacle({ schema, schemas, name }: Sample): string | undefined {
  const references = collectReferences(schema, schemas).add(`#/components/schemas/${name}`)
  if (references.has(IMPOSSIBLE)) return 'no value meets it'
  if ([...references].some((one) => !one.startsWith('#/'))) return 'refers to another file'
  if ([...references].some((one) => !one.startsWith('#/components/schemas/'))) {
    return 'refers to something else than a schema'
  }
  return findSchemaMistakes(schema, schemas).length > 0 ? 'is not a JSON Schema' : undefined
}

function collectReferences(value: unknown, schemas: Named, found = new Set<string>()): Set<string> {
  if (Array.isArray(value)) for (const item of value) collectReferences(item, schemas, found)
  if (!isRecord(value)) return found
  for (const [key, member] of Object.entries(value)) {
    if (key !== '$ref' || typeof member !== 'string') collectReferences(member, schemas, found)
    else if (!found.has(member)) {
      found.add(member)
      collectReferences(schemas[member.replace('#/components/schemas/', '')], schemas, found)
    }
  }
  return found
}

/** The schemas of a document: its named ones, the arguments of its tools, and what its operations answer. */
function samplesOf(file: string): readonly Sample[] {
  const parsed = parseDocument(readFileSync(file, 'utf8'), { file })
  if (!parsed.ok || !isRecord(parsed.document)) return []
  const imported = importOpenApi(parsed.document, { file })
  const checked = imported.ok ? checkToolSpec(imported.spec, { file }) : undefined
  if (!checked?.ok) return []
  const { domain, tools } = checked.spec
  const functions = createToolFunctions(checked.spec, { env: {} })
  const info = { title: domain, version: '1.0.0' }
  const operations = new Map(tools.map((tool) => [`${domain}.${tool.name}`, tool]))
  const document = addResponses(
    buildDocument(createService({ info, functions })),
    parsed.document,
    operations,
  )
  const schemas = (document.components?.schemas ?? {}) as Named
  const named = Object.entries(schemas).map(([name, schema]) => ({ name, schema }))
  const inputs = functions.map(({ name, input }) => ({ name, schema: input as JsonSchema }))
  const responses = document.functions.flatMap(({ name, result }) =>
    result && 'schema' in result ? [{ name, schema: result.schema as JsonSchema }] : [],
  )
  const toSamples = (kind: Kind, list: readonly { name: string; schema: JsonSchema }[]) =>
    list.map((one): Sample => ({ kind, ...one, schemas }))
  return [
    ...toSamples('named', named),
    ...toSamples('arguments', inputs),
    ...toSamples('response', responses),
  ]
}

function pickEvenly(samples: readonly Sample[]): readonly Sample[] {
  const step = Math.max(1, samples.length / MOST_OF_A_KIND)
  return samples.filter((_, index) => Math.floor(index / step) !== Math.floor((index - 1) / step))
}

function tryOut({ schema, schemas }: Sample): string | undefined {
  try {
    const value = createValueMaker(schema, { schemas }).make('1')
    const checked = compileSchema(schema, { components: { schemas } })(value)
    return checked.ok ? undefined : JSON.stringify(checked.problems)
  } catch (thrown) {
    return String(thrown)
  }
}

const files = existsSync(CORPUS_FOLDER)
  ? readdirSync(CORPUS_FOLDER)
      .toSorted()
      .map((name) => join(CORPUS_FOLDER, name))
      .filter((file) => readFileSync(file, 'utf8').length < LARGEST_CHARACTERS)
  : []

describe.skipIf(files.length === 0)('schemas of real APIs', () => {
  it('get values that pass them', { timeout: 120_000 }, () => {
    const failures: string[] = []
    const tally = Object.fromEntries(
      KINDS.map((kind) => [kind, { all: 0, passed: 0 } as Record<string, number>]),
    )
    const count = (kind: Kind, what: string, by = 1) => {
      const row = tally[kind] ?? {}
      row[what] = (row[what] ?? 0) + by
    }
    for (const file of files) {
      const samples = samplesOf(file)
      for (const kind of KINDS) {
        const all = samples.filter((one) => one.kind === kind)
        const picked = pickEvenly(all)
        count(kind, 'all', all.length)
        if (picked.length < all.length) count(kind, 'not sampled', all.length - picked.length)
        for (const sample of picked) {
          const obstacle = findObstacle(sample)
          const problem = obstacle === undefined ? tryOut(sample) : undefined
          if (problem !== undefined) failures.push(`${file} ${kind} ${sample.name}: ${problem}`)
          count(kind, obstacle ?? (problem === undefined ? 'passed' : 'failed'))
        }
      }
    }
    process.stdout.write(`${files.length} documents: ${JSON.stringify(tally, null, 1)}\n`)
    expect(failures).toEqual([])
    expect(tally['named']?.['passed']).toBeGreaterThan(500)
    expect(tally['arguments']?.['passed']).toBeGreaterThan(500)
    expect(tally['response']?.['passed']).toBeGreaterThan(300)
  })
})
