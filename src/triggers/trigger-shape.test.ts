import { describe, expect, it } from 'vitest'
import { serviceOf } from '../../test/support/service.ts'
import { defineFunction } from '../core/function.ts'
import { createTriggers } from '../entries/triggers.ts'

const BASE = { name: 'paid', description: 'd', tool: 'orders.ship' }

function create(definition: unknown): void {
  const ship = defineFunction({ name: 'orders.ship', version: '1.0.0', handler: () => true })
  createTriggers({ service: serviceOf([ship]), triggers: [definition as never] })
}

describe('a definition in code that cannot work is refused with the trigger and the field', () => {
  it.each([
    [{ type: 'webook', path: '/paid' }, /trigger paid: type .*did you mean "webhook"\?/],
    [{}, /trigger paid: type .*webhook, schedule, emit, queue, file/],
    [{ type: 'constructor' }, /trigger paid: type must be one of webhook/],
    [{ type: 'webhook' }, /trigger paid: path required for a webhook trigger/],
    [{ type: 'webhook', path: 'paid' }, /trigger paid: path must start with "\/"/],
    [{ type: 'webhook', path: '/paid?a=1' }, /trigger paid: path must start with "\/"/],
    [{ type: 'webhook', path: '/a/../b' }, /trigger paid: path must start with "\/"/],
    [{ type: 'webhook', path: '/p', signature: 'strpe' }, /trigger paid: signature .*stripe/],
    [{ type: 'schedule' }, /trigger paid: cron required/],
    [{ type: 'schedule', cron: '@daily', overlap: 'skp' }, /trigger paid: overlap .*skip/],
    [{ type: 'schedule', cron: '@daily', catch_up: 'once' }, /trigger paid: catch_up .*none, one/],
    [{ type: 'emit' }, /trigger paid: event required/],
    [{ type: 'queue' }, /trigger paid: queue_url required/],
    [{ type: 'file' }, /trigger paid: watch_path required/],
    [{ type: 'file', watch_path: '' }, /trigger paid: watch_path/],
    [{ type: 'file', watch_path: 'in', events: ['created'] }, /trigger paid: events\[0\] .*create/],
    [{ type: 'file', watch_path: 'in', events: [] }, /trigger paid: events must name at least one/],
    [{ type: 'emit', event: 'x', payload_map: 'id' }, /trigger paid: payload_map/],
    [{ type: 'emit', event: 'x', payload_map: { id: 5 } }, /trigger paid: payload_map.id/],
    [{ type: 'emit', event: 'x', arguments: [1] }, /trigger paid: arguments/],
    [{ type: 'emit', event: 'x', description: undefined }, /trigger paid: description/],
    [{ type: 'emit', event: 'x', retries: 3 }, /trigger paid: retries/],
    [
      { type: 'emit', event: 'x', tool: 'orders.shp' },
      /tool .*orders\.shp; did you mean orders\.ship/,
    ],
  ])('%j', (part, message) => {
    expect(() => create({ ...BASE, ...part })).toThrow(TypeError)
    expect(() => create({ ...BASE, ...part })).toThrow(message)
  })

  it.each([[null], ['nightly'], [undefined]])('%j', (definition) => {
    expect(() => create(definition)).toThrow(/triggers\[0\]/)
  })

  it('all at once when there are several', () => {
    expect(() => create({ ...BASE, type: 'webhook', retries: 3 })).toThrow(
      /trigger paid: path .*; trigger paid: retries/,
    )
  })
})

it.each([
  [{ type: 'file', watch_path: '/srv/inbox/*.csv' }],
  [{ type: 'file', watch_path: '../inbox' }],
  [{ type: 'queue', queue_url: 'http://127.0.0.1:9324/000/orders' }],
  [{ type: 'emit', event: 'x', timeout: { value: 1, unit: 'day' } }],
  [{ type: 'webhook', path: '/paid', 'x-owner': 'me' }],
])('a definition in code may say %j', (part) => {
  expect(() => create({ ...BASE, ...part })).not.toThrow()
})
