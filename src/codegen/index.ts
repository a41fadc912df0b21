export type { AgentSource, ComposeOptions, ComposeResult, Rename } from './agent/compose.ts'
export { composeSpecs, parseRename } from './agent/compose.ts'
export type { AgentOptions, AgentPlan, AgentResult } from './agent/generate-agent.ts'
export { describeAgent, generateAgent } from './agent/generate-agent.ts'
export type { DomainVariables, Variable } from './agent/variables.ts'
export { formatEnvTemplate, listVariables } from './agent/variables.ts'
export type { DraftOptions, DraftResult } from './draft/draft-spec.ts'
export { draftSpec, formatDraft, SKELETON } from './draft/draft-spec.ts'
export type { DraftDocument } from './draft/instructions.ts'
export type {
  ModelProvider,
  ModelQuestion,
  ProviderName,
  ProviderOptions,
  Turn,
} from './draft/model-provider.ts'
export { createModelProvider, ModelError } from './draft/model-provider.ts'
export type { ReadDocumentsOptions } from './draft/read-documents.ts'
export { readDocuments } from './draft/read-documents.ts'
export type { RuntimeSource } from './emit-capabilities.ts'
export type { DefinitionTarget } from './emit-definitions.ts'
export { DEFINITION_TARGETS, generateDefinitions } from './emit-definitions.ts'
export type { EmitTypesOptions } from './emit-types.ts'
export { emitTypes } from './emit-types.ts'
export type { CodeKind, GeneratedFile, GenerateOptions, GenerateResult } from './generate.ts'
export { generateCode, generateFromText, isEdited } from './generate.ts'
export type { ClientRuntime } from './typed-client/emit-runtime.ts'
export type { GenerateClientOptions } from './typed-client/generate-client.ts'
export { generateClient } from './typed-client/generate-client.ts'
export type { FileState, PlannedFile, WriteFilesOptions, WriteOutcome } from './write-files.ts'
export { planFiles, readPrevious, writeFiles } from './write-files.ts'
