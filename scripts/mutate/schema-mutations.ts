import { isRecord } from '../../src/values/json.ts'
import { childOf, type Mutation, on, put, set } from './mutation.ts'
import { pickSchema } from './odd.ts'
import type { Node } from './sites.ts'
import { VALUES } from './values.ts'

/** Gives every kind of mess that schemas are in. */
export function schemaMutations(): Mutation[] {
  return [
    {
      name: 'odd schema',
      at: 'schema',
      apply: ({ site, chance }) => put(site, pickSchema(chance)),
    },
    on('schema', 'keywords added', ({ node, chance }) => {
      const more = pickSchema(chance)
      if (isRecord(more)) for (const [key, value] of Object.entries(more)) set(node, key, value)
    }),
    on('schema', 'a property named oddly', ({ node, chance }) => {
      const properties: Node = isRecord(node['properties']) ? node['properties'] : {}
      const name = chance.pick(VALUES.names)
      set(properties, name, pickSchema(chance))
      set(node, 'properties', properties)
      set(node, 'required', chance.pick([[name], [name, name], true, undefined]))
    }),
    on('schema', 'contains itself', ({ site, node, document, chance }) => {
      const key = chance.pick(['Loop', 'a/b', 'a~b', 'ü %', 'x y'])
      const place = 'swagger' in document ? 'definitions' : 'schemas'
      const home = 'swagger' in document ? document : childOf(document, 'components')
      const escaped = encodeURIComponent(key.replaceAll('~', '~0').replaceAll('/', '~1'))
      const ref = { $ref: `#/${place === 'schemas' ? 'components/' : ''}${place}/${escaped}` }
      const how = chance.pick([
        'allOf',
        'oneOf',
        'anyOf',
        'items',
        'properties',
        'additionalProperties',
        'direct',
      ])
      const loop: unknown =
        how === 'direct'
          ? ref
          : how === 'properties'
            ? { ...node, properties: { loop: ref, again: { type: 'array', items: ref } } }
            : how === 'items' || how === 'additionalProperties'
              ? { [how]: ref }
              : { [how]: [ref, node] }
      set(childOf(home, place), key, loop)
      put(
        site,
        chance.flip(0.5)
          ? ref
          : { ...ref, description: 'a sibling', nullable: true, type: 'string' },
      )
    }),
    on('schema', 'refers to a parameter elsewhere', ({ site, document, chance }) => {
      const paths = isRecord(document['paths']) ? Object.keys(document['paths']) : []
      const path = (paths[chance.below(Math.max(paths.length, 1))] ?? '')
        .replaceAll('~', '~0')
        .replaceAll('/', '~1')
      put(site, {
        $ref: `#/paths/${chance.flip(0.5) ? path : encodeURIComponent(path)}/get/parameters/0${chance.pick(['', '/schema'])}`,
      })
    }),
    on('schema', 'a hundred levels', ({ site, node, chance }) => {
      const how = chance.pick(['items', 'allOf', 'oneOf', 'properties', 'additionalProperties'])
      let inner: unknown = node
      for (let level = 0; level < 100; level++) {
        inner =
          how === 'properties'
            ? { type: 'object', properties: { [`level${level}`]: inner } }
            : how === 'items'
              ? { type: 'array', items: inner }
              : how === 'additionalProperties'
                ? { type: 'object', additionalProperties: inner }
                : { [how]: [inner] }
      }
      put(site, inner)
    }),
    on('schema', 'many properties', ({ node, chance }) => {
      const count = chance.pick([50, 600])
      const properties = Array.from({ length: count }, (_, index) => [
        `field ${index}`,
        { type: 'string', description: 'x'.repeat(chance.below(200)) },
      ])
      set(node, 'properties', Object.fromEntries(properties))
    }),
    on('schema', 'combined', ({ site, node, chance }) => {
      const how = chance.pick(['allOf', 'oneOf', 'anyOf'])
      put(site, {
        [how]: [node, pickSchema(chance), pickSchema(chance)],
        discriminator: { propertyName: chance.pick(VALUES.names) },
      })
    }),
    on('schema', 'a keyword lost', ({ node, chance }) => {
      const keys = Object.keys(node)
      if (keys.length > 0) delete node[chance.pick(keys)]
    }),
  ]
}
