export { didYouMean, nearest } from '../core/suggest.ts'
export type { CheckOptions } from './check.ts'
export type { EnvPart, ExpandedText } from './env-text.ts'
export { envNamesOf, escapeEnvText, expandEnvText, parseEnvText } from './env-text.ts'
export { argumentName, authOf, locationOf, placeholdersOf, styleOf } from './fields.ts'
export type { FormatToolSpecOptions } from './format.ts'
export { formatToolSpec } from './format.ts'
export { buildToolSpecJsonSchema } from './json-schema.ts'
export type { ConflictReason, MergeConflict, MergeInput, MergeResult } from './merge.ts'
export { formatConflict, mergeToolSpecs } from './merge.ts'
export type { ParsedToolSpec, ParseToolSpecOptions } from './parse.ts'
export { checkToolSpec, parseToolSpec } from './parse.ts'
export { toEnvDomain, toSnakeDomain } from './patterns.ts'
export type { ProblemFormat, Severity, SpecProblem } from './problem.ts'
export { formatProblems, hasErrors, PROBLEM_FORMATS, summarizeProblems } from './problem.ts'
export { toolSpecSchema } from './schema.ts'
export type { DocumentKind } from './sniff.ts'
export { sniffDocument } from './sniff.ts'
export type {
  AuthConfig,
  AuthLocation,
  AuthType,
  ContentType,
  EmitTrigger,
  EnumValue,
  FieldDef,
  FieldLocation,
  FieldStyle,
  FieldType,
  FileEvent,
  FileTrigger,
  Method,
  OauthFlow,
  PaginateConfig,
  PaginateStyle,
  QueueTrigger,
  ResponseConfig,
  ScheduleTrigger,
  SignatureConfig,
  SignatureScheme,
  ToolDef,
  ToolSpec,
  TriggerCommon,
  TriggerDef,
  TriggerType,
  WebhookChallenge,
  WebhookTrigger,
} from './types.ts'
