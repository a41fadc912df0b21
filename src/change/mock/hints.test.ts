import { describe, expect, it } from 'vitest'
import { createValueMaker } from './value.ts'

const make = (name: string, schema: object = { type: 'string' }): unknown => {
  const maker = createValueMaker({
    type: 'object',
    properties: { [name]: schema },
    required: [name],
  })
  return (maker.make('1') as Record<string, unknown>)[name]
}

describe('a text that nothing but its name describes', () => {
  it.each([
    ['phone', /^\+1-202-555-01\d\d$/],
    ['mobileNumber', /^\+1-202-555-01\d\d$/],
    ['first_name', /^[A-Z][a-z]+$/],
    ['lastName', /^[A-Z][a-z]+$/],
    ['full-name', /^[A-Z][a-z]+ [A-Z][a-z]+$/],
    ['shipping_city', /^[A-Z][a-z]+$/],
    ['countryCode', /^[A-Z]{2}$/],
    ['postal_code', /^\d{5}$/],
    ['street', /^\d+ [A-Z]\w+ \w+$/],
    ['currency', /^[A-Z]{3}$/],
    ['locale', /^[a-z]{2}-[A-Z]{2}$/],
    ['timezone', /^UTC$|^\w+\/\w+$/],
    ['description', /^[A-Z].*\.$/],
    ['contact_email', /@example\.com$/],
    ['created_at', /^2026-/],
    ['order_id', /^[a-z]+_[0-9a-f]{6}$/],
  ])('looks like a %s', (name, form) => {
    expect(make(name)).toMatch(form)
  })

  it('is the same for the same seed', () => {
    expect(make('city')).toBe(make('city'))
  })

  it.each([
    ['phone', { type: 'string', pattern: '^\\d{4}$' }, /^\d{4}$/],
    ['city', { type: 'string', maxLength: 3 }, /^.{1,3}$/],
    ['country', { type: 'string', enum: ['x'] }, /^x$/],
    ['capacity', { type: 'string' }, /^[a-z ]+$/],
  ])('gives way to what the schema of a %s says: %j', (name, schema, form) => {
    expect(make(name, schema)).toMatch(form)
  })
})
