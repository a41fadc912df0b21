export { type AgentSource, type ComposeOptions, parseRename, type Rename } from './agent/compose.ts'
export {
  type AgentOptions,
  type AgentPlan,
  type AgentResult,
  generateAgent,
} from './agent/generate-agent.ts'
export { formatEnvTemplate, listVariables, type Variable } from './agent/variables.ts'
export {
  type DraftDocument,
  type DraftOptions,
  type DraftResult,
  draftSpec,
  formatDraft,
  SKELETON,
} from './draft/draft-spec.ts'
export {
  createModelProvider,
  ModelError,
  type ModelProvider,
  type ModelQuestion,
  type ModelTurn,
  type ProviderName,
  type ProviderOptions,
} from './draft/model-provider.ts'
export { type ReadDocumentsOptions, readDocuments } from './draft/read-documents.ts'
export type { RuntimeSource } from './embedded-runtime.ts'
export {
  DEFINITION_TARGETS,
  type DefinitionTarget,
  generateDefinitions,
} from './emit-definitions.ts'
export { type EmitTypesOptions, emitTypes } from './emit-types.ts'
export {
  type CodeKind,
  type GeneratedFile,
  type GenerateOptions,
  type GenerateResult,
  generateCode,
  generateFromText,
} from './generate.ts'
export type { NamePlan } from './names.ts'
export { type GenerateClientOptions, generateClient } from './typed-client/generate-client.ts'
export {
  type FileState,
  type PlannedFile,
  planFiles,
  type WriteFilesOptions,
  type WriteOutcome,
  writeFiles,
  writeInside,
} from './write-files.ts'
