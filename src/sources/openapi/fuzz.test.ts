import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { describe, expect, it } from 'vitest'
import { listCorpus } from '../../../scripts/corpus.ts'
import { fc } from '../../../test/support/property.ts'
import { formatToolSpec } from '../tool-spec/format.ts'
import { parseToolSpec } from '../tool-spec/parse.ts'
import { importOpenApi } from './import.ts'
import { listOperations } from './list.ts'
import { loadOpenApi } from './load.ts'

/** Small documents of every version; big ones only make the run longer. */
const FILES = listCorpus().filter(
  (path) =>
    /adyen|amazonaws.com__(sts|sqs)|azure|box|nrm|ritc|turbine|wordnik|zuora|xero|squareup|hetzner|vtex|telnyx/i.test(
      path,
    ) && readFileSync(path).length < 150_000,
)

/** Values that do not belong where they are put. */
const ODD: unknown[] = [
  null,
  '',
  0,
  -1,
  true,
  [],
  {},
  'x',
  ['a', 1, null],
  { $ref: '#/nope' },
  { $ref: '#' },
  { $ref: 5 },
  { $ref: 'x.yaml#/a' },
  { type: 'null' },
  { type: ['string', 'null', 'zzz'] },
  { allOf: [{ $ref: '#' }] },
  '{}{',
  '\ud800',
  { oneOf: [{}, { type: 'string' }, { type: 'object', properties: { a: {} } }] },
  { enum: [1, 'a', null, {}] },
  12345678901234567890n.toString(),
  { '': {} },
  'http://[',
  { additionalProperties: { type: 'string' } },
  { type: 'object', properties: { ' ': {}, 'a b': { readOnly: true } } },
]

const KEYS = [
  '$ref',
  'type',
  'in',
  'name',
  '',
  'items',
  'properties',
  'required',
  'allOf',
  'oneOf',
  'constructor',
  'toString',
  'get',
  'enum',
  'default',
  'x-foo',
]

interface Mutation {
  readonly steps: readonly number[]
  readonly kind: 'delete' | 'rename' | 'replace'
  readonly choice: number
}

const mutation: fc.Arbitrary<Mutation> = fc.record({
  steps: fc.array(fc.nat(), { minLength: 1, maxLength: 14 }),
  kind: fc.constantFrom('delete', 'rename', 'replace'),
  choice: fc.nat(),
})

function mutate(document: unknown, { steps, kind, choice }: Mutation): void {
  let node = document as Record<string, unknown>
  let parent: Record<string, unknown> | undefined
  let key = ''
  for (const step of steps) {
    const keys = typeof node === 'object' && node !== null ? Object.keys(node) : []
    if (keys.length === 0) break
    parent = node
    key = keys[step % keys.length] ?? ''
    node = parent[key] as Record<string, unknown>
  }
  if (parent === undefined) return
  if (kind === 'replace') parent[key] = structuredClone(ODD[choice % ODD.length])
  else {
    const value = parent[key]
    if (Array.isArray(parent)) parent.splice(Number(key), 1)
    else delete parent[key]
    if (kind === 'rename' && !Array.isArray(parent))
      parent[KEYS[choice % KEYS.length] ?? ''] = value
  }
}

describe.skipIf(FILES.length === 0)('mutated documents (needs ../shared/corpus)', () => {
  it('list and import without a crash, into valid specs that lose no operation', () => {
    const documents = FILES.map((path) => {
      const loaded = loadOpenApi(readFileSync(path, 'utf8'))
      return { file: basename(path), json: loaded.ok ? JSON.stringify(loaded.document) : '{}' }
    })
    let valid = 0
    const property = fc.property(
      fc.nat(),
      fc.array(mutation, { minLength: 1, maxLength: 10 }),
      (index, mutations) => {
        const { file, json } = documents[index % documents.length] ?? { file: '', json: '{}' }
        const document = JSON.parse(json)
        for (const one of mutations) mutate(document, one)
        const { operations } = listOperations(document)
        const imported = importOpenApi(document, { file })
        if (!imported.ok) return
        valid += 1
        const parsed = parseToolSpec(formatToolSpec(imported.spec))
        expect(
          parsed.ok ? [] : parsed.problems.filter((problem) => problem.severity === 'error'),
        ).toEqual([])
        const skipped = operations.filter((operation) => operation.skipped !== undefined)
        expect(imported.spec.tools.length + skipped.length).toBe(operations.length)
      },
    )
    fc.assert(property, { numRuns: 400 })
    expect(valid).toBeGreaterThan(100)
  }, 60_000)
})
