import type { Components } from './description.ts'
import { isRecord } from './json.ts'
import { findSchemaMistakes } from './json-schema.ts'
import type { JsonSchema } from './schema.ts'

const KEY = /^[a-zA-Z0-9._-]+$/
const REQUIRED = {
  schemas: [],
  contentDescriptors: ['name', 'schema'],
  errors: ['code', 'message'],
  examples: [],
  examplePairings: ['name', 'params'],
  links: ['name'],
  tags: ['name'],
  resources: ['type', 'attributes'],
} as const satisfies Record<keyof Components, readonly string[]>

/** Refuses wrong components with a TypeError that names the place. */
export function checkComponents(components: Components): void {
  for (const [kind, map] of Object.entries(components)) {
    if (!Object.hasOwn(REQUIRED, kind)) {
      refuse(kind, `is not a kind of component; known: ${Object.keys(REQUIRED).join(', ')}`)
    }
    for (const [key, component] of Object.entries(map as Record<string, unknown>)) {
      const place = `${kind}.${key}`
      if (!KEY.test(key)) refuse(place, 'must be named with letters, digits, ".", "_" and "-" only')
      if (!isRecord(component)) refuse(place, 'must be an object')
      const missing = REQUIRED[kind as keyof Components].find(
        (field) => !(field in Object(component)),
      )
      if (missing !== undefined) refuse(place, `needs "${missing}"`)
    }
  }
  checkSchemas(components)
  checkExamples(components)
  checkResources(components)
}

function checkSchemas({ schemas = {}, contentDescriptors = {} }: Components): void {
  for (const [key, schema] of Object.entries(schemas)) {
    assertSchema(`schemas.${key}`, schema, schemas)
  }
  for (const [key, { schema }] of Object.entries(contentDescriptors)) {
    assertSchema(`contentDescriptors.${key}`, schema, schemas)
  }
}

function assertSchema(
  place: string,
  schema: JsonSchema,
  schemas: Readonly<Record<string, JsonSchema>>,
): void {
  const mistake = findSchemaMistakes(schema, schemas)[0]
  if (mistake) refuse(place, `is wrong at "${mistake.pointer}": ${mistake.message}`)
}

function checkExamples({ examples = {} }: Components): void {
  for (const [key, example] of Object.entries(examples)) {
    if ('value' in example && 'externalValue' in example) {
      refuse(`examples.${key}`, 'must not have both value and externalValue')
    }
  }
}

function checkResources({ resources = {} }: Components): void {
  for (const [key, { attributes, relationships = {} }] of Object.entries(resources)) {
    for (const [name, attribute] of Object.entries(attributes)) {
      if (!isRecord(attribute?.schema))
        refuse(`resources.${key}.attributes.${name}`, 'needs "schema"')
    }
    for (const [name, { resource, cardinality }] of Object.entries(relationships)) {
      const place = `resources.${key}.relationships.${name}`
      if (typeof resource !== 'string') refuse(place, 'needs "resource"')
      if (cardinality !== 'one' && cardinality !== 'many') {
        refuse(place, 'needs "cardinality" of "one" or "many"')
      }
    }
  }
}

function refuse(place: string, reason: string): never {
  throw new TypeError(`components.${place} ${reason}`)
}
