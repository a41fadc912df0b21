import { CallError } from '../errors/index.ts'
import type { JsonSchema } from '../schema/index.ts'
import {
  canonicalUrn,
  didYouMean,
  extensionName,
  isPromise,
  type JsonObject,
  type Maybe,
  toShort,
} from '../values/index.ts'
import {
  addReplyEntry,
  type Call,
  type ExtensionEntry,
  type Outcome,
  type Reply,
  type ReplyEntry,
} from './call.ts'
import type { FunctionDefinition } from './function.ts'
import type { ServiceHealth } from './health.ts'
import { toFailure } from './invoke.ts'
import type { Service } from './service.ts'
import type { PresetExclusions, Target } from './target.ts'

/** One extension at work on one call. */
export interface ExtensionCall {
  readonly call: Call
  readonly target: Target
  readonly service: Service
  readonly options: JsonObject
  /** Where the entry stands in the request, for error sources. */
  readonly pointer: string
  /** False when the service brought the extension in by itself. */
  readonly declared: boolean
  /** Answers the caller under the extension's URN, spelled as the caller spelled it. */
  readonly answer: (data?: JsonObject) => void
}

/** Runs the rest of the call; never throws, so that an extension sees every outcome of those inside it. */
export type Next = (call: Call) => Maybe<Outcome>

/**
 * Where an extension stands around a call, outermost first. `observe` and `keep` see what the gates refuse: switched-off
 * functions and `authorize` stand between `keep` and `admit`. What replaces a call stands before what keeps state, so
 * that a simulated or dry call never takes a lock or burns an idempotency key.
 */
export const PHASES = [
  /** Judges, words or records the outcome of everything further in, refusals included. */
  'observe',
  /** Keeps a refused call for later. */
  'keep',
  /** Refuses or ends calls before anything is counted. */
  'admit',
  /** Counts calls. */
  'limit',
  /** Answers instead of the function. */
  'replace',
  /** Answers with what an earlier call gave. */
  'remember',
  /** Decides when, where and how often the function runs. */
  'run',
  /** Shapes what the handler gets and gives; innermost. */
  'shape',
] as const

/** One of the places of an extension around a call. */
export type Phase = (typeof PHASES)[number]

/** Finds the schema of an attribute of the resource itself (`self`) or of a relationship. */
export type AttributeSchema = (resource: string, attribute: string) => JsonSchema | undefined

/** What callers give beside the arguments of a function, on surfaces that have no entries for extensions. */
export interface ExtensionParameters {
  /** Schema of each parameter, described and closed; only those that the function supports. */
  readonly properties: Readonly<Record<string, JsonSchema>>
  /** Translates values of these parameters into the options of the extension, which checks them. */
  readonly toOptions: (values: JsonObject) => JsonObject
  /** The same for values that are text, as in a query string: numbers and lists are read from it. */
  readonly fromText: (values: JsonObject) => JsonObject
  /** Throws the CallError with which a call that has these options would be refused. */
  readonly assertOptions: (options: JsonObject, pointer: string) => void
}

/** An optional feature of a call: what it is called, which functions it brings, and what it does around a call. */
export interface Extension {
  readonly urn: string
  readonly version: string
  /** `shape`, the innermost, when absent. */
  readonly phase?: Phase
  /** Position within the phase, lowest outermost; 0 when absent. Those of Waymark are below 0, ties keep the order given. */
  readonly order?: number
  /** The preset of a function that excludes the extension: idempotency says nothing to one that only reads. */
  readonly excludedBy?: keyof PresetExclusions
  /** Also wraps the background run of a call, although it stands outside: the result it shapes is there only then. */
  readonly shapesResult?: boolean
  /** Tells whether it may put text in place of members with this name, in calls that it joins. */
  readonly masks?: (name: string) => boolean
  /** Its answers tell how one run went: whoever gets the stored outcome did not wait, hold or queue. */
  readonly ofOneRun?: boolean
  /** Lets callers read partial results as they come. */
  readonly streams?: boolean
  /** Names what callers give beside the arguments of a function; undefined when that is nothing. */
  readonly parameters?: (
    target: Target,
    attributeSchema: AttributeSchema,
  ) => ExtensionParameters | undefined
  /** Extra members of the entry in capabilities, such as `supported_languages`. */
  readonly details?: JsonObject
  /** Functions that exist only while the extension is enabled. */
  readonly functions?: (service: Service) => readonly FunctionDefinition[]
  /** Tells whether the extension joins calls to this function that did not declare it; asked once per function. */
  readonly joins?: (target: Target, service: Service) => boolean
  /** Tells whether the extension sees calls to this function although its callers cannot declare it; asked once. */
  readonly watches?: (target: Target, service: Service) => boolean
  /** Names extensions that cannot be declared in the same call; asked when a caller declares this one. */
  readonly conflicts?: (entry: ExtensionEntry) => readonly string[]
  /** Words why a function refuses the extension; a general sentence when absent. */
  readonly refusal?: (target: Target) => string | undefined
  /** Adds to what the health functions say about the whole service. */
  readonly health?: () => Maybe<ServiceHealth | undefined>
  /** May throw a CallError: it becomes the outcome that extensions further out see. */
  readonly around?: (exchange: ExtensionCall, next: Next) => Maybe<Outcome>
  /** Begins work in the background, such as what a process that died left behind; called once, when the service starts. */
  readonly start?: (service: Service) => void
  /** Releases what the extension holds when the service closes. */
  readonly close?: () => Maybe<void>
}

/** An extension chosen for one call. */
export interface ChosenExtension {
  readonly extension: Extension
  readonly entry: ExtensionEntry | undefined
}

const DEFAULT_PHASE: Phase = 'shape'

/** Sorts extensions by phase and by order within it, outermost first; ties keep the order given. */
export function orderExtensions(extensions: readonly Extension[]): readonly Extension[] {
  for (const { urn, phase = DEFAULT_PHASE } of extensions) {
    if (PHASES.includes(phase)) continue
    throw new TypeError(`extension ${urn}: phase must be one of ${PHASES.join(', ')}`)
  }
  const phaseOf = ({ phase = DEFAULT_PHASE }: Extension) => PHASES.indexOf(phase)
  return [...extensions].sort(
    (left, right) => phaseOf(left) - phaseOf(right) || (left.order ?? 0) - (right.order ?? 0),
  )
}

const NONE: readonly ChosenExtension[] = []

/** Picks the extensions that take part in a call, or throws what the caller asked for in vain. */
export function selectExtensions(
  service: Service,
  call: Call,
  target: Target,
): readonly ChosenExtension[] {
  if (call.extensions.length === 0 && target.joining.length === 0) return NONE
  const declared = new Map<string, ExtensionEntry>()
  const unsupported: ExtensionEntry[] = []
  for (const entry of call.extensions) {
    const urn = canonicalUrn(entry.urn)
    if (!service.supports(urn)) {
      if (!entry.implicit) unsupported.push(entry)
    } else if (target.accepts(urn)) declared.set(urn, entry)
    else if (!entry.implicit) {
      const extension = service.extensions.find((candidate) => candidate.urn === urn)
      throw notApplicable(entry, target, extension?.refusal?.(target))
    }
  }
  if (unsupported.length > 0 && service.unknownExtensions === 'reject') {
    throw notSupported(service, unsupported)
  }
  if (declared.size > 1) assertNoConflict(service, declared, target)
  return service.extensions
    .filter(({ urn }) => declared.has(urn) || target.joining.includes(urn))
    .map((extension) => ({ extension, entry: declared.get(extension.urn) }))
}

function assertNoConflict(
  { extensions }: Service,
  declared: ReadonlyMap<string, ExtensionEntry>,
  target: Target,
): void {
  for (const { urn, conflicts } of extensions) {
    const entry = conflicts && declared.get(urn)
    const other = entry && conflicts(entry).find((conflict) => declared.has(conflict))
    if (entry === undefined || other === undefined) continue
    const names = [urn, other].map(extensionName)
    throw notApplicable(entry, target, `Extensions ${names.join(' and ')} cannot be combined`)
  }
}

/** Puts a gate behind the extensions that only judge the outcome or keep a refused call, before those that act. */
export function withGate(
  chosen: readonly ChosenExtension[],
  gate: Extension,
): readonly ChosenExtension[] {
  const inside = chosen.findIndex(({ extension }) => !standsOutsideGate(extension))
  const at = inside === -1 ? chosen.length : inside
  return chosen.toSpliced(at, 0, { extension: gate, entry: undefined })
}

function standsOutsideGate({ phase }: Extension): boolean {
  return phase === 'observe' || phase === 'keep'
}

/** Runs a call through its extensions, outermost first, and finally through `last`. */
export function runThrough(
  service: Service,
  chosen: readonly ChosenExtension[],
  { call: first, target }: { readonly call: Call; readonly target: Target },
  last: Next,
): Maybe<Outcome> {
  const step = (index: number, call: Call): Maybe<Outcome> => {
    const current = chosen[index]
    if (current === undefined) return last(call)
    const { extension, entry } = current
    const next: Next = (nextCall) => step(index + 1, nextCall)
    if (extension.around === undefined) return next(call)
    const exchange: ExtensionCall = {
      call,
      target,
      service,
      options: entry?.options ?? {},
      pointer: entry?.pointer ?? '',
      declared: entry !== undefined && entry.implicit !== true,
      answer: (data) => addReplyEntry(call.reply, entry?.urn ?? extension.urn, data),
    }
    const fail = (thrown: unknown) => toFailure(thrown, { call, target, log: service.log })
    try {
      const outcome = extension.around(exchange, next)
      return isPromise(outcome) ? outcome.catch(fail) : outcome
    } catch (thrown) {
      return fail(thrown)
    }
  }
  return step(0, first)
}

/** Starts to watch a reply; what it returns gives the answers that were added since and belong to the result. */
export function captureReply({ extensions }: Service, reply: Reply): () => readonly ReplyEntry[] {
  const before = reply.extensions?.length ?? 0
  const ofOneRun = (urn: string) =>
    extensions.find((extension) => extension.urn === canonicalUrn(urn))?.ofOneRun === true
  return () => (reply.extensions ?? []).slice(before).filter(({ urn }) => !ofOneRun(urn))
}

/** Ends a call whose caller gets what an extension answered in place of a result. */
export function standIn({ call }: Pick<ExtensionCall, 'call'>): Outcome {
  call.reply.disposition = 'instead'
  return { ok: true, result: null }
}

/** Makes the error for an extension that a function refuses. */
export function notApplicable(
  entry: { readonly urn: string; readonly pointer: string },
  target: Target,
  message?: string,
): CallError {
  const name = extensionName(entry.urn)
  return new CallError('EXTENSION_NOT_APPLICABLE', {
    message: message ?? `Extension ${name} is not applicable to ${target.name}`,
    source: { pointer: entry.pointer },
    details: { extension: entry.urn, function: target.name },
  })
}

function notSupported(service: Service, entries: readonly ExtensionEntry[]): CallError {
  const [first] = entries
  const known = service.extensions.map(({ urn }) => urn)
  const hint = first && didYouMean(canonicalUrn(first.urn), known)
  return new CallError('EXTENSION_NOT_SUPPORTED', {
    message: `Extension not supported: ${toShort(entries.map(({ urn }) => urn).join(', '))}${hint ? `; ${hint}` : ''}`,
    ...(first && { source: { pointer: first.pointer } }),
    details: {
      unsupported: entries.map(({ urn }) => urn),
      supported: known,
    },
  })
}
