import { describe, expect, it, onTestFinished } from 'vitest'
import { defineFunction } from '../../src/core/index.ts'
import { createWorkplace } from '../cli/run-main.ts'
import { startRecordingServer } from '../codegen/recording-server.ts'
import { start } from '../support/front.ts'
import { serviceOf } from '../support/service.ts'

const ID = '9007199254740993'
const HINT = 'is beyond ±9007199254740991; a JSON number loses digits there'

const SPEC = `domain: x
base_url: \${X_URL}
tools:
  - name: send
    description: Sends it.
    method: POST
    path: /x
    body:
      - { name: id, type: integer, format: int64, description: The id. }
      - { name: plain, type: integer, description: A number. }
      - { name: text, type: string, description: A text. }
      - { name: ratio, type: number, description: A ratio. }
      - { name: obj, type: object, description: Anything. }
      - name: known
        type: object
        description: Known.
        properties:
          - { name: ids, type: array, items: { type: integer, format: int64 }, description: Ids. }
      - name: free
        type: string
        description: Free.
        any_of: [{ type: string }, { type: number }, { type: object }]
`

/** Calls the tool of the spec with words and tells what arrived. */
async function createTool() {
  const api = await startRecordingServer()
  onTestFinished(api.close)
  const place = createWorkplace()
  place.write('x.yaml', SPEC)
  return async (...words: string[]) => {
    api.answer({ body: {} })
    const env = { X_URL: api.url }
    const { err } = await place.runWith({ env }, 'forge', 'call', 'x.yaml', 'send', ...words)
    return { err, bodies: api.requests.map(({ body }) => body) }
  }
}

describe('as reported', () => {
  it.each([
    ['an object without a schema', `obj={"a":${ID}}`, 'obj.a'],
    ['a value without a type', 'free=1e400', 'free'],
    ['a plain integer', `plain=${ID}`, 'plain'],
    ['a list in an object', `obj={"a":[1,-${ID}]}`, 'obj.a.1'],
    ['a member by its path', `obj.a=${ID}`, 'obj.a'],
    ['an integer with a point', `obj={"a":${ID}.0}`, 'obj.a'],
    ['a number too large for any', 'ratio=-1e999', 'ratio'],
  ])('forge call refuses a number that would change in %s', async (_name, word, place) => {
    const call = await createTool()
    const { err, bodies } = await call(word)
    expect(err).toContain(`${place}: `)
    expect(err).toContain(HINT)
    expect(bodies).toEqual([])
  })

  it('waymark call refuses it by what the service says about its function', async () => {
    const seen: unknown[] = []
    const any = defineFunction({
      name: 'own.any',
      version: '1.0.0',
      input: {
        type: 'object',
        properties: {
          x: {},
          plain: { type: 'integer' },
          text: { type: 'string' },
          id: { type: ['integer', 'string'], format: 'int64' },
        },
        additionalProperties: true,
      },
      handler: ({ input }) => {
        seen.push(input)
        return {}
      },
    })
    const server = await start(serviceOf([any]))
    const place = createWorkplace()
    const call = (...words: string[]) => place.run('call', server.url, 'own.any', ...words)
    for (const word of [`x=${ID}`, `plain=${ID}`, `other={"a":${ID}}`, 'x=1e400']) {
      expect(await call(word)).toMatchObject({ code: 2, err: expect.stringContaining(HINT) })
    }
    expect((await call(`x=${ID}`)).err).toContain(`write it in quotes: "${ID}"`)
    expect(seen).toEqual([])
    await call(`text=${ID}`, `id=${ID}`, `x="${ID}"`, 'other=7')
    expect(seen).toEqual([{ text: ID, id: ID, x: ID, other: 7 }])
  })
})

describe('beside it', () => {
  it.each([
    ['a 64-bit integer', `id=${ID}`, `{"id":${ID}}`],
    ['an even one, which a number could hold', 'id=9007199254740994', '{"id":9007199254740994}'],
    ['a text', `text=${ID}`, `{"text":"${ID}"}`],
    ['a text that looks like a number', 'text=1e400', '{"text":"1e400"}'],
    ['64-bit integers further down', `known={"ids":[${ID},1]}`, `{"known":{"ids":[${ID},1]}}`],
    ['a text in quotes', `free="${ID}"`, `{"free":"${ID}"}`],
    ['a large number that stays the same', 'ratio=6.02e23', '{"ratio":6.02e+23}'],
    ['digits inside a text', `obj={"a":"${ID}"}`, `{"obj":{"a":"${ID}"}}`],
  ])('forge call sends %s', async (_name, word, body) => {
    const call = await createTool()
    expect(await call(word)).toEqual({ err: '', bodies: [body] })
  })
})
