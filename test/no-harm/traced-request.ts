import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { importOpenApi, loadOpenApi } from '../../src/entries/openapi.ts'
import {
  createToolCaller,
  type HttpTool,
  runHttpTool,
  ToolError,
  toApiOperation,
  toInputSchema,
} from '../../src/entries/runtime.ts'
import {
  argumentName,
  locationOf,
  type ToolDef,
  type ToolSpec,
} from '../../src/entries/tool-spec.ts'
import { resolvePointer } from '../../src/values/json.ts'
import { fc } from '../support/property.ts'

/*
 * Arguments in, request out: whatever stands in a request must come from the arguments, the path template, the
 * credentials or a constant of the document. What a constant is, is read from the document itself.
 */

type Node = Readonly<Record<string, unknown>>

/** What became of the operations of a document. */
export interface TraceReport {
  readonly operations: number
  readonly sent: number
  readonly refused: number
  /** Where something stood that nobody asked for, or a default got into the spec. */
  readonly faults: readonly string[]
}

/** Sends calls of a document's operations into the void; `most` operations of it, each `runs` times. */
export async function traceDocument(
  path: string,
  limits: { readonly most: number; readonly runs: number; readonly seed: number },
): Promise<TraceReport> {
  const file = basename(path)
  const loaded = loadOpenApi(readFileSync(path, 'utf8'), { file })
  const imported = loaded.ok ? importOpenApi(loaded.document, { file }) : undefined
  if (!loaded.ok || !imported?.ok) return { operations: 0, sent: 0, refused: 0, faults: [] }
  const { spec } = imported
  const constants = findConstants(loaded.document)
  const step = Math.max(1, Math.ceil(spec.tools.length / limits.most))
  const tools = spec.tools.filter((_tool, index) => index % step === limits.seed % step)
  const faults = tools.filter(hasDefault).map(({ name }) => `${file} ${name}: a default`)
  let [sent, refused] = [0, 0]
  for (const tool of tools) {
    const samples = fc.sample(argumentsOf(toInputSchema(tool)), {
      numRuns: limits.runs,
      seed: limits.seed,
    })
    for (const args of [...samples, requiredOnly(toInputSchema(tool), samples[0] ?? {})]) {
      const request = await captureRequest(spec, tool, args)
      if (request === undefined) refused += 1
      else sent += 1
      const found = request ? await findStrangers(tool, args, request, constants) : []
      faults.push(...found.map((one) => `${file} ${tool.name}: ${one} for ${JSON.stringify(args)}`))
    }
  }
  return { operations: tools.length, sent, refused, faults }
}

function hasDefault(tool: ToolDef): boolean {
  return /"default":(?!\{"(?:name|type))/.test(
    JSON.stringify([tool.params, tool.body, tool.body_root]),
  )
}

function requiredOnly(schema: Node, args: Node): Node {
  const required = new Set((schema['required'] ?? []) as string[])
  return Object.fromEntries(Object.entries(args).filter(([name]) => required.has(name)))
}

/** Makes arguments for the schema of a tool; optional ones come and go. */
export function argumentsOf(schema: Node, depth = 0): fc.Arbitrary<Node> {
  const properties = Object.entries((schema['properties'] ?? {}) as Record<string, Node>)
  const required = new Set((schema['required'] ?? []) as string[])
  const values = properties.map(([name, property]) => {
    const value = valuesOf(property, depth + 1)
    return required.has(name) ? value : fc.option(value, { nil: undefined, freq: 1 })
  })
  return fc
    .tuple(...values)
    .map((made) => properties.map(([name], index) => [name, made[index]] as const))
    .map((entries) => Object.fromEntries(entries.filter(([, value]) => value !== undefined)))
}

const TEXTS = fc.oneof(
  fc.stringMatching(/^[a-z0-9]{1,8}$/),
  fc.string({ minLength: 1, maxLength: 6 }),
)

function valuesOf(schema: Node, depth: number): fc.Arbitrary<unknown> {
  const alternatives = schema['anyOf'] as Node[] | undefined
  if (alternatives) return fc.oneof(...alternatives.map((one) => valuesOf(one, depth)))
  const members = schema['enum'] as unknown[] | undefined
  if (members) return fc.constantFrom(...members)
  const types = [schema['type'] ?? 'string'].flat()
  if (types.length > 1)
    return fc.oneof(...types.map((type) => valuesOf({ ...schema, type }, depth)))
  const [min, max] = [Number(schema['minimum'] ?? 0), Number(schema['maximum'] ?? 1e6)]
  if (types[0] === 'null') return fc.constant(null)
  if (types[0] === 'boolean') return fc.boolean()
  if (types[0] === 'integer' || types[0] === 'number')
    return fc.integer({ min: Math.ceil(min), max: Math.max(Math.ceil(min), Math.floor(max)) })
  if (types[0] === 'array') {
    const items = (schema['items'] ?? {}) as Node
    const least = Number(schema['minItems'] ?? 0)
    return depth > 4
      ? fc.constant([])
      : fc.array(valuesOf(items, depth + 1), { minLength: least, maxLength: Math.max(2, least) })
  }
  if (types[0] === 'object') return depth > 4 ? fc.constant({}) : argumentsOf(schema, depth)
  if (schema['format'] === 'binary') return fc.constantFrom('AAEC', 'data:text/plain;base64,YQ==')
  if (/\\d\+|\[0-9\]\+/.test(String(schema['pattern']))) return fc.constant('12345678901234567890')
  return TEXTS
}

const SECRET = 'sEcReT'
const environment = new Proxy<Record<string, string>>(
  {},
  {
    get: (_target, name) => (/_URL$/.test(String(name)) ? 'https://api.example.com/base' : SECRET),
  },
)

async function captureRequest(
  spec: ToolSpec,
  tool: ToolDef,
  args: Node,
): Promise<Request | undefined> {
  const operation = toApiOperation(spec, tool)
  if (operation === undefined) return undefined
  let request: Request | undefined
  const call = createToolCaller({
    env: environment,
    fetch: async (input, init) => {
      // Token servers are asked as well.
      if (String(input).includes('token') && init?.method === 'POST' && request === undefined) {
        const form = init.body
        if (typeof form === 'string' && form.includes('grant_type='))
          return Response.json({ access_token: SECRET })
      }
      request ??= new Request(input, init)
      return new Response(null, { status: 204 })
    },
  })
  const http: HttpTool = { ...tool, parameters: toInputSchema(tool), operation }
  try {
    await runHttpTool(http, call, args)
  } catch (thrown) {
    if (!(thrown instanceof ToolError)) throw thrown
  }
  return request
}

/** Lists what stands in a request and came from nowhere. */
async function findStrangers(
  tool: ToolDef,
  args: Node,
  request: Request,
  constants: ReadonlySet<string>,
): Promise<string[]> {
  const given = (place: string): [string, unknown][] =>
    (tool.params ?? [])
      .filter((field) => locationOf(tool, field) === place)
      .flatMap((field): [string, unknown][] => {
        const value = args[argumentName(field)]
        return value === undefined || value === null ? [] : [[field.name ?? '', value]]
      })
  const isKnown = (name: string, value: string, place: string): boolean =>
    value.includes(SECRET) ||
    value === `Basic ${btoa(`${SECRET}:${SECRET}`)}` ||
    constants.has(`${name}=${value}`.toLowerCase()) ||
    given(place).some(([own, argument]) => owns(own, argument, name) && says(argument, value))
  const query = [...new URL(request.url).searchParams].filter(
    ([name, value]) => !isKnown(name, value, 'query'),
  )
  const cookies = (request.headers.get('cookie') ?? '').split('; ').filter((pair) => {
    const [name = '', value = ''] = pair.split('=').map(decodeURIComponent)
    return pair !== '' && !isKnown(name, value, 'cookie')
  })
  const headers = [...request.headers].filter(([name, value]) => {
    return !OWN_HEADERS.has(name) && !isKnown(name, value, 'header')
  })
  return [
    ...query.map((pair) => `query ${pair.join('=')}`),
    ...cookies.map((pair) => `cookie ${pair}`),
    ...headers.map((pair) => `header ${pair.join(': ')}`),
    ...pathStrangers(tool, given('path'), request.url),
    ...(await bodyStrangers(tool, args, request)),
  ]
}

const OWN_HEADERS = new Set(['accept', 'user-agent', 'content-type', 'cookie'])

/** True when an argument may write a name: its own, one of its keys, or its own with brackets. */
function owns(own: string, value: unknown, name: string): boolean {
  if (own.toLowerCase() === name.toLowerCase() || name.startsWith(`${own}[`)) return true
  return leaves(value).some(
    ([path]) => path.includes(name) || path.some((key) => name.startsWith(`${key}[`)),
  )
}

/** True when a text is a value of an argument, all of them with something between, or the argument as JSON. */
function says(value: unknown, text: string): boolean {
  const found = leaves(value)
  const texts = found.map(([, leaf]) => toText(leaf))
  const flat = isNode(value) ? Object.entries(value).flat().map(toText) : texts
  const named = isNode(value) ? Object.entries(value).map((pair) => pair.map(toText).join('=')) : []
  const joined = [',', '|', ' ', '\t'].flatMap((mark) =>
    [texts, flat, named].map((all) => all.join(mark)),
  )
  return [...texts, ...joined, ...joined.map((one) => one.trim()), JSON.stringify(value)].includes(
    text,
  )
}

function pathStrangers(tool: ToolDef, given: readonly [string, unknown][], url: string): string[] {
  const fixed = (tool.path ?? '').split(/\{[^{}]*\}/)
  const pattern = fixed.map((part) => part.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join('(.*)')
  const sent = new URL(url).pathname
  const plain = (text: string): string => encodeURI(decodeURI(text))
  if (new RegExp(`${pattern}$`).test(sent) || new RegExp(`${plain(pattern)}$`).test(sent)) return []
  return given.length === 0 && sent.endsWith(encodeURI(tool.path ?? '')) ? [] : [`path ${sent}`]
}

async function bodyStrangers(tool: ToolDef, args: Node, request: Request): Promise<string[]> {
  const text = await request.clone().text()
  const fields = (tool.body ?? []).flatMap((field): [string, unknown][] => {
    const value = args[argumentName(field)]
    return value === undefined ? [] : [[field.name ?? '', value]]
  })
  const root = tool.body_root && args[argumentName(tool.body_root)]
  if (text === '') return []
  if (fields.length === 0 && root === undefined) return [`body ${text.slice(0, 200)}`]
  const kind = tool.content_type ?? 'json'
  if (kind === 'json')
    return jsonStrangers(JSON.parse(text), root === undefined ? Object.fromEntries(fields) : root)
  if (kind === 'raw') return []
  const own = root === undefined ? fields : Object.entries(isNode(root) ? root : {})
  const pairs =
    kind === 'form' ? [...new URLSearchParams(text)] : [...(await request.clone().formData())]
  return pairs
    .filter(([name, value]) => {
      const isText = typeof value === 'string'
      const isOurs = own.some(([key, argument]) => {
        return (
          owns(key, argument, name) &&
          (!isText || value === '' || says(argument, value) || saysPart(argument, value))
        )
      })
      return !isOurs
    })
    .map(([name, value]) => `${kind} ${name}=${typeof value === 'string' ? value : 'a file'}`)
}

/** Elements of a list are parts of their own, objects among them as JSON. */
function saysPart(value: unknown, text: string): boolean {
  return Array.isArray(value) && value.some((item) => JSON.stringify(item) === text)
}

function jsonStrangers(sent: unknown, given: unknown): string[] {
  const known = new Set(leaves(given).map(toLine))
  return leaves(sent)
    .map(toLine)
    .filter((line) => !known.has(line))
    .map((line) => `body ${line}`)
}

function toLine([path, leaf]: readonly [readonly string[], unknown]): string {
  // Digits in a text go out as a number.
  return `${JSON.stringify(path)} ${toText(leaf)}`
}

function leaves(value: unknown, path: readonly string[] = []): [readonly string[], unknown][] {
  if (typeof value !== 'object' || value === null) return [[path, value]]
  const entries = Object.entries(value)
  if (entries.length === 0) return [[path, Array.isArray(value) ? '[]' : '{}']]
  return entries.flatMap(([key, item]) => leaves(item, [...path, key]))
}

function toText(value: unknown): string {
  return typeof value === 'string' ? value : (JSON.stringify(value) ?? '')
}

function isNode(value: unknown): value is Node {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** Collects `name=value` of what the document fixes: required parameters with one value, queries in paths. */
function findConstants(document: unknown): Set<string> {
  const found = new Set<string>()
  const seen = new Set<unknown>()
  const follow = (value: unknown): unknown =>
    isNode(value) && typeof value['$ref'] === 'string' && value['$ref'].startsWith('#')
      ? resolvePointer(document, decodeURIComponent(value['$ref'].slice(1)))
      : value
  const visit = (value: unknown): void => {
    if (typeof value !== 'object' || value === null || seen.has(value)) return
    seen.add(value)
    if (isNode(value) && value['in'] !== undefined && value['required'] === true) {
      const schema = follow(value['schema']) ?? value
      const members = isNode(schema) ? (schema['enum'] ?? [schema['const']]) : []
      if (Array.isArray(members) && members.length === 1)
        found.add(`${toText(value['name'])}=${toText(members[0])}`.toLowerCase())
    }
    for (const member of Object.values(value)) visit(member)
  }
  visit(document)
  const paths = isNode(document) && isNode(document['paths']) ? Object.keys(document['paths']) : []
  for (const path of paths) {
    const [, query = ''] = (path.split('#')[0] ?? '').split('?')
    for (const pair of new URLSearchParams(query)) found.add(pair.join('=').toLowerCase())
  }
  return found
}
