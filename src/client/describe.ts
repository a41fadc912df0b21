import type { Deprecated } from '../core/index.ts'
import type { DiscoveryDocument, FunctionObject } from '../discovery/index.ts'
import type { JsonSchema } from '../schema/index.ts'
import { isRecord, type JsonObject } from '../values/index.ts'
import { invalidResponse } from './foreign-answer.ts'
import { type CallOutcome, mapResult } from './outcome.ts'
import type { CallOptions } from './retry.ts'
import type { RunCall } from './run-call.ts'

/** One version in the description of a function. */
export interface VersionDescription {
  readonly version: string
  readonly stability: string
  readonly description?: string
  /** Present means deprecated. */
  readonly deprecated?: Deprecated
  readonly schema?: {
    readonly arguments?: JsonSchema
    readonly returns?: JsonSchema
    readonly definitions?: Readonly<Record<string, JsonSchema>>
  }
  /** As the service wrote it: pagination, capabilities, extensions. */
  readonly raw: JsonObject
}

/** What the system function `describe` says about one function. */
export interface FunctionDescription {
  readonly function: string
  readonly description: string
  readonly sideEffects: readonly string[]
  readonly versions: readonly VersionDescription[]
  readonly recommendedVersion: string | undefined
}

/** How a function is asked for; `version` is that of the function described. */
export interface DescribeOptions extends CallOptions {
  /** False leaves the schemas out. */
  readonly includeSchema?: boolean
}

const SYSTEM = 'urn:cline:forrst:fn:describe'
const DISCOVERY = 'urn:cline:forrst:ext:discovery:fn:describe'

/** Asks the system function what it says about one function, in all its versions or one. */
export async function fetchDescription(
  run: RunCall,
  name: string,
  { version, includeSchema, ...options }: DescribeOptions = {},
): Promise<CallOutcome<FunctionDescription>> {
  const callArguments = {
    function: name,
    ...(version !== undefined && { version }),
    ...(includeSchema !== undefined && { include_schema: includeSchema }),
  }
  return mapResult(
    await run(SYSTEM, callArguments, { readOnly: true, ...options }),
    decodeDescription,
  )
}

/** Asks for the discovery document of the whole service. */
export async function fetchDocument(
  run: RunCall,
  options: Omit<CallOptions, 'version'> = {},
): Promise<CallOutcome<DiscoveryDocument>> {
  return mapResult(await run(DISCOVERY, undefined, { readOnly: true, ...options }), decodeDocument)
}

/** Asks for the discovery entry of one function, with its references resolved. */
export async function fetchFunctionObject(
  run: RunCall,
  name: string,
  { version, ...options }: CallOptions = {},
): Promise<CallOutcome<FunctionObject>> {
  const callArguments = { function: name, ...(version !== undefined && { version }) }
  return mapResult(await run(DISCOVERY, callArguments, { readOnly: true, ...options }), (result) =>
    decodeFunctionObject(result, ''),
  )
}

function decodeDocument(value: unknown): DiscoveryDocument {
  const document = isRecord(value) ? value : {}
  requireText(document, 'forrst', '')
  const { info, functions, servers = [], components = {} } = document
  if (!isRecord(info)) throw refuse('/info', 'an object')
  if (!Array.isArray(functions)) throw refuse('/functions', 'an array')
  if (!Array.isArray(servers)) throw refuse('/servers', 'an array')
  if (!isRecord(components)) throw refuse('/components', 'an object')
  for (const [index, entry] of functions.entries())
    decodeFunctionObject(entry, `/functions/${index}`)
  return document as unknown as DiscoveryDocument
}

function decodeFunctionObject(value: unknown, at: string): FunctionObject {
  const entry = isRecord(value) ? value : {}
  requireText(entry, 'name', at)
  requireText(entry, 'version', at)
  return entry as unknown as FunctionObject
}

function decodeDescription(value: unknown): FunctionDescription {
  const described = isRecord(value) ? value : {}
  const { description, side_effects: effects = [], versions, recommended_version: best } = described
  if (!Array.isArray(effects)) throw refuse('/side_effects', 'an array')
  if (!Array.isArray(versions)) throw refuse('/versions', 'an array')
  return {
    function: requireText(described, 'function', ''),
    description: typeof description === 'string' ? description : '',
    sideEffects: effects.filter((effect) => typeof effect === 'string'),
    versions: versions.map((version, index) => decodeVersion(version, `/versions/${index}`)),
    recommendedVersion: typeof best === 'string' ? best : undefined,
  }
}

function decodeVersion(value: unknown, at: string): VersionDescription {
  const entry = isRecord(value) ? value : {}
  const { stability, description, deprecated, schema } = entry
  return {
    version: requireText(entry, 'version', at),
    stability: typeof stability === 'string' ? stability : 'stable',
    ...(typeof description === 'string' && { description }),
    ...(isRecord(deprecated) && { deprecated }),
    ...(isRecord(schema) && { schema }),
    raw: entry as JsonObject,
  }
}

function requireText(record: Record<string, unknown>, member: string, at: string): string {
  const text = record[member]
  if (typeof text === 'string') return text
  throw refuse(`${at}/${member}`, 'a string')
}

function refuse(field: string, expected: string): Error {
  return invalidResponse(`The description is malformed: ${field} must be ${expected}`, { field })
}
