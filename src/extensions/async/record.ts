import type {
  Call,
  CallFacts,
  ExtensionEntry,
  Outcome,
  ReplyEntry,
  Target,
} from '../../core/index.ts'
import { storeKey, storePrefix } from '../../store/index.ts'
import { extensionUrn, type JsonObject } from '../../values/index.ts'

/** URN of the async extension. */
export const ASYNC_URN: string = extensionUrn('async')

/**
 * When a function goes on in the background. `never`: it is quick, and always answers itself. `preferred`: when the
 * caller prefers it. `always`: whenever the caller declares the extension and does not say `preferred: false`.
 */
export type AsyncMode = 'never' | 'preferred' | 'always'

const MODES: readonly unknown[] = ['never', 'preferred', 'always'] satisfies AsyncMode[]

/** Reads the mode that a function declares: `extensions: [{ urn: 'urn:forrst:ext:async', mode: 'never' }]`. */
export function readAsyncMode({
  name,
  definition,
  system,
}: Pick<Target, 'name' | 'definition' | 'system'>): AsyncMode {
  if (system) return 'never'
  const declared = definition.extensions?.find(({ urn }) => urn === ASYNC_URN)
  const mode = declared?.['mode'] ?? 'preferred'
  if (MODES.includes(mode)) return mode as AsyncMode
  throw new TypeError(
    `${name}: extensions of ${ASYNC_URN}: mode must be never, preferred or always; got ${JSON.stringify(mode)}`,
  )
}

/** How an operation stands; the last three are final. */
export const OPERATION_STATUSES = [
  'pending',
  'processing',
  'completed',
  'failed',
  'cancelled',
] as const

/** How an operation stands. */
export type OperationStatus = (typeof OPERATION_STATUSES)[number]

/** What is kept about an operation and changes while it goes on; small, because progress rewrites it. */
export interface OperationRecord {
  readonly id: string
  /** Hash of the caller; only the same caller sees the operation. */
  readonly owner: string
  readonly function: string
  readonly version: string
  readonly status: OperationStatus
  /** Id of the request that was accepted. */
  readonly request: string
  /** Epoch milliseconds of the acceptance. */
  readonly accepted: number
  /** Epoch milliseconds of the end. */
  readonly ended?: number
  readonly progress?: number
  readonly message?: string
  /** Tells the run that may end the operation from runs whose job was given to somebody else. */
  readonly run?: string
  readonly callbackUrl?: string
  /** What came of it, where that is small; beside the record otherwise. */
  readonly outcome?: OperationOutcome
}

/** The call behind an operation, as far as it can travel to another process. */
export interface OperationCall {
  readonly id: string
  readonly function: string
  readonly version: string
  readonly arguments: JsonObject
  readonly context?: JsonObject
  readonly extensions: readonly ExtensionEntry[]
  readonly principal?: Call['principal']
  readonly facts: Pick<CallFacts, 'trace' | 'deadline' | 'locale' | 'idempotencyKey'>
  /** Name of the service that accepted it; absent in what earlier releases accepted. */
  readonly service?: string
}

/** How far a run says it has come. */
export interface OperationProgress {
  readonly progress: number
  readonly message?: string
}

/** What came of an operation, with the answers of the extensions that ran with it. */
export interface OperationOutcome {
  readonly outcome: Outcome
  readonly entries?: readonly ReplyEntry[]
}

/** Where operations are kept. */
export const OPERATION_KEYS: {
  readonly record: (id: string) => string
  readonly calls: string
  readonly claim: (key: string) => string
  readonly listOf: (owner: string) => string
} = {
  record: (id) => storeKey('operation', id),
  /** Lists the calls of operations for which something is still to be done: each is forgotten last. */
  calls: storePrefix('operation-call'),
  /** Says which operation an idempotency key stands for while it has no end. */
  claim: (key) => storeKey('operation-key', key),
  listOf: (owner) => storePrefix('operation-list', owner),
}

/** Tells whether an operation has ended. */
export function hasEnded({ status }: Pick<OperationRecord, 'status'>): boolean {
  return status !== 'pending' && status !== 'processing'
}

const DEADLINE_URN = /^urn:(cline:)?forrst:ext:deadline$/

/**
 * Takes down what a handler may ask about its call, for a later run. A deadline the caller wrote holds for the
 * operation; the default of the service only says how long somebody waits for an answer, and here it has come.
 */
export function toOperationCall(call: Call, version: string, service: string): OperationCall {
  const { trace, deadline, locale, idempotencyKey } = call.facts
  const own = call.extensions.some(({ urn }) => DEADLINE_URN.test(urn))
  return {
    id: call.id,
    function: call.function,
    version,
    service,
    arguments: call.arguments,
    ...(call.context && { context: call.context }),
    extensions: call.extensions,
    ...(call.principal && { principal: call.principal }),
    facts: {
      ...(trace && { trace }),
      ...(own && deadline !== undefined && { deadline }),
      ...(locale && { locale }),
      ...(idempotencyKey !== undefined && { idempotencyKey }),
    },
  }
}
