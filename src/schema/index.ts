/*
 * JSON Schema, and the only module that knows `$ref`, `allOf`, `anyOf` and `oneOf`. Everybody else asks:
 *
 * - walk: `walkSchema` and `mapSchema` visit and rewrite every schema inside one, `mapSubschemas` one keyword
 * - resolve: `followReference` inside a document, `createResolver` over several, `eachReference`, `mapReferences`
 * - bundle: `collectSchemas`, `bundleSchema`, `inlineReferences`, `toStandaloneSchema`
 * - combine: `listApplied`, `listInPlace` (what applies to one value), `flattenSchema`, `readEffective`, `mergeSchemas`
 *   (one level of keywords), `toPlainSchema` (one way through all choices), `requireAll`, `allowAny`
 * - check: `compileSchema`, `findSchemaMistakes`, `closeArguments`; Standard Schema with `toStandardCheck`
 * - dialects: `toDraft7`, `to202012`, `fromOpenApi`
 * - describe: `describeSchema` for people, `toTypeNode` for TypeScript
 */
export { admitDigits } from './admit-digits.ts'
export {
  closeArguments,
  openUnnamedArguments,
  type UnknownArguments,
  withFunctionName,
  withNullLeftOut,
} from './arguments.ts'
export { compileSchema, findSchemaMistakes, type SchemaCheck } from './compile.ts'
export { fromOpenApi, readDialect, to202012, toDraft7 } from './dialect.ts'
export {
  DEFAULT_FILE_BYTES,
  describeFiles,
  type FileOptions,
  type FilePlace,
  type FileSchema,
  file,
  findFiles,
  listFiles,
  mapFiles,
  readFileRule,
  withFiles,
  withoutFiles,
} from './file.ts'
export { listPatterns } from './mistakes.ts'
export { compilePattern, isRegExp, judgePattern, writeMatch } from './pattern/index.ts'
export {
  bundleSchema,
  collectSchemas,
  inlineReferences,
  moveReferences,
  toStandaloneSchema,
} from './reference/bundle.ts'
export { createSchemaFinder } from './reference/definitions.ts'
export {
  createResolver,
  type Resolver,
  type ResolverOptions,
  resolveLocation,
  type UnresolvedReference,
} from './reference/document.ts'
export {
  type AnyResult,
  type Check,
  type HandledAs,
  type InputOf,
  isStandardSchema,
  type JsonSchema,
  jsonSchema,
  type OutputOf,
  type Problem,
  type Schema,
  type SchemaLike,
  type SchemaOfZod,
  type StandardLike,
  type StandardSchema,
  type TypedJsonSchema,
  type Validation,
  type ValueOf,
} from './schema.ts'
export { describeSchema } from './shape/describe.ts'
export {
  type EffectiveSchema,
  followSchema,
  nameOfChoice,
  readEffective,
  type SchemaAt,
  withoutChoices,
} from './shape/effective.ts'
export {
  type Flat,
  type FlattenContext,
  flattenLeaf,
  flattenSchema,
  isSameSchema,
  type Trail,
} from './shape/flatten.ts'
export { mergeSchemas, schemasOfMember, toPlainSchema, Unsatisfiable } from './shape/merge.ts'
export { describesObject, toPlainObject } from './shape/plain-object.ts'
export {
  closeStandardSchema,
  toClosedCheck,
  toStandardCheck,
  toStandardJsonSchema,
} from './standard.ts'
export { type RefTarget, toSchemaDoc, toTypeNode } from './type/schema-type.ts'
export {
  type Doc,
  type DocTag,
  isKeyword,
  keyword,
  type MemberNode,
  type ObjectNode,
  type TupleNode,
  type TypeNode,
  toIntersection,
  toUnion,
} from './type/type-node.ts'
export {
  addressOf,
  allowAny,
  decodeFragment,
  eachReference,
  followReference,
  hasReference,
  isChoice,
  isReference,
  isSubschema,
  itemSchema,
  listApplied,
  listLocalInPlace,
  localPointerOf,
  mapReferences,
  mapSchema,
  mapSubschemas,
  mapValues,
  memberSchema,
  type Reference,
  referenceLabel,
  requireAll,
  resolveLocal,
  type Subschema,
  toReference,
  withoutReference,
} from './walk/index.ts'
