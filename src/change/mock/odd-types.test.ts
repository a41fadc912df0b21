import { expect, it } from 'vitest'
import { createValueMaker } from './value.ts'

it.each(['{ "type": { "toString": 1 } }', '{ "type": ["string", { "toString": 1 }] }'])(
  'makes a value for %s',
  (text) => {
    expect(() => createValueMaker(JSON.parse(text)).make('1')).not.toThrow()
  },
)
