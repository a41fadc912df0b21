import { isRecord, toText } from '../../../src/values/json.ts'
import type { Link } from './link.ts'
import type { CallAnswer, Schema } from './types.ts'

/** A function as the discovery document describes it, references resolved. */
export interface FunctionFacts {
  readonly name: string
  readonly version: string
  readonly stability?: string
  readonly summary?: string
  readonly description?: string
  readonly deprecated?: { readonly reason?: string; readonly sunset?: string }
  readonly arguments: readonly ArgumentFacts[]
  readonly result?: { readonly summary?: string; readonly schema?: Schema }
  readonly errors: readonly { readonly code: string; readonly message: string }[]
  readonly links: readonly Link[]
  readonly tags: readonly { readonly name: string }[]
  readonly sideEffects?: readonly string[]
  readonly simulations: readonly Simulation[]
  readonly examples: readonly ExampleFacts[]
}

/** One argument of a function. */
interface ArgumentFacts {
  readonly name: string
  readonly summary?: string
  readonly required?: boolean
  readonly schema?: Schema
}

/** A scripted answer that can be tried without any effect. */
export interface Simulation {
  readonly name: string
  readonly description?: string
  readonly input: Readonly<Record<string, unknown>>
  readonly error?: { readonly code: string }
}

/** An example call: its arguments stand in the order of the function's own. */
interface ExampleFacts {
  readonly name: string
  readonly summary?: string
  readonly params: readonly { readonly value?: unknown }[]
}

/** The discovery document, or as much of it as the page reads. */
export interface ServiceFacts {
  readonly title: string
  readonly version: string
  readonly description?: string
  readonly functions: ReadonlyMap<string, readonly FunctionFacts[]>
  /** The document, for references in schemas. */
  readonly root: Schema
}

/** The Forrst endpoint beside this page, when there is one. */
export interface Forrst {
  readonly url: string
  readonly call: (request: ForrstCall, signal?: AbortSignal) => Promise<ForrstAnswer>
}

/** One call of a function. */
interface ForrstCall {
  readonly function: string
  readonly version?: string
  readonly arguments?: Readonly<Record<string, unknown>>
  readonly extensions?: readonly { readonly urn: string; readonly options?: object }[]
}

/** What came back. */
export interface ForrstAnswer {
  readonly status: number
  readonly body: unknown
  readonly elapsed: number
}

export const FUNCTIONS = {
  health: 'urn:cline:forrst:fn:health',
  capabilities: 'urn:cline:forrst:fn:capabilities',
  describe: 'urn:cline:forrst:ext:discovery:fn:describe',
  operations: 'urn:cline:forrst:ext:async:fn:list',
  cancel: 'urn:cline:forrst:ext:async:fn:cancel',
  triggers: 'urn:waymark:forrst:ext:triggers:fn:list',
  deliveries: 'urn:waymark:forrst:ext:triggers:fn:deliveries',
  redeliver: 'urn:waymark:forrst:ext:triggers:fn:redeliver',
} as const
const SIMULATION = 'urn:forrst:ext:simulation'

/** Makes the door to the Forrst endpoint next to the mount. */
export function createForrst(
  base: string,
  headers: () => Readonly<Record<string, string>>,
): Forrst {
  const url = new URL('../forrst', `${location.origin}${base}/`).href
  let count = 0
  return {
    url,
    async call({ extensions, ...call }, signal) {
      const started = performance.now()
      count += 1
      const response = await fetch(url, {
        method: 'POST',
        headers: { ...headers(), 'content-type': 'application/json' },
        body: JSON.stringify({
          protocol: { name: 'forrst', version: '0.1.0' },
          id: `explorer-${count}-${Date.now().toString(36)}`,
          call,
          context: { caller: 'waymark-explorer' },
          ...(extensions && { extensions }),
        }),
        ...(signal && { signal }),
      })
      const text = await response.text()
      return { status: response.status, body: parse(text), elapsed: performance.now() - started }
    },
  }
}

/** Gives the result of an answer, or throws what the service said. */
export function requireResult({ status, body }: ForrstAnswer): Record<string, unknown> {
  if (isRecord(body) && isRecord(body['result'])) return body['result']
  throw new Error(firstError(body) ?? `The service answered ${status}.`)
}

/** Runs a scripted scenario: the service answers from the script and does nothing. */
export async function simulate(
  forrst: Forrst,
  target: FunctionFacts,
  scenario: Simulation,
): Promise<CallAnswer> {
  const answer = await forrst.call({
    function: target.name,
    version: target.version,
    arguments: scenario.input,
    extensions: [{ urn: SIMULATION, options: { enabled: true, scenario: scenario.name } }],
  })
  return toCallAnswer(answer)
}

/** Reads a Forrst answer as the answer of a tool. */
function toCallAnswer({ status, body, elapsed }: ForrstAnswer): CallAnswer {
  const errors = isRecord(body) ? body['errors'] : undefined
  const failed = Array.isArray(errors) && errors.length > 0
  const structured = failed ? errors : isRecord(body) ? body['result'] : body
  return {
    status,
    elapsed,
    envelope: body,
    content: [{ type: 'text', text: JSON.stringify(structured ?? null) }],
    structured: structured ?? null,
    isError: failed,
  }
}

/** What stands beside the page. */
export interface FoundService {
  readonly present: boolean
  readonly facts: ServiceFacts | undefined
}

/** Looks for a Forrst endpoint and reads its discovery document. */
export async function readService(forrst: Forrst): Promise<FoundService> {
  try {
    const { body } = await forrst.call({ function: FUNCTIONS.describe })
    if (!isRecord(body)) return ABSENT
    const document = isRecord(body['result']) ? body['result'] : body
    if ('forrst' in document) return { present: true, facts: toServiceFacts(document) }
    return { present: isRecord(body['protocol']), facts: undefined }
  } catch {
    return ABSENT
  }
}

const ABSENT: FoundService = { present: false, facts: undefined }

/** Reads a discovery document, tolerating whatever is missing. */
export function toServiceFacts(document: Record<string, unknown>): ServiceFacts {
  const info = isRecord(document['info']) ? document['info'] : {}
  const resolve = createResolver(document)
  const functions = new Map<string, FunctionFacts[]>()
  for (const entry of listOf(document['functions'])) {
    const facts = toFunctionFacts(resolve(entry), resolve)
    if (facts === undefined) continue
    functions.set(facts.name, [...(functions.get(facts.name) ?? []), facts])
  }
  return {
    title: toText(info['title'] ?? ''),
    version: toText(info['version'] ?? ''),
    ...(typeof info['description'] === 'string' && { description: info['description'] }),
    functions,
    root: document,
  }
}

type Resolver = (value: unknown) => unknown

function toFunctionFacts(entry: unknown, resolve: Resolver): FunctionFacts | undefined {
  if (!isRecord(entry) || typeof entry['name'] !== 'string') return undefined
  const resolved = (member: string) => listOf(entry[member]).map(resolve).filter(isRecord)
  const pairings = resolved('examples').map((pairing) => ({
    ...pairing,
    params: listOf(pairing['params']).map(resolve).filter(isRecord),
  }))
  return {
    ...entry,
    name: entry['name'],
    version: toText(entry['version'] ?? ''),
    arguments: resolved('arguments'),
    errors: resolved('errors'),
    links: resolved('links'),
    tags: resolved('tags'),
    examples: pairings,
    simulations: resolved('simulations'),
    ...(entry['result'] !== undefined && { result: resolve(entry['result']) }),
  } as unknown as FunctionFacts
}

function createResolver(document: Record<string, unknown>): Resolver {
  return (value) => {
    if (!isRecord(value) || typeof value['$ref'] !== 'string') return value
    const segments = value['$ref'].replace(/^#\//, '').split('/')
    return segments.reduce<unknown>(
      (at, key) => (isRecord(at) && Object.hasOwn(at, key) ? at[key] : undefined),
      document,
    )
  }
}

function listOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : []
}

function firstError(body: unknown): string | undefined {
  const [first] = listOf(isRecord(body) ? body['errors'] : undefined)
  if (!isRecord(first)) return undefined
  return [first['code'], first['message']].filter(Boolean).map(toText).join(': ')
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text) as unknown
  } catch {
    return undefined
  }
}
