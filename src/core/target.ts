import {
  type Check,
  closeArguments,
  closeStandardSchema,
  compileSchema,
  DEFAULT_FILE_BYTES,
  describeFiles,
  type FilePlace,
  findFiles,
  isStandardSchema,
  type JsonSchema,
  mapValues,
  type Schema,
  toClosedCheck,
  toStandardCheck,
  toStandardJsonSchema,
  type UnknownArguments,
  withFiles,
  withFunctionName,
  withNullLeftOut,
  withoutFiles,
} from '../schema/index.ts'
import { type Maybe, toReason } from '../values/index.ts'
import type { Call, Outcome } from './call.ts'
import {
  type Components,
  type ContentDescriptor,
  type ErrorDefinition,
  resolveReference,
} from './description.ts'
import type { AcceptedExtensions, FunctionDefinition, SideEffect } from './function.ts'
import type { FunctionHealth } from './health.ts'
import { deriveStability, type Stability } from './version.ts'

/** One version of a function, made ready for calls at start. */
export interface Target {
  readonly name: string
  readonly version: string
  readonly stability: Stability
  readonly definition: FunctionDefinition
  /** True for the functions of the protocol and its extensions. */
  readonly system: boolean
  readonly inputSchema: JsonSchema
  readonly outputSchema: JsonSchema | undefined
  /** Schema of the partial results; absent when the function gives its result in one piece. */
  readonly itemSchema: JsonSchema | undefined
  readonly checkInput: Check
  /** Where arguments and result have files; undefined where they have none. */
  readonly inputFiles: FilePlace | undefined
  readonly outputFiles: FilePlace | undefined
  /** True when arguments that it does not have are passed over instead of refused. */
  readonly ignoresUnknown: boolean
  /** Absent when results are not described, or not checked in this environment. */
  readonly checkOutput: Check | undefined
  readonly checkItem: Check | undefined
  /** The errors the function declares, by code. */
  readonly errors: ReadonlyMap<string, ErrorDefinition>
  /** Every declared side effect. */
  readonly sideEffects: readonly string[] | undefined
  /** The state changes among them, as system describe names them. */
  readonly stateChanges: readonly SideEffect[]
  readonly acceptance: AcceptedExtensions | undefined
  readonly accepts: (urn: string) => boolean
  /** Scopes that a principal needs, all of them. */
  readonly scopes: readonly string[]
  /** What is longer is refused by every surface. */
  readonly maxResultBytes: number
  /** URNs of extensions that take part in every call. */
  readonly joining: readonly string[]
  /** True when a caller may ask for the partial results. */
  readonly streams: boolean
  /** State of the function, shared by its versions. */
  readonly health: () => FunctionHealth
  /** Takes a call that passed every gate through checks, middleware and handler; never throws. */
  readonly run: (call: Call) => Maybe<Outcome>
}

/** Everything about a target that follows from its definition alone. */
export type TargetShape = Omit<Target, 'joining' | 'maxResultBytes' | 'streams' | 'health' | 'run'>

/** What a service decides about its functions. */
export interface TargetOptions {
  readonly system: boolean
  readonly validateResults: boolean
  /** Of functions that do not say it themselves; `reject` when absent. */
  readonly unknownArguments?: UnknownArguments
  /** What the presets of a definition exclude; nothing when absent. */
  readonly exclusions?: PresetExclusions
}

/** URNs of the extensions that say nothing to functions with `readOnly`, and with `writes`. */
export interface PresetExclusions {
  readonly readOnly: readonly string[]
  readonly writes: readonly string[]
}

/** Derives from a definition what calls and descriptions need. */
export function toTargetShape(
  definition: FunctionDefinition,
  components: Components,
  options: TargetOptions,
): TargetShape {
  const input = toInput(definition, components, options)
  const output = definition.output ?? outputFromResult(definition, components)
  const outputSchema = output && ofField('output', () => toJsonSchema(output, 'output'))
  const outputFiles = outputSchema && findFiles(outputSchema, components)
  const { item } = definition
  const isOwn = definition.imported !== true
  const acceptance = definition.accepts ?? presetAcceptance(definition, options.exclusions)
  const sideEffects = definition.sideEffects ?? (definition.readOnly ? [] : definition.writes)
  return {
    name: definition.name,
    version: definition.version,
    stability: definition.stability ?? deriveStability(definition.version),
    definition,
    system: options.system,
    inputSchema: input.schema,
    outputSchema: outputFiles ? describeFiles(outputSchema, 'output') : outputSchema,
    itemSchema: item && ofField('item', () => toJsonSchema(item, 'output')),
    checkInput: definition.nullMeansAbsent
      ? withNullLeftOut(input.check, input.schema)
      : input.check,
    inputFiles: input.files,
    outputFiles,
    ignoresUnknown: isIgnoring(definition, options),
    checkOutput:
      options.validateResults && output
        ? toFileCheck(
            toCheck(output, components, { isOwn, hasFiles: outputFiles !== undefined }),
            outputFiles,
            Number.POSITIVE_INFINITY,
          )
        : undefined,
    checkItem: options.validateResults && item ? toCheck(item, components, { isOwn }) : undefined,
    errors: collectErrors(definition, components),
    sideEffects,
    stateChanges: (sideEffects ?? []).filter(isStateChange),
    acceptance,
    accepts: toAcceptance(acceptance),
    scopes: definition.requires ?? [],
  }
}

/** Tells whether discovery may show a version of a function. */
export function isDiscoverable({
  system,
  stability,
  definition,
}: Pick<Target, 'system' | 'stability' | 'definition'>): boolean {
  return !system && stability !== 'removed' && definition.discoverable !== false
}

/** Prints any schema as JSON Schema 2020-12. */
export function toJsonSchema(schema: Schema, direction: 'input' | 'output'): JsonSchema {
  return isStandardSchema(schema) ? toStandardJsonSchema(schema, direction) : schema
}

/** The arguments object as callers see it, and its check: closed, unless it or the definition says otherwise. */
function toInput(
  definition: FunctionDefinition,
  components: Components,
  targetOptions: TargetOptions,
): { readonly schema: JsonSchema; readonly check: Check; readonly files: FilePlace | undefined } {
  const given = definition.input ?? inputFromArguments(definition, components)
  const printed = ofField('input', () => toJsonSchema(given, 'input'))
  const files = findFiles(printed, components)
  const schema = files === undefined ? printed : describeFiles(printed, 'input')
  const { name } = definition
  const isOwn = definition.imported !== true
  const options = { isOwn, safeIntegers: true, hasFiles: files !== undefined }
  const finish = (closed: JsonSchema, check: Check) => ({
    schema: closed,
    check: withFunctionName(toFileCheck(check, files, DEFAULT_FILE_BYTES), name),
    files,
  })
  if (isIgnoring(definition, targetOptions)) {
    return finish(schema, toCheck(given, components, options))
  }
  if (!isStandardSchema(given)) {
    const closed = closeArguments(schema, components)
    return finish(closed, toCheck(closed, components, options))
  }
  const closed = closeStandardSchema(given, schema)
  return finish(closed, toClosedCheck(given, closed))
}

function toFileCheck(check: Check, files: FilePlace | undefined, maxBytes: number): Check {
  return files === undefined ? check : withFiles(check, files, maxBytes)
}

function isIgnoring(
  definition: FunctionDefinition,
  { unknownArguments = 'reject' }: TargetOptions,
): boolean {
  return (definition.unknownArguments ?? unknownArguments) === 'ignore'
}

/** Puts the field in front of what is wrong with its schema; a Zod schema says which of its own fields it is. */
function ofField(field: string, print: () => JsonSchema): JsonSchema {
  try {
    return print()
  } catch (thrown) {
    const reason = toReason(thrown)
    const text = /^[.:]/.test(reason) ? reason : ` cannot be used: ${reason}`
    throw new TypeError(`${field}${text}`, { cause: thrown })
  }
}

function toCheck(
  schema: Schema,
  components: Components,
  {
    hasFiles = false,
    ...options
  }: { readonly isOwn: boolean; readonly safeIntegers?: boolean; readonly hasFiles?: boolean },
): Check {
  return isStandardSchema(schema)
    ? toStandardCheck(schema)
    : compileSchema(hasFiles ? withoutFiles(schema) : schema, {
        ...options,
        // What is imported describes somebody else's values, which do not always have the format they are said to have.
        assertFormats: options.isOwn,
        components: {
          schemas: mapValues(components.schemas ?? {}, (one) =>
            hasFiles ? withoutFiles(one) : one,
          ),
        },
      })
}

function inputFromArguments(definition: FunctionDefinition, components: Components): JsonSchema {
  const descriptors = (definition.arguments ?? []).flatMap(
    (argument) => resolveReference(argument, components, 'contentDescriptors') ?? [],
  )
  const required = descriptors.filter((descriptor) => descriptor.required).map(({ name }) => name)
  return {
    type: 'object',
    properties: Object.fromEntries(descriptors.map(({ name, schema }) => [name, schema])),
    ...(required.length > 0 && { required }),
  }
}

function outputFromResult(
  definition: FunctionDefinition,
  components: Components,
): JsonSchema | undefined {
  if (definition.result === undefined) return undefined
  const descriptor = resolveReference<Partial<ContentDescriptor>>(
    definition.result,
    components,
    'contentDescriptors',
  )
  return descriptor?.schema
}

function collectErrors(
  definition: FunctionDefinition,
  components: Components,
): ReadonlyMap<string, ErrorDefinition> {
  const errors = (definition.errors ?? []).flatMap((error, index) => {
    const found = resolveReference<ErrorDefinition<string, Schema>>(error, components, 'errors')
    return found === undefined ? [] : printError(found, index)
  })
  return new Map(errors.map((error) => [error.code, error]))
}

function printError(
  { data, ...error }: ErrorDefinition<string, Schema>,
  index: number,
): ErrorDefinition {
  if (data === undefined) return error
  return { ...error, data: ofField(`errors[${index}].data`, () => toJsonSchema(data, 'input')) }
}

function presetAcceptance(
  { readOnly, writes }: FunctionDefinition,
  exclusions: PresetExclusions | undefined,
): AcceptedExtensions | undefined {
  const ofPreset = readOnly ? exclusions?.readOnly : writes && exclusions?.writes
  return ofPreset === undefined || ofPreset.length === 0 ? undefined : { excluded: ofPreset }
}

function toAcceptance(acceptance: AcceptedExtensions | undefined): (urn: string) => boolean {
  if (acceptance?.supported !== undefined) {
    const supported = new Set(acceptance.supported)
    return (urn) => supported.has(urn)
  }
  if (acceptance?.excluded !== undefined) {
    const excluded = new Set(acceptance.excluded)
    return (urn) => !excluded.has(urn)
  }
  return () => true
}

function isStateChange(effect: string): effect is SideEffect {
  return effect === 'create' || effect === 'update' || effect === 'delete'
}
