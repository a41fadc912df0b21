import { describe, expect, it } from 'vitest'
import { toRequest } from '../../../test/support/forrst.ts'
import { fc, hostileJson } from '../../../test/support/property.ts'
import { serviceOf } from '../../../test/support/service.ts'
import { defineFunction } from '../../core/function.ts'
import type { ResponseDocument } from '../../wire/envelope.ts'
import { createForrstHandler } from './handler.ts'

const create = defineFunction({
  name: 'orders.create',
  version: '1.0.0',
  input: {
    type: 'object',
    required: ['customer_id', 'items'],
    properties: {
      customer_id: { type: 'string', minLength: 1 },
      items: { type: 'array', items: { type: 'object', required: ['sku'] } },
    },
    // Nothing the generators make is ever accepted, so every answer must be a refusal.
    not: {},
  },
  handler: () => null,
})
const handle = createForrstHandler(serviceOf([create]))

const good = {
  protocol: { name: 'forrst', version: '0.1.0' },
  id: 'req_1',
  call: { function: 'orders.create', version: '1.0.0', arguments: { customer_id: 'c', items: [] } },
  context: { caller: 'fuzz' },
  extensions: [{ urn: 'urn:forrst:ext:nope', options: {} }],
}
const text = JSON.stringify(good)

/** What people and attackers send: hostile keys, lone surrogates, huge numbers, NUL bytes, deep nesting. */
const hostile = fc.constantFrom(
  '"__proto__":{"a":1}',
  '"constructor":{"prototype":{}}',
  '"\\ud800"',
  '\ud800',
  '1e999',
  '-1e-999',
  '123456789012345678901234567890',
  '\u0000',
  '"\\u0000"',
  '[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[[',
  '"id":"a","id":7',
  '\u2028',
  'NaN',
  '{}',
  '[]',
  'null',
  '"',
  '\\',
  ',',
)

const mutated = fc
  .tuple(fc.nat(text.length), fc.nat(12), fc.oneof(hostile, fc.string({ maxLength: 6 })))
  .map(([at, length, inserted]) => text.slice(0, at) + inserted + text.slice(at + length))
const bytes = fc
  .tuple(fc.nat(text.length - 1), fc.uint8Array({ minLength: 1, maxLength: 4 }))
  .map(([at, inserted]) => {
    const buffer = Buffer.from(text)
    buffer.set(inserted.subarray(0, buffer.length - at), at)
    return new Uint8Array(buffer)
  })
const anything = hostileJson({ maxDepth: 4 })
const envelope = fc.record(
  {
    protocol: fc.oneof(fc.constant(good.protocol), anything),
    id: fc.oneof(fc.string(), anything),
    call: fc.oneof(
      fc.record(
        {
          function: fc.oneof(fc.constant('orders.create'), anything),
          version: fc.oneof(fc.constant('1.0.0'), anything),
          arguments: anything,
        },
        { requiredKeys: [] },
      ),
      anything,
    ),
    context: anything,
    extensions: fc.oneof(
      fc.array(
        fc.record(
          { urn: fc.oneof(fc.string(), anything), options: anything },
          { requiredKeys: [] },
        ),
      ),
      anything,
    ),
  },
  { requiredKeys: [] },
)

function assertRefusal(document: unknown): void {
  const response = handle(toRequest(document))
  if (response instanceof Promise) throw new TypeError('a refusal never has to wait')
  const body = JSON.parse(response.body as string) as ResponseDocument
  if (response.status < 400 || response.status > 499) expect(response.status).toBe('4xx')
  if (body.result !== null || !(body.errors && body.errors.length > 0))
    expect(body).toBe('a failure')
  for (const { code, message, source } of body.errors ?? []) {
    if (!/^[A-Z][A-Z0-9_]*$/.test(code) || typeof message !== 'string') expect(code).toBe('a code')
    if (source && 'pointer' in source && 'position' in source) expect(source).toBe('one of both')
  }
  if (body.protocol.name !== 'forrst') expect(body.protocol).toBe('forrst')
}

describe('100,000 wrong requests', () => {
  it.each([
    ['text with pieces cut out and put in', mutated, 45_000],
    ['bytes overwritten', bytes, 25_000],
    ['envelopes of random members', envelope, 25_000],
    ['any JSON value', anything, 5_000],
  ])(
    'are all refused with a 4xx Forrst document: %s',
    (_kind, arbitrary, numRuns) => {
      fc.assert(fc.property(arbitrary as fc.Arbitrary<unknown>, assertRefusal), { numRuns })
    },
    120_000,
  )

  it('leave no memory behind', () => {
    const collect = globalThis.gc
    const measure = () => {
      collect?.()
      return process.memoryUsage().heapUsed
    }
    const samples = fc.sample(mutated, { numRuns: 2_000, seed: 7 })
    const run = () => samples.forEach(assertRefusal)
    run()
    const before = measure()
    for (let round = 0; round < 10; round += 1) run()
    // Without --expose-gc the heap also holds garbage; 64 MiB is far below what 20,000 leaked requests would hold.
    expect(measure() - before).toBeLessThan(64 * 1024 * 1024)
  })
})
