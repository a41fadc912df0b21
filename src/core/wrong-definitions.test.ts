import { describe, expect, it } from 'vitest'
import { z } from 'zod'
import { define, serviceOf, versions } from '../../test/support/service.ts'
import type { FunctionDefinition } from './function.ts'

describe('a wrong definition fails at start and names function and field', () => {
  const components = {
    schemas: { Order: { type: 'object' } },
    errors: { NotFound: { code: 'NOT_FOUND', message: 'x' } },
    examplePairings: {
      Wrong: { name: 'Wrong', params: [{ value: 7 }] },
      Many: { name: 'Many', params: [{ value: 'a' }, { value: 'b' }] },
      Result: { name: 'Result', params: [{ value: 'a' }], result: { value: 'text' } },
    },
  }
  const withId = { type: 'object', properties: { id: { type: 'string' } }, required: ['id'] }

  it.each<[string, Partial<FunctionDefinition>, string]>([
    ['[F-61] a name under forrst.', { name: 'forrst.custom.thing' }, 'name is reserved'],
    ['[F-62] a name under urn:cline:', { name: 'urn:cline:forrst:fn:mine' }, 'name is reserved'],
    ['a name under urn:forrst:', { name: 'urn:forrst:ext:x:fn:y' }, 'name is reserved'],
    ['a name without a dot', { name: 'orders' }, 'name must look like'],
    ['a version that is none', { version: '1.0' }, 'version must be a semantic version'],
    [
      '[F-86] both supported and excluded',
      { accepts: { supported: ['urn:forrst:ext:a'], excluded: ['urn:forrst:ext:b'] } as never },
      'accepts must not list both supported and excluded',
    ],
    [
      'an empty list of extensions',
      { accepts: { excluded: [] } },
      'accepts must list at least one',
    ],
    [
      'an extension listed twice',
      { accepts: { supported: ['urn:a:b', 'urn:a:b'] } },
      'accepts lists an extension twice',
    ],
    [
      'a misspelt field',
      { sumary: 'x' } as never,
      'sumary is not a field of a function; did you mean',
    ],
    [
      'an unknown field',
      { owner: 'team-a' } as never,
      'owner is not a field of a function; fields',
    ],
    [
      'an extension that is declared twice',
      { extensions: [{ urn: 'urn:forrst:ext:caching' }, { urn: 'urn:cline:forrst:ext:caching' }] },
      'extensions[1].urn "urn:forrst:ext:caching" is declared twice',
    ],
    [
      'a default outside its enum',
      {
        input: {
          type: 'object',
          properties: {
            page: { type: 'object', properties: { order: { enum: ['a', 'b'], default: 'c' } } },
          },
        },
      },
      'input.page.order has a default, "c", that is not one of a, b',
    ],
    [
      'a side effect that is none of the three',
      { writes: ['creates'] } as never,
      'writes[0] must be one of create, update, delete; got "creates"; did you mean "create"?',
    ],
    ['side effects that are not a list', { writes: 'create' } as never, 'writes must be a list'],
    ['readOnly and writes', { readOnly: true, writes: ['create'] }, 'readOnly cannot be combined'],
    [
      'readOnly with side effects',
      { readOnly: true, sideEffects: ['create'] },
      'sideEffects must be empty',
    ],
    [
      'a preset and accepts',
      { writes: ['create'], accepts: { excluded: ['urn:a:b'] } },
      'accepts cannot be combined',
    ],
    [
      'a $ref that leads nowhere',
      { input: { type: 'object', properties: { a: { $ref: '#/components/schemas/Nope' } } } },
      'input is wrong at "/properties/a/$ref": leads nowhere: #/components/schemas/Nope',
    ],
    [
      'a reference to a component that is not there',
      { errors: [{ $ref: '#/components/errors/Nope' }] },
      'errors[0] refers to "#/components/errors/Nope"',
    ],
    [
      'a reference to a component of another kind',
      { tags: [{ $ref: '#/components/errors/NotFound' }] },
      'tags[0] refers to "#/components/errors/NotFound"',
    ],
    [
      'arguments that are not an object',
      { input: { type: 'string' } },
      'input must describe an object',
    ],
    [
      'a code in the wrong case',
      { errors: [{ code: 'nope', message: 'x' }] },
      'errors[0].code must be',
    ],
    [
      'a sunset that is not a date',
      { deprecated: { sunset: 'soon' } },
      'deprecated.sunset must be an ISO date',
    ],
    [
      '[F-170] a simulation with output and error',
      { simulations: [{ name: 'a', input: {}, output: 1, error: { code: 'A', message: 'x' } }] },
      'simulations[0] must not have both output and error',
    ],
    [
      'two simulations of one name',
      {
        simulations: [
          { name: 'a', input: {} },
          { name: 'a', input: {} },
        ],
      },
      'simulations[1].name "a" is used twice',
    ],
    [
      'a simulation whose output breaks the schema',
      { output: { type: 'string' }, simulations: [{ name: 'a', input: {}, output: 7 }] },
      'simulations[0] ("a") has output that the schema refuses',
    ],
    [
      'an example whose argument breaks the schema',
      { input: withId, examples: [{ $ref: '#/components/examplePairings/Wrong' }] },
      'examples[0] ("Wrong") has arguments that the schema refuses at "/id"',
    ],
    [
      'examples that are no list',
      { examples: { id: 'o_1' } as never },
      'examples must be a list of objects',
    ],
    [
      'an example that is no object',
      { examples: ['o_1'] as never },
      'examples[0] must be an object',
    ],
    [
      'an example without params',
      { input: withId, examples: [{ name: 'One', input: { id: 'o_1' } }] as never },
      'examples[0].params must be a list of objects; got',
    ],
    [
      'an example with named params',
      { input: withId, examples: [{ name: 'One', params: { id: 'o_1' } }] as never },
      'examples[0].params must be a list of objects; got',
    ],
    [
      'an example with bare values',
      { input: withId, examples: [{ name: 'One', params: ['o_1'] }] as never },
      'examples[0].params[0] must be an object; got',
    ],
    [
      'an example without a name',
      { input: withId, examples: [{ params: [] }] as never },
      'examples[0].name must be a string',
    ],
    [
      'errors that are no list',
      { errors: 'NOT_FOUND' as never },
      'errors must be a list of objects',
    ],
    [
      'a date where JSON has none',
      { input: z.object({ due: z.date() }) as never },
      'input.due: z.date() cannot be sent as JSON; use z.iso.datetime()',
    ],
    [
      'an example with too many params',
      { input: withId, examples: [{ $ref: '#/components/examplePairings/Many' }] },
      'examples[0] ("Many") has 2 params, the function only 1 arguments',
    ],
    [
      'an example whose result breaks the schema',
      {
        input: withId,
        output: { type: 'number' },
        examples: [{ $ref: '#/components/examplePairings/Result' }],
      },
      'examples[0] ("Result") has result that the schema refuses',
    ],
    [
      'arguments that input does not have',
      { input: withId, arguments: [{ name: 'uid', schema: {}, required: true }] },
      'arguments[0] describes "uid", which input does not have',
    ],
    [
      'arguments that disagree about required',
      { input: withId, arguments: [{ name: 'id', schema: {} }] },
      'arguments[0].required says false for "id", input says true',
    ],
    [
      'arguments that leave one out',
      { input: withId, arguments: [] },
      'arguments does not describe "id"',
    ],
    [
      'a query that nothing answers',
      { query: { filters: { allowed: ['a'] } } },
      'resources must be a function that answers the queries in query',
    ],
    [
      'an answer to queries that nobody can ask',
      { resources: () => ({ data: [] }) },
      'query must say what callers may ask of resources',
    ],
    [
      'a default sort that is not allowed',
      {
        query: { sorts: { allowed: ['a'], default: { field: 'b', direction: 'asc' } } },
        resources: () => ({ data: [] }),
      },
      'query.sorts.default sorts by "b"',
    ],
  ])('%s', (_title, fields, message) => {
    const definition = define(fields)
    const create = () => serviceOf([definition], { components })
    expect(create).toThrow(TypeError)
    expect(create).toThrow(`function ${definition.name}: ${message}`)
  })

  it.each([
    [undefined, 'functions must be a list of definitions made by defineFunction'],
    [{}, 'functions must be a list of definitions made by defineFunction'],
    [[undefined], 'functions[0] must be a definition made by defineFunction'],
    [['orders.get'], 'functions[0] must be a definition made by defineFunction'],
  ])('functions that are %j', (functions, message) => {
    expect(() => serviceOf(functions as never)).toThrow(new TypeError(message))
  })

  it('but a field that begins with x- is fine', () => {
    expect(() => serviceOf([define({ 'x-owner': 'team-a' } as never)])).not.toThrow()
  })

  it('a link to a function that the service does not have', () => {
    const links = (name: string) => [{ name: 'order', function: name }]
    expect(() => serviceOf([define({ links: links('orders.gte') })])).toThrow(
      new TypeError(
        'function orders.get: links[0].function is "orders.gte", which this service does not have; did you mean "orders.get"?',
      ),
    )
    expect(() => serviceOf([define({ links: links('orders.get') })])).not.toThrow()
  })

  it('[F-72] the same name and version twice', () => {
    expect(() => serviceOf(versions('1.0.0', '1.0.0'))).toThrow(
      'function orders.get: version 1.0.0 is defined twice',
    )
  })

  it.each([
    [{ tags: { A: {} } }, 'components.tags.A needs "name"'],
    [{ errors: { A: { code: 'A' } } }, 'components.errors.A needs "message"'],
    [
      { contentDescriptors: { A: { name: 'a' } } },
      'components.contentDescriptors.A needs "schema"',
    ],
    [{ examplePairings: { A: { name: 'a' } } }, 'components.examplePairings.A needs "params"'],
    [{ links: { A: {} } }, 'components.links.A needs "name"'],
    [{ resources: { a: { type: 'a' } } }, 'components.resources.a needs "attributes"'],
    [
      { resources: { a: { type: 'a', attributes: { b: {} } } } },
      'components.resources.a.attributes.b needs "schema"',
    ],
    [
      {
        resources: {
          a: {
            type: 'a',
            attributes: {},
            relationships: { b: { resource: 'c', cardinality: 'two' } },
          },
        },
      },
      'components.resources.a.relationships.b needs "cardinality"',
    ],
    [
      { examples: { A: { value: 1, externalValue: 'x' } } },
      'components.examples.A must not have both',
    ],
    [{ schemas: { 'a b': {} } }, 'components.schemas.a b must be named'],
    [
      { schemas: { A: { $ref: '#/components/schemas/B' } } },
      'components.schemas.A is wrong at "/$ref": leads nowhere',
    ],
    [{ models: {} }, 'components.models is not a kind of component'],
  ])('[F-152][F-153][F-154][F-155][F-157][F-158][F-159][F-160] components %j', (wrong, message) => {
    expect(() => serviceOf([], { components: wrong as never })).toThrow(message)
  })

  it('[F-63] but names of an organisation of its own are fine', () => {
    expect(() => serviceOf([define({ name: 'myorg.system.audit' })])).not.toThrow()
  })
})
