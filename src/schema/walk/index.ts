/*
 * What schemas and documents are made of: keywords, references, and what applies to one value. Without the compiler and
 * without modules of Node, for pages and for the start of the command line; everybody else imports `schema`.
 */

export {
  allowAny,
  IN_PLACE,
  itemSchema,
  listApplied,
  listInPlace,
  listLocalInPlace,
  memberSchema,
  requireAll,
} from './in-place.ts'
export {
  eachSubschema,
  isChoice,
  isSubschema,
  type JsonSchema,
  keywordSet,
  mapSchema,
  mapSubschemas,
  mapValues,
  roleOf,
  type Subschema,
  walkSchema,
  withinDepth,
} from './keywords.ts'
export {
  addressOf,
  decodeFragment,
  eachReference,
  followReference,
  hasReference,
  isReference,
  localPointerOf,
  MAX_STEPS,
  mapReferences,
  type Reference,
  referenceLabel,
  referenceName,
  resolveLocal,
  toReference,
  withoutReference,
} from './reference.ts'
