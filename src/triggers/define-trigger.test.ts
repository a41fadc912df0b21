import { describe, expect, it } from 'vitest'
import { serviceOf } from '../../test/support/service.ts'
import { defineFunction } from '../core/function.ts'
import { createTriggers } from '../entries/triggers.ts'
import type { TriggerDef } from '../sources/tool-spec/types.ts'

/** Triggers as a module without types exports them. */
function fromModule(text: string): readonly TriggerDef[] {
  return JSON.parse(text)
}

describe('createTriggers', () => {
  it.each([
    ['[null]', 'triggers[0] must be a trigger: an object with type, name, description'],
    ['["nightly"]', 'triggers[0] must be a trigger'],
    ['[[]]', 'triggers[0] must be a trigger'],
    ['[{ "name": { "de": "x" } }]', 'trigger {"de":"x"}: name must be snake_case'],
    ['[{ "name": "x", "tool": {} }]', 'trigger x: tool names a function that does not exist: {}'],
  ])('refuses %s and says what is wrong', (text, message) => {
    const service = serviceOf([
      defineFunction({ name: 'orders.ship', version: '1.0.0', handler: () => null }),
    ])
    expect(() => createTriggers({ service, triggers: fromModule(text) })).toThrow(message)
  })
})
