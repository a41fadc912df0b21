export type { CheckOptions } from './check.ts'
export { checkEnvName } from './check-fields.ts'
export { findJitterProblem, parseCron } from './check-triggers.ts'
export { admitDigitArguments, markArguments } from './exact-arguments.ts'
export {
  argumentName,
  authOf,
  digitsPattern,
  isNumeric,
  locationOf,
  placeholdersOf,
  styleOf,
  takesDigits,
  waysOf,
} from './fields.ts'
export {
  formatProblems,
  hasErrors,
  PROBLEM_FORMATS,
  type ProblemFormat,
  type Severity,
  type SpecProblem,
  summarizeProblems,
} from './finding.ts'
export {
  type EnvPart,
  type ExpandedText,
  envNamesOf,
  escapeEnvText,
  expandEnvText,
  type FormatToolSpecOptions,
  formatToolSpec,
  parseEnvText,
} from './format.ts'
export {
  type ConflictReason,
  formatConflict,
  type MergeConflict,
  type MergeInput,
  type MergeResult,
  mergeToolSpecs,
} from './merge.ts'
export {
  checkToolSpec,
  type DocumentKind,
  type ParsedToolSpec,
  type ParseToolSpecOptions,
  parseToolSpec,
  sniffDocument,
} from './parse.ts'
export {
  buildToolSpecJsonSchema,
  DOMAIN_PATTERN,
  ENV_PATTERN,
  HEADER_PATTERN,
  MAX_NAME_LENGTH,
  NAME_PATTERN,
  toEnvDomain,
  toolSpecSchema,
  toSnakeDomain,
} from './schema.ts'
export {
  AUTH_TYPES,
  type AuthConfig,
  type AuthLocation,
  type AuthType,
  type ContentType,
  type EmitTrigger,
  type EnumValue,
  FIELD_STYLES,
  FILE_EVENTS,
  type FieldDef,
  type FieldLocation,
  type FieldStyle,
  type FieldType,
  type FileEvent,
  type FileTrigger,
  type Method,
  type OauthFlow,
  type PaginateConfig,
  type PaginateStyle,
  type QueueTrigger,
  type ResponseConfig,
  type ScheduleTrigger,
  type SignatureConfig,
  type SignatureScheme,
  type ToolDef,
  type ToolSpec,
  type TriggerCommon,
  type TriggerDef,
  type TriggerType,
  WEBHOOK_CHALLENGES,
  type WebhookChallenge,
  type WebhookTrigger,
} from './types.ts'
export { parseYaml } from './yaml.ts'
