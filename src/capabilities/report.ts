import type { Diagnostic } from './diagnostic.ts'
import { createDocumentIndex, type DocumentIndex } from './document-index.ts'
import type { FallbackTable } from './fallback.ts'
import type { ExclusionReason } from './intersect.ts'
import type { Rules, Transport } from './model.ts'
import { type Negotiation, type NegotiationOutcome, negotiate } from './negotiate.ts'
import {
  type Operation,
  type OperationSet,
  type OperationSource,
  resolveOperations,
  type UnresolvedOperation,
} from './operations.ts'
import { checkRequest, type RequestVerdict, selectResponseCapabilities } from './request-check.ts'
import { createProfileValidator } from './validate-profile.ts'

/** Two profiles and the documents to judge them by; nothing is fetched. */
export interface NegotiateReportInput {
  readonly business: unknown
  readonly platform: unknown
  /** URL to document: transport documents, extension schemas and leaf profiles; or an index of them. */
  readonly documents?: Readonly<Record<string, unknown>> | DocumentIndex
  readonly transports?: readonly Transport[]
  readonly rules?: Rules
  readonly fallback?: FallbackTable | false
  readonly allowLoopback?: boolean
  /** Refuses profiles that violate their published layout. */
  readonly strict?: boolean
  /** Adds `response_capabilities` for these operations. */
  readonly respondTo?: readonly string[]
  /** Adds `request_checks` for these operations. */
  readonly checkRequests?: readonly string[]
}

/** A negotiation as plain data, spelled as `waymark negotiate --json` prints it. */
export interface NegotiationReport {
  readonly outcome: NegotiationOutcome
  readonly protocol_version: string | null
  readonly active: Readonly<Record<string, string>>
  readonly excluded: Readonly<Record<string, ExclusionReason>>
  readonly operation_ids: readonly string[]
  readonly operations: readonly Omit<Operation, 'described'>[]
  readonly source: Readonly<Record<string, OperationSource>>
  readonly unresolved: readonly UnresolvedOperation[]
  readonly diagnostics: readonly Diagnostic[]
  readonly response_capabilities?: Readonly<Record<string, readonly string[]>>
  readonly request_checks?: Readonly<Record<string, RequestVerdict>>
}

/** Negotiates and resolves operations in one go and gives plain data; never throws on bad profiles. */
export function negotiateReport(input: NegotiateReportInput): NegotiationReport {
  const documents = isIndex(input.documents)
    ? input.documents
    : createDocumentIndex(input.documents)
  const negotiation = negotiate({
    business: input.business,
    platform: input.platform,
    document: documents.find,
    ...(input.rules && { rules: input.rules }),
    allowLoopback: input.allowLoopback === true,
    ...(input.strict && { validator: createProfileValidator() }),
  })
  const set = resolveOperations(negotiation, {
    documents,
    ...(input.transports && { transports: input.transports }),
    ...(input.fallback !== undefined && { fallback: input.fallback }),
  })
  return {
    ...toReport(negotiation, set),
    ...(input.respondTo && {
      response_capabilities: Object.fromEntries(
        input.respondTo.map((id) => [id, selectResponseCapabilities(negotiation, set, id)]),
      ),
    }),
    ...(input.checkRequests && {
      request_checks: Object.fromEntries(
        input.checkRequests.map((id) => [id, checkRequest(negotiation, set, id).verdict]),
      ),
    }),
  }
}

/** Writes a negotiation and its operations as plain data. */
export function toReport(negotiation: Negotiation, set: OperationSet): NegotiationReport {
  const { outcome, protocolVersion, active, excluded, diagnostics } = negotiation
  return {
    outcome,
    protocol_version: protocolVersion ?? null,
    active: Object.fromEntries([...active].map(([name, { version }]) => [name, version])),
    excluded: Object.fromEntries(excluded),
    operation_ids: [...new Set(set.operations.map(({ id }) => id))].sort(),
    operations: set.operations.map(({ id, service, capabilities, bindings }) => ({
      id,
      service,
      capabilities,
      bindings,
    })),
    source: Object.fromEntries(set.source),
    unresolved: set.unresolved,
    diagnostics: [...diagnostics, ...set.diagnostics],
  }
}

function isIndex(documents: NegotiateReportInput['documents']): documents is DocumentIndex {
  return typeof documents?.['find'] === 'function'
}
