export { type Externals, type LoadedExternals, loadExternals } from './bundle.ts'
export { type DiffOptions, type DiffSource, diffDescriptions, listFunctionNames } from './diff.ts'
export { DIFF_FORMATS, type DiffFormat, type FormatOptions, formatDiff } from './format.ts'
export {
  type Change,
  type ChangeClass,
  CLASSES,
  type DescriptionKind,
  type DiffReport,
  type Step,
  type VersionStep,
} from './model.ts'
export {
  DIFF_RULES,
  type DiffRule,
  type Direction,
  type RuleId,
  type SchemaRuleName,
} from './rules.ts'
