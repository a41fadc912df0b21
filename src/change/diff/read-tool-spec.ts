import { toInputSchema } from '../../sources/runtime/index.ts'
import type { ToolDef, ToolSpec } from '../../sources/tool-spec/index.ts'
import { asList, asRecord, isRecord } from '../../values/index.ts'
import {
  addWords,
  anyChange,
  comesAndGoes,
  createFacets,
  type DescribedFunction,
  type DescribedInput,
  type DescribedService,
  type FacetCollector,
  type Facets,
} from './model.ts'

/** Reads a tool spec into the form that is compared; pointers lead into the parsed file. */
export function readToolSpec(spec: ToolSpec): DescribedService {
  return {
    kind: 'tool-spec',
    version: spec.version,
    document: spec,
    functions: spec.tools.map((tool, index) => readTool(tool, `/tools/${index}`)),
    facets: readSpecFacets(spec),
  }
}

function readTool(tool: ToolDef, pointer: string): DescribedFunction {
  const facets = createFacets()
  addRequest(tool, REQUEST, pointer, facets)
  addAuth(tool.auth, `${pointer}/auth`, facets)
  const { description: text, tags, deprecated } = tool
  const words = { text, textAt: '/description', tags, isDeprecated: deprecated === true }
  addWords(words, pointer, facets)
  return {
    name: tool.name,
    version: undefined,
    pointer,
    inputs: readInputs(tool, pointer),
    outputs: new Map(),
    sideEffects: readSideEffects(tool, pointer),
    facets: facets.facets,
  }
}

/** What callers pass is what the tool's own input schema says; pointers lead to the field it came from. */
function readInputs(tool: ToolDef, pointer: string): ReadonlyMap<string, DescribedInput> {
  const schema = toInputSchema(tool)
  const required = new Set(asList(schema['required']))
  const places = new Map<string, { readonly pointer: string; readonly field: object }>()
  for (const list of ['params', 'body'] as const) {
    for (const [index, field] of (tool[list] ?? []).entries()) {
      const key = field.arg ?? field.name ?? ''
      places.set(key, { pointer: `${pointer}/${list}/${index}`, field })
    }
  }
  const toInput = ([name, property]: readonly [string, unknown]): [string, DescribedInput] => {
    const place = places.get(name)
    return [
      name,
      {
        schema: property,
        pointer: place?.pointer ?? `${pointer}/body_root`,
        base: property,
        required: required.has(name),
        deprecated: false,
        facets: place === undefined ? new Map() : readTravel(place.field, place.pointer),
      },
    ]
  }
  return new Map(Object.entries(asRecord(schema['properties'])).map(toInput))
}

/** Where a field travels is between the tool and the API; callers do not see it. */
function readTravel(field: object, pointer: string): Facets {
  const { name, in: place, style, explode, content_type } = field as Record<string, unknown>
  const { add, facets } = createFacets()
  const value = [name, place ?? null, style ?? null, explode ?? null, content_type]
  add('travel', 'where it travels', { changed: 'request-changed' }, { value, pointer })
  return facets
}

const REQUEST = ['method', 'path', 'base_url', 'content_type', 'media_type', 'response', 'paginate']

function addRequest(
  source: ToolDef | ToolSpec,
  keys: readonly string[],
  pointer: string,
  { add }: FacetCollector,
): void {
  for (const key of keys) {
    const value = (source as unknown as Readonly<Record<string, unknown>>)[key]
    const at = { value, pointer: `${pointer}/${key}` }
    add(`request ${key}`, key, anyChange('request-changed'), at)
  }
}

function addAuth(auth: unknown, pointer: string, { add }: FacetCollector): void {
  const isNone = isRecord(auth) && auth['type'] === 'none'
  const rules = { ...comesAndGoes('auth'), changed: 'auth-changed' } as const
  add('auth', 'the authentication', rules, { value: isNone ? undefined : auth, pointer })
}

/** A tool says that it changes nothing, or what it does, only where it is an HTTP call or says so itself. */
function readSideEffects(tool: ToolDef, pointer: string): ReadonlyMap<string, string> | undefined {
  const isReading =
    tool.read_only ?? (tool.method === undefined ? undefined : tool.method === 'GET')
  if (isReading === undefined) return undefined
  if (isReading) return new Map()
  const destroys = tool.destructive ?? tool.method === 'DELETE'
  return new Map([[destroys ? 'delete' : 'update', `${pointer}/method`]])
}

function readSpecFacets(spec: ToolSpec): Facets {
  const facets = createFacets()
  addAuth(spec.auth, '/auth', facets)
  addRequest(spec, ['base_url'], '', facets)
  const rules = { ...comesAndGoes('trigger'), changed: 'trigger-changed' } as const
  for (const [index, trigger] of (spec.triggers ?? []).entries()) {
    const { description, prompt, ...value } = trigger
    const { name } = value
    const pointer = `/triggers/${index}`
    const words = { value: [description, prompt ?? null], pointer }
    const docs = { changed: 'docs-changed' } as const
    facets.add(`trigger\u0000${name}`, `the trigger ${name}`, rules, { value, pointer })
    facets.add(`trigger docs\u0000${name}`, `the words of the trigger ${name}`, docs, words)
  }
  return facets.facets
}
