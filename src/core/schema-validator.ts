import { createRequire } from 'node:module'
import type * as TypeBox from 'typebox/schema'
import type * as TypeBoxSystem from 'typebox/system'
import type { Subschema } from './schema-keywords.ts'
import type { ValidatorError } from './schema-problems.ts'

/** Schemas by the reference that names them, as the validator looks them up. */
export type SchemaContext = Record<string, Subschema>

/** Tells whether a value matches. */
export type Matches = (value: unknown) => boolean

// TypeBox is 230 files: loading them when a JSON Schema is first used keeps them out of start-up.
const require = createRequire(import.meta.url)
const loadTypeBox = once(() => require('typebox/schema') as typeof TypeBox)
const loadSystem = once(() => require('typebox/system') as typeof TypeBoxSystem)

function once<Value>(load: () => Value): () => Value {
  let value: Value | undefined
  return () => {
    value ??= load()
    return value
  }
}

/** Compiles a schema to machine code where the host allows that, else to an interpreter. */
export function compileMatches(context: SchemaContext, schema: Subschema): Matches {
  try {
    const compiled = loadTypeBox().Build(context, schema).Evaluate()
    return (value) => compiled.Check(value)
  } catch (thrown) {
    // Thousands of properties overflow the parser of generated code, not the interpreter.
    if (thrown instanceof RangeError) return interpretMatches(context, schema)
    throw thrown
  }
}

/** Checks by walking the schema: slower per value, ready at once. */
export function interpretMatches(context: SchemaContext, schema: Subschema): Matches {
  const { Check } = loadTypeBox()
  return (value) => Check(context, schema, value)
}

/** Lists what is wrong with a value, up to a number of findings. */
export function findErrors(
  context: SchemaContext,
  schema: Subschema,
  value: unknown,
  limit: number,
): readonly ValidatorError[] {
  const { Settings } = loadSystem()
  const { maxErrors } = Settings.Get()
  // The limit is a setting of the whole library; it is put back before anybody else can look.
  Settings.Set({ maxErrors: limit })
  try {
    return loadTypeBox().Errors(context, schema, value)[1]
  } finally {
    Settings.Set({ maxErrors })
  }
}

/** Gives the meta-schema of a dialect by its address without fragment. */
export function readMetaSchema(address: string): Subschema | undefined {
  const { Meta } = loadTypeBox()
  const entry = Object.entries(Meta).find(([uri]) => uri.replace(/#$/, '') === address)
  return entry?.[1]
}
