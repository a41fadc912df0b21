import { describe, expect, it } from 'vitest'
import { type DiffSource, diffDescriptions } from '../../src/entries/diff.ts'
import { fc, hostileJson, replaceEach, TEXTLESS } from '../support/property.ts'
import { discovery } from './cases/case.ts'
import { FUNCTION_CASES } from './cases/functions.ts'
import { OPENAPI_CASES } from './cases/openapi.ts'
import { SCHEMA_CASES } from './cases/schemas.ts'

const CASES = [...SCHEMA_CASES, ...FUNCTION_CASES, ...OPENAPI_CASES]

const junk = fc.oneof(
  fc.constantFrom(null, true, 0, '', [], {}, '#/components/schemas/S', { $ref: '#' }),
  hostileJson({ maxDepth: 3 }),
)

/** Replaces one value somewhere in a document. */
function mutate(value: unknown, path: readonly number[], replacement: unknown): unknown {
  const [step, ...rest] = path
  if (step === undefined || typeof value !== 'object' || value === null) return replacement
  const keys = Object.keys(value)
  const key = keys[step % Math.max(keys.length, 1)]
  if (key === undefined) return replacement
  const copy = structuredClone(value) as Record<string, unknown>
  copy[key] = mutate(copy[key], rest, replacement)
  return copy
}

function isNamed(entry: unknown): boolean {
  const { name, version } = (entry ?? {}) as Record<string, unknown>
  return typeof name === 'string' && typeof version === 'string'
}

/** Tells what the loader asks for; everything below it may be anything. */
function isLoadable(document: unknown): boolean {
  const { functions } = document as { functions?: unknown }
  return Array.isArray(functions) && functions.every(isNamed)
}

const path = fc.array(fc.nat(8), { minLength: 1, maxLength: 7 })

describe('the comparison', () => {
  it('never throws, whatever a document holds', () => {
    const source = fc.constantFrom(...CASES)
    fc.assert(
      fc.property(source, path, junk, ({ old, now }, at, value) => {
        const whole = now.kind === 'tool-spec' ? now.spec : now.document
        const changed = mutate(whole, at, value)
        fc.pre(typeof changed === 'object' && changed !== null && !Array.isArray(changed))
        fc.pre(now.kind !== 'discovery' || isLoadable(changed))
        const mutated = { ...now, document: changed } as unknown as DiffSource
        diffDescriptions(old, mutated)
        diffDescriptions(mutated, old)
        expect(diffDescriptions(mutated, structuredClone(mutated)).changes).toEqual([])
      }),
      { numRuns: 1000 },
    )
  })

  it('never throws where any single value is an object that has no text', () => {
    for (const { old, now } of CASES) {
      const whole = now.kind === 'tool-spec' ? now.spec : now.document
      for (const changed of replaceEach(whole, TEXTLESS)) {
        if (now.kind === 'discovery' && !isLoadable(changed)) continue
        const mutated = { ...now, document: changed, spec: changed } as unknown as DiffSource
        diffDescriptions(old, mutated)
        diffDescriptions(mutated, old)
      }
    }
  })

  it('finds on the way back the opposite of every function that came', () => {
    const names = fc.uniqueArray(fc.constantFrom('a', 'b', 'c.d', 'c.e'), { minLength: 0 })
    fc.assert(
      fc.property(names, names, (left, right) => {
        const old = discovery(left.map((name) => ({ name })))
        const now = discovery(right.map((name) => ({ name })))
        const rules = (from: DiffSource, to: DiffSource, rule: string): string[] =>
          diffDescriptions(from, to)
            .changes.filter((change) => change.rule === rule)
            .flatMap(({ functions }) => functions)
        expect(rules(old, now, 'function-added')).toEqual(rules(now, old, 'function-removed'))
      }),
    )
  })

  it('says the same in the same order every time, worst first', () => {
    for (const { old, now } of CASES) {
      const { changes } = diffDescriptions(old, now)
      expect(diffDescriptions(old, now).changes).toEqual(changes)
      const order = changes.map((change) =>
        ['breaking', 'implementer', 'compatible', 'docs'].indexOf(change.class),
      )
      expect(order).toEqual(order.toSorted())
    }
  })

  it('compares 1,000 functions in less than 3 seconds on a busy machine', () => {
    const make = (type: string): DiffSource =>
      discovery(
        Array.from({ length: 1000 }, (_, index) => ({
          name: `group${index % 50}.f${index}`,
          arguments: [{ name: 'id', required: true, schema: { $ref: '#/components/schemas/S0' } }],
          result: { name: 'r', schema: { $ref: `#/components/schemas/S${index % 100}` } },
        })),
        {
          components: {
            schemas: Object.fromEntries(
              Array.from({ length: 100 }, (_, index) => [
                `S${index}`,
                {
                  type: 'object',
                  properties: {
                    a: { type },
                    next: {
                      $ref: `#/components/schemas/S${index - (index % 10) + ((index + 1) % 10)}`,
                    },
                  },
                },
              ]),
            ),
          },
        },
      )
    const started = performance.now()
    const { changes } = diffDescriptions(make('string'), make('number'))
    expect(performance.now() - started).toBeLessThan(3_000)
    expect(changes).toHaveLength(110)
    expect(changes.every(({ functions }) => functions.length >= 100)).toBe(true)
  })
})
