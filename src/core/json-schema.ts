import { listMemberNames } from './closed-arguments.ts'
import { createRecord } from './json.ts'
import type { JsonSchema, Validation } from './schema.ts'
import { bundleSchema, type SchemaBundle } from './schema-bundle.ts'
import { isSubschema, type Subschema, withinDepth } from './schema-keywords.ts'
import { createDefinitionFinder, type Definitions } from './schema-links.ts'
import { assertPatterns } from './schema-mistakes.ts'
import type { NormalizeOptions } from './schema-normalize.ts'
import { collectNames, TooManyNames } from './schema-patterns.ts'
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
    bundle ??= withinDepth(() => bundleSchema(schema, normalizeOptions))
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
  return createChecker(bundleSchema(schema, { ...options, names }), interpretMatches)
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
