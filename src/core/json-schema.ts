import type { JsonSchema, Validation } from './schema.ts'
import { bundleSchema, type SchemaBundle } from './schema-bundle.ts'
import { isSubschema, type Subschema } from './schema-keywords.ts'
import { type Definitions, toDefinitions } from './schema-links.ts'
import { assertPatterns } from './schema-mistakes.ts'
import type { NormalizeOptions } from './schema-normalize.ts'
import { MAX_PROBLEMS, toProblems } from './schema-problems.ts'
import { compileMatches, findErrors, interpretMatches, type Matches } from './schema-validator.ts'

export { findDanglingRefs } from './schema-links.ts'
export { findSchemaMistakes } from './schema-mistakes.ts'

/** Checks a value against one schema. */
export type SchemaCheck = (value: unknown) => Validation

/** How a schema is compiled. */
export interface CompileSchemaOptions {
  /** Named schemas for `$ref: '#/components/schemas/Name'`; they may refer to one another in circles. */
  readonly components?: { readonly schemas?: Readonly<Record<string, JsonSchema>> }
  /** Further targets of `$ref` by absolute URI, or by `#/…` reference. */
  readonly definitions?: Readonly<Record<string, Subschema>>
  /** Whether `format` is checked; by default it only describes. */
  readonly assertFormats?: boolean
  /**
   * The longest string a `pattern` is tried on; a longer one fails the pattern. Set it for schemas
   * from outside, where a bad pattern takes time squared or worse. No limit by default.
   */
  readonly patternInputLimit?: number
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
  assertPatterns(schema)
  const normalizeOptions = resolveOptions(options)
  let bundle: SchemaBundle | undefined
  let matches: Matches | undefined
  let seen = options.now === true ? 1 : 0

  const prepare = (): Matches => {
    bundle ??= tryBundle(schema, normalizeOptions)
    seen += 1
    if (seen === 1) return guard(interpretMatches(bundle.context, bundle.schema), bundle)
    matches = guard(compileMatches(bundle.context, bundle.schema), bundle)
    return matches
  }
  if (options.now === true) prepare()

  return (value) => {
    const current = matches ?? prepare()
    try {
      if (current(value)) return { ok: true, value }
      return explain(bundle ?? tryBundle(schema, normalizeOptions), value)
    } catch (thrown) {
      if (thrown instanceof RangeError) return TOO_DEEP
      throw thrown
    }
  }
}

const TOO_DEEP: Validation = {
  ok: false,
  problems: [{ pointer: '', code: 'depth', message: 'is nested too deeply to be checked' }],
}

function resolveOptions(options: CompileSchemaOptions): NormalizeOptions {
  const named = options.components?.schemas
  const definitions: Definitions = {
    ...(named && toDefinitions(named)),
    ...(options.definitions && toDefinitions(options.definitions)),
  }
  return {
    definitions,
    assertFormats: options.assertFormats ?? false,
    patternInputLimit: options.patternInputLimit ?? Number.POSITIVE_INFINITY,
  }
}

function tryBundle(schema: Subschema, options: NormalizeOptions): SchemaBundle {
  try {
    return bundleSchema(schema, options)
  } catch (thrown) {
    if (!(thrown instanceof RangeError)) throw thrown
    throw new TypeError('the schema is nested too deeply', { cause: thrown })
  }
}

/** The validator takes inherited members for members; a copy without a prototype has none. */
function guard(matches: Matches, { namesInherited }: SchemaBundle): Matches {
  return namesInherited ? (value) => matches(withoutPrototype(value)) : matches
}

function explain({ schema, context, namesInherited }: SchemaBundle, value: unknown): Validation {
  const seen = namesInherited ? withoutPrototype(value) : value
  const errors = findErrors(context, schema, seen, MAX_PROBLEMS * 10)
  return { ok: false, problems: toProblems(errors, value) }
}

function withoutPrototype(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutPrototype)
  if (typeof value !== 'object' || value === null) return value
  const copy: Record<string, unknown> = Object.create(null)
  for (const [key, member] of Object.entries(value)) copy[key] = withoutPrototype(member)
  return copy
}
