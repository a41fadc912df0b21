import { expect, it } from 'vitest'
import { verifyService } from '../../src/entries/verify.ts'
import { createHonestShop, withLie } from './shop.ts'

it.each([
  ['null', [null]],
  ['a text', ['a']],
  ['attributes that are a text', [{ type: 'item', id: 'a', attributes: 'cheap' }]],
])('reports a list whose rows are %s instead of failing itself', async (_what, data) => {
  const shop = withLie(await createHonestShop(), (seen, body) =>
    seen.extensions['query'] !== undefined && body?.result
      ? { body: { ...body, result: { ...body.result, data } } }
      : undefined,
  )
  const { findings } = await verifyService(shop, { only: ['shop.list'] })
  expect(findings.find(({ rule }) => rule === 'query.wrong')?.sentence).toMatch(
    /shop\.list.*(resource must be an object|attributes of a item must be an object)/,
  )
})
