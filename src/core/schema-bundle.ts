import type { Dialect } from './dialect.ts'
import { createRecord } from './json.ts'
import { resolvePointer } from './pointer.ts'
import { isSubschema, type Subschema } from './schema-keywords.ts'
import {
  decodeFragment,
  type Link,
  listLinks,
  matchDefinition,
  ROOT_BASE,
  toAddress,
  withoutFragment,
} from './schema-links.ts'
import {
  dialectOf,
  type NormalizedSchema,
  type NormalizeOptions,
  normalizeSchema,
} from './schema-normalize.ts'
import { readMetaSchema, type SchemaContext } from './schema-validator.ts'

/** A schema with everything it reaches, ready for the validator. */
export interface SchemaBundle {
  readonly schema: Subschema
  readonly context: SchemaContext
  readonly namesInherited: boolean
  /** True when it has to be bundled anew for every value, with the names of its members. */
  readonly needsNames: boolean
}

/** Gathers the definitions a schema reaches, and no others: the validator looks at each one it is given. */
export function bundleSchema(schema: Subschema, options: NormalizeOptions): SchemaBundle {
  const dialect = dialectOf(schema)
  const root: Part = {
    original: schema,
    base: baseOf(schema, ROOT_BASE),
    normalized: normalizeSchema(schema, dialect, options),
  }
  const bundler = createBundler(root, dialect, options)
  bundler.follow(root)
  return {
    schema: root.normalized.schema,
    context: bundler.finish(),
    namesInherited: bundler.parts().some(({ normalized }) => normalized.namesInherited),
    needsNames: bundler.parts().some(({ normalized }) => normalized.needsNames),
  }
}

interface Part {
  readonly original: Subschema
  readonly base: string
  readonly normalized: NormalizedSchema
  /** The `#/…` reference of a component. */
  readonly component?: string
}

function createBundler(root: Part, dialect: Dialect, options: NormalizeOptions) {
  const { findDefinition } = options
  // Without a prototype, so that no reference finds what every object inherits.
  const context: SchemaContext = createRecord()
  const parts = new Map<string, Part>([['', root]])
  const local: Link[] = []
  let isOneDocument = true

  function include(key: string, original: Subschema): Part {
    const known = parts.get(key)
    if (known !== undefined) return known
    const isComponent = key.startsWith('#')
    const part: Part = {
      original,
      base: isComponent ? baseOf(original, `${ROOT_BASE}${parts.size}`) : key,
      normalized: normalizeSchema(original, dialect, options, isComponent ? key : undefined),
      ...(isComponent && { component: key }),
    }
    parts.set(key, part)
    context[key] = part.normalized.schema
    isOneDocument &&= isComponent
    follow(part)
    return part
  }

  function follow(part: Part): void {
    if (typeof part.original === 'boolean') return
    for (const link of listLinks(part.original, part.base, true)) followLink(link, part)
  }

  function followLink(link: Link, part: Part): void {
    const match = matchDefinition(link.ref, findDefinition)
    if (match !== undefined) {
      name(link.ref, include(match.key, match.schema), match.rest)
    } else if (link.ref.startsWith('#') && link.base === part.base) {
      if (part.component === undefined) local.push(link)
      else name(`${part.component}${link.ref.slice(1)}`, part, decodeFragment(link.ref.slice(1)))
    } else {
      followAddress(link)
    }
  }

  function followAddress(link: Link): void {
    isOneDocument = false
    const resource = withoutFragment(toAddress(link.ref, link.base) ?? '')
    const target = findDefinition(resource) ?? readMetaSchema(resource)
    if (target === undefined) return
    const part = include(resource, target)
    // The validator looks for an address as it is written first; without this it would search for the "#".
    if (link.ref === `${resource}#`) context[link.ref] = part.normalized.schema
  }

  /** Gives the validator the very schema a reference means, which it then finds without a search. */
  function name(ref: string, part: Part, pointer: string): void {
    const target = part.normalized.find(resolvePointer(part.original, pointer))
    if (target !== undefined) context[ref] = target
  }

  return {
    follow,
    parts: () => [...parts.values()],
    finish(): SchemaContext {
      // In several documents `#/…` means a different schema in each; there the validator has to search.
      if (isOneDocument) {
        for (const { ref } of local) name(ref, root, decodeFragment(ref.slice(1)))
      }
      return context
    },
  }
}

function baseOf(schema: Subschema, outer: string): string {
  const $id = isSubschema(schema) && typeof schema !== 'boolean' ? schema['$id'] : undefined
  return withoutFragment(typeof $id === 'string' ? (toAddress($id, outer) ?? outer) : outer)
}
