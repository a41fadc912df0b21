export { admitDigits } from './admit-digits.ts'
export {
  closeArguments,
  openUnnamedArguments,
  type UnknownArguments,
  withFunctionName,
} from './closed-arguments.ts'
export { compileSchema, findSchemaMistakes, type SchemaCheck } from './compile.ts'
export { readDialect, to202012, toDraft7 } from './dialect.ts'
export { isSubschema, mapSubschemas, mapValues, type Subschema } from './keywords.ts'
export { listPatterns } from './mistakes.ts'
export { withNullLeftOut } from './null-arguments.ts'
export { compilePattern, judgePattern } from './pattern/index.ts'
export { collectSchemas, inlineReferences, moveReferences, referenceName } from './references.ts'
export {
  type Check,
  type HandledAs,
  type InputOf,
  isStandardSchema,
  type JsonSchema,
  jsonSchema,
  type OutputOf,
  type Problem,
  type Schema,
  type StandardSchema,
  type TypedJsonSchema,
  type Validation,
  type ValueOf,
} from './schema.ts'
export {
  closeStandardSchema,
  toClosedCheck,
  toStandardCheck,
  toStandardJsonSchema,
} from './standard.ts'
