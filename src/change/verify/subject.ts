import { type CallOutcome, type Client, createClient, type Transport } from '../../client/index.ts'
import type { ExamplePairing, FunctionDefinition } from '../../core/index.ts'
import type { DiscoveryDocument } from '../../discovery/index.ts'
import type { JsonSchema } from '../../schema/index.ts'
import { readForrstDocument } from '../../sources/forrst/index.ts'
import { formatNear, type JsonObject, nearest } from '../../values/index.ts'
import { createValueMaker } from '../mock/index.ts'
import { type Door, FORRST } from './door.ts'

/** A call that the description itself says how to make. */
export interface Case {
  readonly definition: FunctionDefinition
  readonly arguments: JsonObject
  /** What the arguments were taken from; `made` ones may well be refused. */
  readonly origin: 'example' | 'simulation' | 'made'
  readonly name: string
  /** What an example says comes back. */
  readonly result?: { readonly value: unknown }
}

/** The service under examination, as far as rules look at it. */
export interface Subject {
  readonly door: Door
  readonly client: Client
  readonly document: DiscoveryDocument
  readonly definitions: readonly FunctionDefinition[]
  /** Extensions of the system's capabilities function. */
  readonly extensions: ReadonlySet<string>
  readonly limits: { readonly maxRequestBytes?: number }
  /** Functions by name, as the capabilities function lists them. */
  readonly listed: readonly string[]
  /** Calls that may be made: those of functions with side effects only when they are allowed. */
  readonly cases: readonly Case[]
  /** Calls of functions with side effects that are not made. */
  readonly spared: readonly Case[]
}

/** What examining may do. */
export interface SubjectOptions {
  readonly allowEffects: boolean
  /** Names of functions, or what they begin with; all when empty. */
  readonly only: readonly string[]
}

/** Asks a service what it says about itself. Throws a CallError when it does not answer, a RangeError for a function it does not have. */
export async function openSubject(door: Door, options: SubjectOptions): Promise<Subject> {
  const client = createClient({
    transport: toTransport(door),
    name: 'waymark-verify',
    retry: false,
    timeoutMs: 20_000,
    createId: createCounter('verify'),
    createSpanId: createCounter('span'),
  })
  const discovered = await client.discover()
  if (!discovered.ok)
    throw new TypeError(`its discovery document cannot be read: ${discovered.error.message}`)
  const { functions } = readForrstDocument(discovered.result)
  const chosen = functions.filter(({ name }) => isChosen(name, options.only))
  requireChosen(
    functions.map(({ name }) => name),
    options.only,
  )
  const capabilities = await client.capabilities({ form: 'system' })
  const cases = chosen.flatMap(toCases)
  const isSpared = ({ definition }: Case) =>
    !options.allowEffects && (definition.sideEffects?.length ?? 0) > 0
  return {
    door,
    client,
    document: discovered.result,
    definitions: chosen,
    extensions: new Set(
      capabilities.ok ? capabilities.result.extensions.map(({ urn }) => urn) : [],
    ),
    limits: capabilities.ok ? capabilities.result.limits : {},
    listed: capabilities.ok ? capabilities.result.functions : [],
    cases: cases.filter((one) => !isSpared(one)),
    spared: cases.filter(isSpared),
  }
}

/** Names a function the way findings do. */
export function nameOf({ name, version }: Pick<FunctionDefinition, 'name' | 'version'>): string {
  return `${name}@${version}`
}

/** Makes a call of a case, with an extension where one is tried. */
export function callCase(
  { client }: Pick<Subject, 'client'>,
  { definition, arguments: given }: Pick<Case, 'definition' | 'arguments'>,
  ...extensions: readonly { readonly urn: string; readonly options: JsonObject }[]
): Promise<CallOutcome> {
  return client.call(definition.name, given, { version: definition.version, extensions })
}

/** Finds where in the discovery document a function stands. */
export function pointerOf({ document }: Subject, definition: FunctionDefinition): string {
  const index = document.functions.findIndex(
    ({ name, version }) => name === definition.name && version === definition.version,
  )
  return `/functions/${index}`
}

/** Finds a call that should succeed: an example before anything that is made up. */
export function findCase(
  cases: readonly Case[],
  fits: (definition: FunctionDefinition) => boolean = () => true,
): readonly Case[] {
  const rank = { example: 0, simulation: 1, made: 2 }
  return cases
    .filter(({ definition }) => fits(definition))
    .toSorted((left, right) => rank[left.origin] - rank[right.origin])
}

function toCases(definition: FunctionDefinition): readonly Case[] {
  const names = (definition.arguments ?? []).map((one) => ('name' in one ? one.name : ''))
  const shown = (definition.examples ?? []).map((example, index): Case => {
    const { params = [], result, name } = example as ExamplePairing
    const given = params.flatMap((param, at) =>
      'value' in param ? [[names[at] ?? '', param.value]] : [],
    )
    return {
      definition,
      arguments: Object.fromEntries(given) as JsonObject,
      origin: 'example',
      name: name ?? `example ${index + 1}`,
      ...(result && 'value' in result && { result: { value: result.value } }),
    }
  })
  const played = (definition.simulations ?? [])
    .slice(0, 1)
    .map(({ input, name }): Case => ({ definition, arguments: input, origin: 'simulation', name }))
  return [...shown, ...played, toMadeCase(definition)]
}

function toMadeCase(definition: FunctionDefinition): Case {
  const input = (definition.input as JsonSchema | undefined) ?? { type: 'object' }
  const frame = { definition, origin: 'made', name: 'made-up arguments' } as const
  try {
    const made = createValueMaker(input).make(`verify ${definition.name}`)
    return { ...frame, arguments: made as JsonObject }
  } catch {
    return { ...frame, arguments: {} }
  }
}

/** An examination of nothing finds nothing, and would pass for a good one. */
function requireChosen(names: readonly string[], only: readonly string[]): void {
  for (const one of only) {
    if (names.some((name) => isChosen(name, [one]))) continue
    throw new RangeError(
      `only: the service has no function "${one}"${formatNear(nearest(one, names))}`,
    )
  }
}

function isChosen(name: string, only: readonly string[]): boolean {
  return only.length === 0 || only.some((one) => name === one || name.startsWith(`${one}.`))
}

function toTransport(door: Door): Transport {
  return ({ body, headers, signal }) =>
    door({ method: 'POST', path: FORRST, headers, body, signal })
}

/** Ids in order: recorded exchanges are the same every time. */
function createCounter(prefix: string): () => string {
  let count = 0
  return () => {
    count += 1
    return `${prefix}_${count}`
  }
}
