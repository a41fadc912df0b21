import { describe, expect, it } from 'vitest'
import type { FunctionDefinition } from '../../src/core/function.ts'
import { inspectJson } from '../../src/values/json-value.ts'
import { call } from '../support/forrst.ts'
import { define, serviceOf } from '../support/service.ts'

const MOST = 100_000

/** Rows that count how often somebody reads one of them; as JSON each takes at least seven characters. */
function createRows(length: number, make: (count: () => number) => object) {
  let read = 0
  const row = make(() => {
    read += 1
    return 1
  })
  return { rows: Array.from({ length }, () => row), read: () => read }
}

class Row {
  readonly #count: () => number
  constructor(count: () => number) {
    this.#count = count
    Object.defineProperty(this, 'i', { enumerable: true, get: () => this.#count() })
  }
}

const plain = (count: () => number) => ({
  get i() {
    return count()
  },
})

const KINDS: readonly (readonly [string, (count: () => number) => object])[] = [
  ['plain objects', plain],
  ['instances of a class', (count) => new Row(count)],
  ['what writes itself', (count) => ({ at: new Date(0), ...{ toJSON: () => ({ i: count() }) } })],
  ['objects in lists', (count) => [[plain(count)]]],
]

async function answer(result: unknown, more: Partial<FunctionDefinition> = {}) {
  const functions = [define({ handler: () => result as never, ...more })]
  const service = serviceOf(functions, { limits: { maxResponseBytes: MOST } })
  return JSON.stringify((await call(service, { function: 'orders.get' })).body)
}

describe('as reported: a list of very many small objects', () => {
  it.each(KINDS)('is looked at no further than an answer may be long: %s', async (_kind, make) => {
    // Few enough that their number alone does not tell.
    const { rows, read } = createRows(90_000, make)
    expect(await answer({ rows })).toContain('larger than 100000 bytes')
    expect(read()).toBeLessThan(20_000)
  })

  it.each(KINDS)('is not checked against the output schema first: %s', async (_kind, make) => {
    const { rows, read } = createRows(90_000, make)
    const output = { type: 'object', properties: { rows: { type: 'array' } } } as const
    expect(await answer({ rows }, { output })).toContain('larger than 100000 bytes')
    expect(read()).toBeLessThan(20_000)
  })
})

describe('beside it', () => {
  it.each<[unknown]>([
    [{ a: 1, b: [true, null, 'text'] }],
    [{ at: new Date(0), rows: [{ i: 1 }, { i: 2 }] }],
  ])('never takes what fits for too long: %j', (value) => {
    const { length } = JSON.stringify(value)
    expect(inspectJson(value, length)).toBeUndefined()
    expect(inspectJson(value, Math.floor(length / 2))).toBe('too long')
  })

  it('still names what JSON cannot hold within the limit', () => {
    expect(inspectJson({ rows: [{ m: new Map() }] }, 1_000)).toMatchObject({ pointer: '/rows/0/m' })
  })
})
