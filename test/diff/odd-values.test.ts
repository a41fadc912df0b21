import { expect, it } from 'vitest'
import { diffDescriptions } from '../../src/entries/diff.ts'

/** An object that cannot be made a text with `String`. */
const ODD = JSON.parse('{ "toString": 1 }')

function shop(consumes: unknown) {
  const post = {
    operationId: 'createOrder',
    consumes,
    parameters: [{ name: 'order', in: 'body', schema: { type: 'object' } }],
    responses: { 200: { description: 'ok' } },
  }
  return {
    swagger: '2.0',
    info: { title: 'Shop', version: '1.0.0' },
    host: 'api.example.com',
    paths: { '/orders': { post } },
  }
}

it('compares descriptions whose media types are objects', () => {
  const report = diffDescriptions(
    { kind: 'openapi', document: shop([ODD]) },
    { kind: 'openapi', document: shop([ODD, 'application/json']) },
  )
  expect(report.changes.map(({ rule }) => rule)).toEqual(['request-type-added'])
})
