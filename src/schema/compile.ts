import { Build, Check, ErrorContext, ErrorSchema, Meta, Stack } from 'typebox/schema'
import { Settings } from 'typebox/system'
import { createRecord, resolvePointer } from '../values/index.ts'
import { listMemberNames } from './arguments.ts'
import { DIALECT_URIS, type Dialect } from './dialect.ts'
import { assertPatterns } from './mistakes.ts'
import {
  dialectOf,
  type NormalizedSchema,
  type NormalizeOptions,
  normalizeSchema,
} from './normalize.ts'
import { collectNames, TooManyNames } from './patterns.ts'
import { MAX_PROBLEMS, toProblems, type ValidatorError } from './problems.ts'
import {
  createDefinitionFinder,
  type Definitions,
  listLinks,
  matchDefinition,
  ROOT_BASE,
  resolveUri,
  type SchemaLink,
  withoutFragment,
} from './reference/definitions.ts'
import type { JsonSchema, Validation } from './schema.ts'
import { decodeFragment, isSubschema, type Subschema, withinDepth } from './walk/index.ts'

export { findSchemaMistakes } from './mistakes.ts'

/** Checks a value against one schema. */
export type SchemaCheck = (value: unknown) => Validation

/** How a schema is compiled. */
export interface CompileSchemaOptions {
  /** Named schemas for `$ref: '#/components/schemas/Name'`; they may refer to one another in circles. */
  readonly components?: { readonly schemas?: Readonly<Record<string, JsonSchema>> }
  /** Further targets of `$ref` by absolute URI, or by `#/…` reference. */
  readonly definitions?: Definitions
  /** Whether `format` is checked; by default it only describes. */
  readonly assertFormats?: boolean
  /**
   * True for a schema in the service's own code: a pattern that looks around or refers back then runs on the engine
   * of JavaScript. From outside, the default, it is not checked, because it could take for ever.
   */
  readonly isOwn?: boolean
  /** Whether `type: integer` ends where numbers lose digits, at ±(2^53−1); set it for arguments. */
  readonly safeIntegers?: boolean
  /** Compile at once instead of on the second call. */
  readonly now?: boolean
}

/**
 * Compiles a JSON Schema (2020-12, or draft 7 where `$schema` says so) into a check.
 *
 * The first value is checked without compiling, the second one compiles: a schema that is used once,
 * as for an example at start-up, then costs little.
 */
export function compileSchema(schema: Subschema, options: CompileSchemaOptions = {}): SchemaCheck {
  if (!isSubschema(schema)) throw new TypeError('a schema must be an object or a boolean')
  withinDepth(() => assertPatterns(schema))
  const normalizeOptions = resolveOptions(options)
  let bundle: SchemaBundle | undefined
  let compiled: Checker | undefined
  let uses = options.now === true ? 1 : 0

  const prepare = (value?: unknown): Checker => {
    bundle ??= withinDepth(() => gatherSchema(schema, normalizeOptions))
    if (bundle.needsNames) return toNamedChecker(schema, normalizeOptions, value)
    uses += 1
    if (uses === 1) return createChecker(bundle, interpretMatches)
    compiled = createChecker(bundle, compileMatches)
    return compiled
  }
  if (options.now === true) prepare()

  return (value) => {
    try {
      const checker = compiled ?? prepare(value)
      return checker.matches(value)
        ? { ok: true, value }
        : explain(checker.bundle, value, () => listKnown(schema, normalizeOptions))
    } catch (thrown) {
      if (thrown instanceof RangeError) return TOO_DEEP
      if (thrown instanceof TooManyNames) return toTooMany(thrown.message)
      throw thrown
    }
  }
}

interface Checker {
  readonly bundle: SchemaBundle
  readonly matches: Matches
}

function createChecker(bundle: SchemaBundle, make: typeof compileMatches): Checker {
  const matches = make(bundle.context, bundle.schema)
  if (!bundle.namesInherited) return { bundle, matches }
  // The validator takes inherited members for members; a copy without a prototype has none.
  return { bundle, matches: (value) => matches(withoutPrototype(value)) }
}

/** Checks one value against a schema whose patterns of names run on another engine than the validator's. */
function toNamedChecker(schema: Subschema, options: NormalizeOptions, value: unknown): Checker {
  const names = [...collectNames(value)]
  return createChecker(gatherSchema(schema, { ...options, names }), interpretMatches)
}

function toTooMany(message: string): Validation {
  return { ok: false, problems: [{ pointer: '', code: 'patternProperties', message }] }
}

const TOO_DEEP: Validation = {
  ok: false,
  problems: [{ pointer: '', code: 'depth', message: 'is nested too deeply to be checked' }],
}

function resolveOptions(options: CompileSchemaOptions): NormalizeOptions {
  const { components, definitions } = options
  return {
    findDefinition: createDefinitionFinder([components?.schemas ?? {}, definitions ?? {}]),
    assertFormats: options.assertFormats ?? false,
    isOwn: options.isOwn ?? false,
    safeIntegers: options.safeIntegers ?? false,
  }
}

function listKnown(schema: Subschema, { findDefinition }: NormalizeOptions): readonly string[] {
  return typeof schema === 'boolean' ? [] : listMemberNames(schema, findDefinition)
}

function explain(
  { schema, context, namesInherited }: SchemaBundle,
  value: unknown,
  listNames: () => readonly string[],
): Validation {
  const seen = namesInherited ? withoutPrototype(value) : value
  const errors = findErrors(context, schema, seen, MAX_PROBLEMS * 10)
  return { ok: false, problems: toProblems(errors, value, listNames) }
}

function withoutPrototype(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPrototype)
  if (typeof value !== 'object' || value === null) return value
  const copy = createRecord<unknown>()
  for (const [key, member] of Object.entries(value)) copy[key] = withoutPrototype(member)
  return copy
}

/** Schemas by the reference that names them, as the validator looks them up. */
type SchemaContext = Record<string, Subschema>

/** Tells whether a value matches. */
type Matches = (value: unknown) => boolean

/** Compiles a schema to machine code where the host allows that, else to an interpreter. */
function compileMatches(context: SchemaContext, schema: Subschema): Matches {
  try {
    const compiled = Build(context, schema).Evaluate()
    return (value) => compiled.Check(value)
  } catch (thrown) {
    // Thousands of properties overflow the parser of generated code, not the interpreter.
    if (thrown instanceof RangeError) return interpretMatches(context, schema)
    throw thrown
  }
}

/** Checks by walking the schema: slower per value, ready at once. */
function interpretMatches(context: SchemaContext, schema: Subschema): Matches {
  return (value) => Check(context, schema, value)
}

/** Lists what is wrong with a value, up to a number of findings. */
function findErrors(
  context: SchemaContext,
  schema: Subschema,
  value: unknown,
  limit: number,
): readonly ValidatorError[] {
  const { maxErrors } = Settings.Get()
  // The limit is a setting of the whole library; it is put back before anybody else can look.
  Settings.Set({ maxErrors: limit })
  const errors = new ErrorContext()
  try {
    // What `Errors` does, without its sentences in English: ours are in messages.ts.
    ErrorSchema(Stack(context, schema), errors, '#', '', schema, value)
    return errors.GetErrors()
  } finally {
    Settings.Set({ maxErrors })
  }
}

/** Gives the meta-schema of a dialect that we know, by its address without fragment; the build leaves the others out. */
function readMetaSchema(address: string): Subschema | undefined {
  const uri = Object.values(DIALECT_URIS).find((one) => one.replace(/#$/, '') === address)
  return uri === undefined ? undefined : (Meta as Readonly<Record<string, Subschema>>)[uri]
}

/** A schema with everything it reaches, ready for the validator. */
interface SchemaBundle {
  readonly schema: Subschema
  readonly context: SchemaContext
  readonly namesInherited: boolean
  /** True when it has to be bundled anew for every value, with the names of its members. */
  readonly needsNames: boolean
}

/** Gathers the definitions a schema reaches, and no others: the validator looks at each one it is given. */
function gatherSchema(schema: Subschema, options: NormalizeOptions): SchemaBundle {
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
  const local: SchemaLink[] = []
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

  function followLink(link: SchemaLink, part: Part): void {
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

  function followAddress(link: SchemaLink): void {
    isOneDocument = false
    const resource = withoutFragment(resolveUri(link.ref, link.base) ?? '')
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
  return withoutFragment(typeof $id === 'string' ? (resolveUri($id, outer) ?? outer) : outer)
}
