import { isRecord, ownMember } from '../../values/index.ts'
import type { Diagnostic } from '../diagnostic.ts'
import type { DocumentIndex } from '../documents/index-document.ts'
import type { McpOperation, RestOperation } from '../documents/transport.ts'
import {
  type CallableTransport,
  type CapabilityEntry,
  isName,
  longestPrefix,
  type TransportName,
} from '../model.ts'
import type { Parties } from './intersect.ts'
import type { ActiveCapability, Negotiation } from './negotiate.ts'
import { openServices, type ServiceBinding } from './service-binding.ts'

/** Capability name to the operations it drives, for profiles that do not say so themselves. */
export type FallbackTable = Readonly<Record<string, readonly string[]>>

/** The operations of the published root capabilities. */
export const FALLBACK_OPERATIONS: FallbackTable = {
  'dev.ucp.shopping.checkout': [
    'create_checkout',
    'get_checkout',
    'update_checkout',
    'complete_checkout',
    'cancel_checkout',
  ],
  'dev.ucp.shopping.cart': ['create_cart', 'get_cart', 'update_cart', 'cancel_cart'],
  'dev.ucp.shopping.catalog.search': ['search_catalog'],
  'dev.ucp.shopping.catalog.lookup': ['lookup_catalog', 'get_product'],
  'dev.ucp.shopping.order': ['get_order'],
  'dev.ucp.common.identity_linking': [],
  'dev.ucp.shopping.permalink': [],
}

/** Reads a table from outside, `false` included; a text says what is wrong with it. */
export function readFallback(value: unknown): FallbackTable | false | string {
  if (value === false) return false
  if (!isRecord(value)) return 'the table must be an object from capability to operations, or false'
  for (const [name, operations] of Object.entries(value)) {
    if (!isName(name)) return `${name}: is not a capability name`
    if (!Array.isArray(operations) || !operations.every((id) => typeof id === 'string')) {
      return `${name}: must be an array of operation identifiers`
    }
  }
  return value as FallbackTable
}

/** Where an operation is over REST. */
export interface RestBinding {
  readonly method: string
  readonly path: string
  readonly url: string
}

/** Where an operation is over MCP. */
export interface McpBinding {
  readonly tool: string
  readonly endpoint: string
}

/** An operation that may be called. */
export interface CapabilityOperation {
  readonly id: string
  readonly service: string
  /** The active root capabilities that own it, in name order. */
  readonly capabilities: readonly string[]
  readonly bindings: { readonly rest?: RestBinding; readonly mcp?: McpBinding }
  /** What the documents say about it. */
  readonly described: { readonly rest?: RestOperation; readonly mcp?: McpOperation }
}

/** Where the list of a capability's operations comes from. */
export type OperationSource = 'declared' | 'fallback' | 'inferred' | 'unknown' | 'extension'

/** Why a listed operation cannot be called. */
export type UnresolvedReason =
  | 'service_not_declared'
  | 'no_common_transport'
  | 'webhook_only'
  | 'document_unavailable'
  | 'operation_not_found'

/** A listed operation that cannot be called. */
export interface UnresolvedOperation {
  readonly operation: string
  readonly capability: string
  readonly reason: UnresolvedReason
}

/** What looking an operation up gives. */
export type OperationLookup =
  | { readonly found: true; readonly operation: CapabilityOperation }
  | { readonly found: false; readonly services: readonly string[] }

/** Everything that may be called after a negotiation. */
export interface OperationSet {
  /** Sorted by service, then by identifier. */
  readonly operations: readonly CapabilityOperation[]
  readonly unresolved: readonly UnresolvedOperation[]
  /** For every active capability, in name order. */
  readonly source: ReadonlyMap<string, OperationSource>
  readonly diagnostics: readonly Diagnostic[]
  /** Finds an operation; without a service only when exactly one service has it. */
  readonly lookup: (id: string, service?: string) => OperationLookup
  /** Names the root capabilities of the business that list an operation, active or not. */
  readonly owners: (id: string) => readonly string[]
}

/** What resolution works with. */
export interface ResolveOptions {
  readonly documents: DocumentIndex
  /** What the caller speaks, in order of preference. */
  readonly transports?: readonly TransportName[]
  /** Replaces the built-in table; `false` switches it off. */
  readonly fallback?: FallbackTable | false
}

/** Finds the concrete operations behind the active capabilities; pure, no I/O. */
export function resolveOperations(negotiation: Negotiation, options: ResolveOptions): OperationSet {
  const { parties, active } = negotiation
  const work: Work = { found: new Map(), unresolved: [], source: new Map(), diagnostics: [] }
  if (parties === undefined) return toSet(work, () => [])
  const spoken = new Set<TransportName>(options.transports ?? ['rest', 'mcp'])
  const transports = [...spoken].filter(isCallable)
  const services = openServices(parties, transports, options.documents, work.diagnostics)
  const fallback = options.fallback ?? FALLBACK_OPERATIONS
  for (const capability of active.values()) {
    const name = longestPrefix(capability.name, parties.business.profile.services)
    const service = name === undefined ? undefined : services.get(name)
    const listed = listOperations(capability, service, fallback, work)
    if (listed.length === 0) continue
    if (service !== undefined) {
      for (const id of listed) resolveOne(work, capability.name, id, service)
      continue
    }
    const reason = name === undefined ? 'service_not_declared' : 'no_common_transport'
    for (const operation of listed) {
      work.unresolved.push({ operation, capability: capability.name, reason })
    }
    work.diagnostics.push({ code: reason, capability: capability.name })
  }
  return toSet(work, (id) => findOwners(id, parties, services, fallback))
}

interface MutableOperation extends CapabilityOperation {
  readonly capabilities: string[]
}

interface Work {
  /** By service, then by identifier. */
  readonly found: Map<string, Map<string, MutableOperation>>
  readonly unresolved: UnresolvedOperation[]
  readonly source: Map<string, OperationSource>
  readonly diagnostics: Diagnostic[]
}

function listOperations(
  { name: capability, kind, entry }: ActiveCapability,
  service: ServiceBinding | undefined,
  fallback: FallbackTable | false,
  { source, diagnostics }: Work,
): readonly string[] {
  if (kind === 'extension') {
    source.set(capability, 'extension')
    if (entry.operations !== undefined || entry.operationsMalformed) {
      diagnostics.push({ code: 'extension_declares_operations', capability })
    }
    return []
  }
  if (entry.operationsMalformed) diagnostics.push({ code: 'operations_malformed', capability })
  const known = knownOperations(capability, entry, service, fallback)
  source.set(capability, known.source)
  if (known.source !== 'declared') {
    diagnostics.push({ code: `operations_${known.source}`, capability })
  }
  const unique = new Set<string>()
  for (const operation of known.listed) {
    if (unique.has(operation)) {
      diagnostics.push({ code: 'duplicate_operation', capability, operation })
    }
    unique.add(operation)
  }
  return [...unique]
}

interface KnownOperations {
  readonly source: Exclude<OperationSource, 'extension'>
  readonly listed: readonly string[]
}

// Declared, then the table, then what the documents reveal: an empty list is a declaration.
function knownOperations(
  name: string,
  entry: CapabilityEntry,
  service: ServiceBinding | undefined,
  fallback: FallbackTable | false,
): KnownOperations {
  if (entry.operations !== undefined) return { source: 'declared', listed: entry.operations }
  const table = fallback === false ? undefined : ownMember(fallback, name)
  if (table !== undefined) return { source: 'fallback', listed: table }
  // An operation whose answer names the capability's schema file belongs to that capability.
  const { schema } = entry
  const documents = [service?.rest?.document, service?.mcp?.document]
  const citing = documents.flatMap((one) => (schema && one?.citing.get(schema)) || [])
  const listed = [...new Set(citing)].sort()
  return { source: listed.length > 0 ? 'inferred' : 'unknown', listed }
}

function resolveOne(work: Work, capability: string, id: string, binding: ServiceBinding): void {
  const { service, rest, mcp, transports } = binding
  const overRest = rest?.document?.operations.get(id)
  const overMcp = mcp?.document?.operations.get(id)
  if (overRest === undefined && overMcp === undefined) {
    refuseOne(work, capability, id, binding)
    return
  }
  for (const transport of transports) {
    const document = binding[transport]?.document
    if (document === undefined || document.operations.has(id)) continue
    const code = 'operation_not_in_transport'
    work.diagnostics.push({ code, capability, operation: id, transport })
  }
  const siblings = work.found.get(service) ?? new Map<string, MutableOperation>()
  work.found.set(service, siblings)
  const known = siblings.get(id)
  if (known !== undefined) {
    known.capabilities.push(capability)
    work.diagnostics.push({ code: 'operation_shared', capability, operation: id })
    return
  }
  siblings.set(id, {
    id,
    service,
    capabilities: [capability],
    bindings: {
      ...(rest && overRest && { rest: toRestBinding(rest.endpoint, overRest) }),
      ...(mcp && overMcp && { mcp: { tool: id, endpoint: mcp.endpoint } }),
    },
    described: { ...(overRest && { rest: overRest }), ...(overMcp && { mcp: overMcp }) },
  })
}

function refuseOne(
  { unresolved, diagnostics }: Work,
  capability: string,
  operation: string,
  { rest, mcp }: ServiceBinding,
): void {
  const isWebhook = rest?.document?.webhooks.has(operation)
  if (!isWebhook && rest?.document === undefined && mcp?.document === undefined) {
    unresolved.push({ operation, capability, reason: 'document_unavailable' })
    return
  }
  const reason = isWebhook ? 'webhook_only' : 'operation_not_found'
  const code = isWebhook ? 'operation_is_webhook' : 'operation_not_found'
  unresolved.push({ operation, capability, reason })
  diagnostics.push({ code, capability, operation })
}

function toRestBinding(endpoint: string, { method, path }: RestOperation): RestBinding {
  return { method, path, url: endpoint + path }
}

/** Tells whether a transport carries operations. */
export function isCallable(transport: TransportName): transport is CallableTransport {
  return transport === 'rest' || transport === 'mcp'
}

function findOwners(
  id: string,
  { business }: Parties,
  services: ReadonlyMap<string, ServiceBinding>,
  fallback: FallbackTable | false,
): readonly string[] {
  const { capabilities, services: declared } = business.profile
  const owners = [...capabilities].filter(([name, entries]) => {
    const service = services.get(longestPrefix(name, declared) ?? '')
    return entries.some(
      (entry) =>
        entry.extends === undefined &&
        knownOperations(name, entry, service, fallback).listed.includes(id),
    )
  })
  return owners.map(([name]) => name).sort()
}

function toSet(
  { found, unresolved, source, diagnostics }: Work,
  owners: OperationSet['owners'],
): OperationSet {
  const byId = (left: CapabilityOperation, right: CapabilityOperation) =>
    left.id < right.id ? -1 : 1
  return {
    operations: [...found.keys()]
      .sort()
      .flatMap((service) => [...(found.get(service)?.values() ?? [])].sort(byId)),
    unresolved,
    source,
    diagnostics,
    owners,
    lookup: (id, service) => {
      const holders = [...found.keys()].filter((name) => found.get(name)?.has(id))
      const services = service === undefined ? holders : [service]
      const [only = ''] = services.length === 1 ? services : []
      const operation = found.get(only)?.get(id)
      return operation ? { found: true, operation } : { found: false, services }
    },
  }
}
