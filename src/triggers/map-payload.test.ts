import { describe, expect, it } from 'vitest'
import type { EmitTrigger } from '../sources/tool-spec/types.ts'
import { type EventView, fillPrompt, toArguments } from './run-trigger.ts'

const TRIGGER: EmitTrigger = { type: 'emit', name: 'x', description: 'x', event: 'x' }
const EVENT: EventView = {
  id: 'evt-1',
  event: 'orders.paid',
  payload: { order: { id: 'o1', lines: [{ sku: 'a' }, { sku: 'b' }] }, total: 0 },
  meta: { headers: { region: 'eu' } },
}

const map = (payload_map: Record<string, string>, event = EVENT) =>
  toArguments({ ...TRIGGER, payload_map }, event)

describe('payload_map', () => {
  it('[TS-80] picks nested values by dot path, in lists by number', () => {
    expect(map({ id: 'order.id', second: 'order.lines.1.sku', total: 'total' })).toEqual({
      id: 'o1',
      second: 'b',
      total: 0,
    })
  })

  it('reaches the rest of the event with a dollar sign', () => {
    expect(
      map({ key: '$id', kind: '$event', region: '$meta.headers.region', all: '$payload.order.id' }),
    ).toEqual({ key: 'evt-1', kind: 'orders.paid', region: 'eu', all: 'o1' })
  })

  it('leaves an argument out whose path leads nowhere', () => {
    expect(map({ id: 'order.id', none: 'order.missing.deep', list: 'order.lines.x' })).toEqual({
      id: 'o1',
    })
  })

  it('never reaches what objects and lists inherit', () => {
    const paths = ['constructor', '__proto__', 'order.constructor.name', 'order.lines.length']
    for (const path of paths) expect(map({ found: path })).toEqual({})
  })

  it('keeps an argument with a dangerous name an ordinary one', () => {
    const args = map(Object.fromEntries([['__proto__', 'order.id']])) ?? {}
    expect(Object.getPrototypeOf(args)).toBe(Object.prototype)
    expect(Object.hasOwn(args, '__proto__')).toBe(true)
  })

  it('stands beside fixed arguments, which give way', () => {
    const trigger = {
      ...TRIGGER,
      payload_map: { id: 'order.id' },
      arguments: { id: 'x', by: 'us' },
    }
    expect(toArguments(trigger, EVENT)).toEqual({ id: 'o1', by: 'us' })
  })
})

describe('a trigger without payload_map', () => {
  it('takes the payload as the arguments', () => {
    expect(toArguments(TRIGGER, EVENT)).toEqual(EVENT.payload)
    expect(toArguments({ ...TRIGGER, arguments: { total: 1, by: 'us' } }, EVENT)).toEqual({
      ...(EVENT.payload as object),
      by: 'us',
    })
  })

  it('takes an empty payload as no arguments, and refuses one that is not an object', () => {
    expect(toArguments(TRIGGER, { ...EVENT, payload: null })).toEqual({})
    expect(toArguments(TRIGGER, { ...EVENT, payload: '' })).toEqual({})
    for (const payload of ['text', 7, ['list'], true]) {
      expect(toArguments(TRIGGER, { ...EVENT, payload })).toBeUndefined()
    }
  })
})

describe('a prompt', () => {
  const fill = (prompt: string) => fillPrompt(prompt, { who: 'Ada' }, EVENT)

  it('[TS-79] is filled from the arguments and the payload', () => {
    expect(fill('Tell {{who}} that {{ order.id }} costs {{total}} ({{$event}})')).toBe(
      'Tell Ada that o1 costs 0 (orders.paid)',
    )
    expect(fill('{{order.lines}}')).toBe('[{"sku":"a"},{"sku":"b"}]')
  })

  it('[TS-81] keeps unknown placeholders as they are written', () => {
    const prompt = '{{ nobody }} {{order.constructor}} {{}} {{ a b }}'
    expect(fill(prompt)).toBe(prompt)
  })

  it('does not fill placeholders that a value brings along', () => {
    const event = { ...EVENT, payload: { a: '{{b}}', b: 'secret' } }
    expect(fillPrompt('{{a}}', {}, event)).toBe('{{b}}')
  })
})
