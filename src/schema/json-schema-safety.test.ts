import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { isValid, problems } from '../../test/support/schemas.ts'
import { compileSchema } from './compile.ts'
import { findDanglingRefs } from './reference/definitions.ts'
import type { Subschema } from './walk/index.ts'

describe('hostile input', () => {
  it.each(['toString', 'valueOf', 'hasOwnProperty', 'constructor', '__proto__'])(
    'treats a member named %s like any other',
    (name) => {
      const withMember = JSON.parse(`{"${name}":1}`)
      const properties = JSON.parse(`{"${name}":{"type":"string"}}`)
      expect(problems({ required: [name] }, {})).toEqual([`/${name} required: is required`])
      expect(isValid({ required: [name] }, withMember)).toBe(true)
      expect(isValid({ properties }, {})).toBe(true)
      expect(isValid({ properties }, withMember)).toBe(false)
      expect(isValid({ dependentRequired: { a: [name] } }, { a: 1 })).toBe(false)
      expect(isValid({ properties, additionalProperties: false }, { other: 1 })).toBe(false)
    },
  )

  it('does not take what objects inherit for the target of a reference', () => {
    expect(findDanglingRefs({ $ref: 'toString' })).toHaveLength(1)
    expect(isValid({ $ref: 'toString' }, 1)).toBe(false)
  })

  it('answers deep values with a problem', () => {
    let deep: unknown = 1
    for (let depth = 0; depth < 200_000; depth += 1) deep = [deep]
    const check = compileSchema({ items: { $ref: '#' } })
    const expected = { pointer: '', code: 'depth', message: 'is nested too deeply to be checked' }
    for (let call = 0; call < 2; call += 1) {
      expect(check(deep)).toEqual({ ok: false, problems: [expected] })
    }
    expect(problems({ enum: [[]] }, deep)[0]).toContain('nested too deeply')
    expect(problems({ uniqueItems: true }, [deep])[0]).toContain('nested too deeply')
  })

  it('refuses a schema that is nested too deeply, or no schema at all', () => {
    let schema: Subschema = {}
    for (let depth = 0; depth < 100_000; depth += 1) schema = { not: schema }
    expect(() => compileSchema(schema, { now: true })).toThrow(TypeError)
    expect(() => compileSchema(7 as unknown as Subschema)).toThrow(TypeError)
  })

  it('copes with thousands of properties and values', () => {
    const names = Array.from({ length: 6000 }, (_, index) => `name_${index}`)
    const wide = { properties: Object.fromEntries(names.map((name) => [name, { type: 'string' }])) }
    expect(isValid(wide, { name_5999: 1 })).toBe(false)
    expect(isValid({ enum: names }, 'name_5999')).toBe(true)
  })

  it('compares values as JSON does', () => {
    expect(isValid({ const: [] }, { length: 0 })).toBe(false)
    expect(isValid({ enum: [{ a: 1, b: 2 }] }, { b: 2, a: 1 })).toBe(true)
    expect(isValid({ uniqueItems: true }, [[[1], 2], [[1, 2]]])).toBe(true)
    expect(isValid({ uniqueItems: true }, [0, -0])).toBe(false)
    expect(isValid({ uniqueItems: true }, ['1', 1, '[1]', [1]])).toBe(true)
    expect(isValid({ multipleOf: 1 }, 1e-11)).toBe(false)
    expect(isValid({ multipleOf: 0.01 }, 19.99)).toBe(true)
    expect(isValid({ multipleOf: 3 }, 1e300)).toBe(false)
  })

  it('counts only members of a matching condition as evaluated', () => {
    const schema = {
      properties: { a: true, c: true },
      if: { properties: { a: { const: 1 }, b: true } },
      unevaluatedProperties: false,
    }
    expect(isValid(schema, { a: 2, c: 1 })).toBe(true)
    expect(isValid(schema, { a: 1, b: 1 })).toBe(true)
    expect(isValid(schema, { a: 2, b: 1 })).toBe(false)
  })

  it('does not count what the schema around a dependent one evaluated', () => {
    const schema = {
      additionalProperties: true,
      dependentSchemas: { a: { properties: { a: true }, unevaluatedProperties: false } },
    }
    expect(isValid(schema, { a: 1 })).toBe(true)
    expect(isValid(schema, { a: 1, b: 1 })).toBe(false)
  })

  it('does not apply unevaluatedProperties to arrays', () => {
    expect(isValid({ type: ['array', 'null'], unevaluatedProperties: false }, [1])).toBe(true)
  })

  it('names a pattern that is none at once, and reads patterns of older habits', () => {
    const schema = { properties: { a: { pattern: '(' } } }
    expect(() => compileSchema(schema)).toThrow('the schema is wrong at /properties/a/pattern')
    expect(isValid({ pattern: '^\\d\\-[\\w-.]$' }, '1-a')).toBe(true)
    expect(isValid({ patternProperties: { '^x\\-': { type: 'string' } } }, { 'x-a': 1 })).toBe(
      false,
    )
  })
})

it('works where code generation from strings is forbidden', () => {
  const file = join(import.meta.dirname, 'compile.ts')
  const script = `
    const { compileSchema } = await import(${JSON.stringify(file)})
    const check = compileSchema({ required: ['a'], properties: { a: { minimum: 1 } } }, { now: true })
    let hasEval = true
    try { new Function('return 1')() } catch { hasEval = false }
    console.log(JSON.stringify([hasEval, check({ a: 1 }).ok, check({ a: 0 }), check({ a: 2 }).ok]))`
  const flags = ['--disallow-code-generation-from-strings', '--import', 'tsx']
  const output = execFileSync(process.execPath, [...flags, '--input-type=module', '-e', script])
  const problem = { pointer: '/a', code: 'minimum', message: 'must be at least 1; got 0' }
  expect(JSON.parse(output.toString())).toEqual([
    false,
    true,
    { ok: false, problems: [problem] },
    true,
  ])
})
