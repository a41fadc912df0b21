import { describe, expect, it } from 'vitest'
import { loadOpenApi } from './load.ts'

function documentOf(text: string): unknown {
  const loaded = loadOpenApi(text)
  return loaded.ok ? loaded.document : loaded.problems
}

describe('loadOpenApi', () => {
  it('reads JSON with comments and trailing commas, and leaves texts alone', () => {
    const text = `// made by hand
{
  /* version */ "openapi": "3.0.0", // three
  "info": { "title": "see http://x // y, ] /* z */", },
  "tags": ["a", /* b */],
}`
    expect(documentOf(text)).toEqual({
      openapi: '3.0.0',
      info: { title: 'see http://x // y, ] /* z */' },
      tags: ['a'],
    })
  })

  it('reads a tab between a key and an empty list or mapping', () => {
    const text = 'openapi:\t3.0.0\ninfo:\n  title:\tx\ntags:\t[]\npaths:\t{}\n'
    expect(documentOf(text)).toEqual({
      openapi: '3.0.0',
      info: { title: 'x' },
      tags: [],
      paths: {},
    })
  })

  it('keeps the content of values with tags that JSON has no type for', () => {
    const text = `openapi: 3.0.0
x-set: !!set { a, b }
x-time: !!timestamp 2020-01-01
x-object: !!python/object:shop.Order { id: 1 }
x-list: !!omap [{ a: 1 }]
x-text: !!str 5
`
    expect(documentOf(text)).toEqual({
      openapi: '3.0.0',
      'x-set': { a: null, b: null },
      'x-time': '2020-01-01',
      'x-object': { id: 1 },
      'x-list': [{ a: 1 }],
      'x-text': '5',
    })
  })

  it('points at the first thing that stays unreadable', () => {
    expect(documentOf('openapi: 3.0.0\ninfo:\n\ttitle: x\n')).toMatchObject([
      { code: 'E100', line: 3, column: 1 },
    ])
  })
})
