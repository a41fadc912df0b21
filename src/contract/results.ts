import type { Reply, Service, Target } from '../core/index.ts'
import {
  allowAny,
  bundleSchema,
  compileSchema,
  type JsonSchema,
  listLocalInPlace,
  mapSchema,
} from '../schema/index.ts'
import { canonicalUrn, extensionUrn, isList, isRecord, once } from '../values/index.ts'
import type { Parameters } from './parameters.ts'

/** A form of a result. Blocks of content are the form of a value that a remote tool gave. */
export type ResultKind = 'value' | 'items' | 'binary'

/** What a function may answer with. */
export interface Results {
  /** What it says it gives; undefined when it does not say. */
  readonly value: JsonSchema | undefined
  /** A resource document, to callers whose call is a query. */
  readonly document: JsonSchema | undefined
  /** What may come: a value, items one by one, or bytes. */
  readonly kinds: readonly ResultKind[]
  /** Each partial result of a function that streams, masked or not. */
  readonly item: JsonSchema | undefined
  /** Everything the function may answer with in one piece, masked or not; undefined when it does not say. */
  readonly whole: JsonSchema | undefined
  /** Tells whether what was made of a result, such as a shorter list, is still one of `whole`. */
  readonly accepts: (result: unknown) => boolean
  /** True when every result may have members beyond those described. */
  readonly isOpen: boolean
}

/** Derives the results of a function. */
export function toResults(service: Service, target: Target, { query }: Parameters): Results {
  const { outputSchema, itemSchema } = target
  const document = query && (target.definition.query?.pagination ? LIST_DOCUMENT : DOCUMENT)
  const widen = toMasked(service, target)
  const value = outputSchema && widen(outputSchema)
  const whole = value && document ? toUnion(value, document) : value
  const check = once(() => whole && compileSchema(whole, toCheckOptions(service, target)))
  return {
    value: outputSchema,
    document,
    kinds: [
      target.outputFiles?.rule === undefined ? 'value' : 'binary',
      ...(target.streams ? (['items'] as const) : []),
    ],
    item: itemSchema && widen(itemSchema),
    whole,
    accepts: (result) => check()?.(result).ok ?? true,
    isOpen: whole === undefined || isOpen(whole, service),
  }
}

const REDACT = extensionUrn('redact')

/** Tells whether members of the result were masked: it may not have its promised shape any more. */
export function isMasked({ extensions }: Reply): boolean {
  if (extensions === undefined) return false
  return extensions.some(({ urn, data }) => {
    const fields = canonicalUrn(urn) === REDACT ? data?.['redacted_fields'] : undefined
    return isList(fields) && fields.length > 0
  })
}

function toCheckOptions({ components }: Service, { definition }: Target) {
  return {
    isOwn: definition.imported !== true,
    assertFormats: definition.imported !== true,
    components: { schemas: components.schemas ?? {} },
  }
}

/** Allows text in place of what extensions mask in every call of the function. */
function toMasked(
  { extensions, components }: Service,
  { joining }: Target,
): (schema: JsonSchema) => JsonSchema {
  const tests = extensions.flatMap(({ urn, masks }) =>
    masks !== undefined && joining.includes(urn) ? [masks] : [],
  )
  if (tests.length === 0) return (schema) => schema
  const widen = (schema: JsonSchema): JsonSchema => {
    const { properties } = schema
    if (!isRecord(properties)) return schema
    const members = Object.entries(properties).map(([name, member]) => [
      name,
      tests.some((masks) => masks(name))
        ? allowAny([member as JsonSchema, { type: 'string', description: 'masked' }])
        : member,
    ])
    return { ...schema, properties: Object.fromEntries(members) }
  }
  return (schema) => mapSchema(bundleSchema(schema, components.schemas ?? {}), widen)
}

const CLOSING = ['additionalProperties', 'unevaluatedProperties', 'propertyNames', 'maxProperties']

function isOpen(schema: JsonSchema, { components }: Service): boolean {
  return listLocalInPlace([schema], { ...schema, components }).every((one) =>
    CLOSING.every((keyword) => one[keyword] === undefined || one[keyword] === true),
  )
}

/** Definitions stay where references look for them: at the root. */
function toUnion(value: JsonSchema, document: JsonSchema): JsonSchema {
  const { $defs, definitions, $schema, ...own } = value
  return {
    ...($schema !== undefined && { $schema }),
    ...(allowAny([own, document]) as JsonSchema),
    ...($defs !== undefined && { $defs }),
    ...(definitions !== undefined && { definitions }),
  }
}

const RESOURCE: JsonSchema = {
  type: 'object',
  required: ['type', 'id'],
  properties: {
    type: { type: 'string' },
    id: { type: 'string' },
    attributes: { type: 'object' },
    relationships: { type: 'object' },
    meta: { type: 'object' },
  },
  additionalProperties: false,
}

const RESOURCES: JsonSchema = { type: 'array', items: RESOURCE }

const DOCUMENT = describeDocument(allowAny([RESOURCES, RESOURCE, { type: 'null' }]) as JsonSchema)

/** What a function with pages answers a query with. */
const LIST_DOCUMENT = describeDocument(RESOURCES)

function describeDocument(data: JsonSchema): JsonSchema {
  return {
    type: 'object',
    description: 'The answer to a query: resources, related ones, and the page in meta.pagination',
    required: ['data'],
    properties: { data, included: RESOURCES, meta: { type: 'object' } },
    additionalProperties: false,
  }
}
