export type { Externals } from './bundle.ts'
export type {
  Change,
  ChangeClass,
  DescriptionKind,
  DiffReport,
  Step,
  VersionStep,
} from './change.ts'
export { CLASSES } from './change.ts'
export type { DiffOptions, DiffSource } from './diff.ts'
export { diffDescriptions, listFunctionNames } from './diff.ts'
export type { LoadedExternals } from './externals.ts'
export { loadExternals } from './externals.ts'
export type { DiffFormat, FormatOptions } from './format.ts'
export { DIFF_FORMATS, formatReport } from './format.ts'
export type { Rule, RuleId } from './rules.ts'
export { RULES } from './rules.ts'
