import {
  addressOf,
  compileSchema,
  decodeFragment,
  eachReference,
  type JsonSchema,
  type Reference,
  type SchemaCheck,
  toReference,
  withoutReference,
} from '../../schema/index.ts'
import { formatPointer, isRecord, pushTo, resolvePointer } from '../../values/index.ts'
import type { Negotiation } from '../negotiate/negotiate.ts'
import type { OperationSet } from '../negotiate/operations.ts'

/** What a business says to a request for an operation. */
export type RequestVerdict = 'allowed' | 'capabilities_incompatible' | 'not_offered'

/** The verdict on a request and the capabilities it rests on. */
export interface RequestCheck {
  readonly verdict: RequestVerdict
  /** Root capabilities of the business that drive the operation, active or not, in name order. */
  readonly owners: readonly string[]
  /** Set when the request is let through only because the check merely warns. */
  readonly warning?: 'capabilities_incompatible'
}

/** How seriously a request for an inactive capability is taken. */
export interface RequestCheckOptions {
  /** `warn` lets the request through with a warning; `refuse` by default. */
  readonly enforce?: 'refuse' | 'warn'
}

/** Decides whether a platform may call an operation, by the capability that owns it. */
export function checkRequest(
  { active }: Negotiation,
  set: OperationSet,
  operation: string,
  { enforce = 'refuse' }: RequestCheckOptions = {},
): RequestCheck {
  const owners = set.owners(operation)
  if (set.operations.some(({ id }) => id === operation)) return { verdict: 'allowed', owners }
  if (owners.every((name) => active.has(name))) return { verdict: 'not_offered', owners }
  const problem = 'capabilities_incompatible'
  return enforce === 'refuse'
    ? { verdict: problem, owners }
    : { verdict: 'allowed', owners, warning: problem }
}

/** Names the active capabilities that a response to an operation lists: its roots and what extends them. */
export function selectResponseCapabilities(
  { active }: Negotiation,
  set: OperationSet,
  operation: string,
): readonly string[] {
  const children = new Map<string, string[]>()
  for (const { name, parents } of active.values()) {
    for (const parent of parents) pushTo(children, parent, name)
  }
  const relevant = new Set<string>()
  const waiting = set.operations
    .filter(({ id }) => id === operation)
    .flatMap(({ capabilities }) => capabilities)
  // An extension of an extension counts when its chain of active parents reaches the root.
  for (let name = waiting.pop(); name !== undefined; name = waiting.pop()) {
    if (relevant.has(name)) continue
    relevant.add(name)
    for (const child of children.get(name) ?? []) waiting.push(child)
  }
  return [...relevant].sort()
}

/** Checks of arguments against schemas that live in several files. */
export interface RequestSchemas {
  /**
   * Compiles the check of what is sent for an operation.
   * `schema` stands in the file at `base`; `verb` (create, update …) decides which members a request has.
   */
  readonly compile: (schema: unknown, base: string, verb: string) => SchemaCheck
  /** Tells whether a file has something at a pointer. */
  readonly has: (url: string, pointer: string) => boolean
}

/** Makes checks over a set of files; a reference to a file that is not among them allows everything. */
export function createRequestSchemas(files: ReadonlyMap<string, unknown>): RequestSchemas {
  const byVerb = new Map<string, Readonly<Record<string, JsonSchema>>>()
  const addresses = new Map<string, string>()
  for (const [url, file] of files) {
    addresses.set(url, url)
    const id = isRecord(file) ? file['$id'] : undefined
    if (typeof id === 'string' && !addresses.has(id)) addresses.set(id, url)
  }
  const has = (url: string, pointer: string): boolean => {
    const address = addresses.get(url)
    if (address === undefined) return false
    return resolvePointer(files.get(address), pointer) !== undefined
  }

  function definitionsFor(verb: string): Readonly<Record<string, JsonSchema>> {
    const known = byVerb.get(verb)
    if (known !== undefined) return known
    const rewritten: Record<string, JsonSchema> = {}
    for (const [url, file] of files) {
      const schema = rewrite(file, { base: baseOf(file, url), verb, addresses, has })
      if (isRecord(schema)) rewritten[url] = { ...schema, $id: url }
    }
    byVerb.set(verb, rewritten)
    return rewritten
  }

  return {
    has,
    compile: (schema, base, verb) => {
      const own = rewrite(schema, { base: baseOf(files.get(base), base), verb, addresses, has })
      if (!isRecord(own)) return (value) => ({ ok: true, value })
      return compileSchema(own, { definitions: definitionsFor(verb) })
    },
  }
}

/** Lists the files that a document refers to, as absolute URLs. */
export function listReferencedFiles(document: unknown, url: string): ReadonlySet<string> {
  const files = new Set<string>()
  const base = baseOf(document, url)
  eachReference(
    document,
    (ref) => {
      if (ref.startsWith('#') || !URL.canParse(ref, base)) return
      files.add(withoutFragment(new URL(ref, base).href))
    },
    DATA,
  )
  return files
}

interface Rewriting {
  readonly base: string
  readonly verb: string
  /** Every name of a file to the URL it is kept under. */
  readonly addresses: ReadonlyMap<string, string>
  readonly has: (url: string, pointer: string) => boolean
}

const MAX_DEPTH = 100

// Values that are data, not schemas: a reference inside them is not one.
const DATA: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples', 'example'])

// References become absolute, annotations of the protocol become plain keywords.
function rewrite(value: unknown, how: Rewriting, depth = 0): unknown {
  if (depth > MAX_DEPTH) return true
  if (Array.isArray(value)) return value.map((item) => rewrite(item, how, depth + 1))
  if (!isRecord(value)) return value
  const copy: Record<string, unknown> = {}
  const address = addressOf(value)
  const target = address === undefined ? undefined : toTarget(address, how)
  if (target !== undefined) Object.assign(copy, toReference(target))
  for (const [key, member] of Object.entries(
    address === undefined ? value : withoutReference(value),
  )) {
    if (key === '$id' || key === '$anchor' || key === '__proto__') continue
    copy[key] = DATA.has(key) ? member : rewrite(member, how, depth + 1)
  }
  return isRecord(value['properties']) ? applyVisibility(copy, value['properties'], how.verb) : copy
}

function toTarget(reference: string, { base, addresses, has }: Rewriting): string | undefined {
  if (!URL.canParse(reference, base)) return undefined
  const target = new URL(reference, base)
  const pointer = decodeFragment(target.hash.slice(1))
  const file = addresses.get(withoutFragment(target.href))
  if (file === undefined || !has(file, pointer)) return undefined
  return pointer === '' ? file : `${file}#${target.hash.slice(1)}`
}

type Visibility = 'omit' | 'required' | 'optional'

function applyVisibility(
  schema: Record<string, unknown>,
  published: Record<string, unknown>,
  verb: string,
): Record<string, unknown> {
  const properties = { ...(schema['properties'] as Record<string, unknown>) }
  const required = new Set(Array.isArray(schema['required']) ? schema['required'] : [])
  for (const [name, property] of Object.entries(published)) {
    const visibility = visibilityOf(property, verb)
    if (visibility === undefined) continue
    if (visibility === 'required') required.add(name)
    else required.delete(name)
    if (visibility === 'omit') delete properties[name]
  }
  return { ...schema, properties, required: [...required] }
}

function visibilityOf(property: unknown, verb: string): Visibility | undefined {
  if (!isRecord(property)) return undefined
  const annotation = property['ucp_request']
  const stated =
    isRecord(annotation) && Object.hasOwn(annotation, verb) ? annotation[verb] : annotation
  const transition = isRecord(stated) ? stated['transition'] : undefined
  // While a member is in transition its old state counts.
  const value = isRecord(transition) ? transition['from'] : stated
  return value === 'omit' || value === 'required' || value === 'optional' ? value : undefined
}

function baseOf(document: unknown, url: string): string {
  const id = isRecord(document) ? document['$id'] : undefined
  return typeof id === 'string' && URL.canParse(id) ? id : url
}

function withoutFragment(url: string): string {
  return url.split('#', 1)[0] ?? ''
}

/** Writes the reference to a named shape of a file. */
export function toShapeReference(url: string, shape: string): Reference {
  return toReference(`${url}#${formatPointer(['$defs', shape])}`)
}
