import { toInputSchema } from '../../sources/runtime/index.ts'
import type { ToolDef, ToolSpec, TriggerDef } from '../../sources/tool-spec/index.ts'
import { asRecord, isRecord } from '../../values/index.ts'
import {
  addWords,
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
  addRequest(tool, pointer, facets)
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
    facets: facets.facets(),
  }
}

/** What callers pass is what the tool's own input schema says; pointers lead to the field it came from. */
function readInputs(tool: ToolDef, pointer: string): ReadonlyMap<string, DescribedInput> {
  const schema = toInputSchema(tool)
  const properties = asRecord(schema['properties'])
  const required = new Set(Array.isArray(schema['required']) ? schema['required'] : [])
  const places = new Map<string, { readonly pointer: string; readonly field: object }>()
  for (const list of ['params', 'body'] as const) {
    for (const [index, field] of (tool[list] ?? []).entries()) {
      const key = field.arg ?? field.name ?? ''
      places.set(key, { pointer: `${pointer}/${list}/${index}`, field })
    }
  }
  return new Map(
    Object.entries(properties).map(([name, property]) => {
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
    }),
  )
}

/** Where a field travels is between the tool and the API; callers do not see it. */
function readTravel(field: object, pointer: string): Facets {
  const { name, in: place, style, explode, content_type } = field as Record<string, unknown>
  const facets = createFacets()
  facets.add('travel', {
    rules: { changed: 'request-changed' },
    label: 'where it travels',
    value: {
      name,
      place: place ?? null,
      style: style ?? null,
      explode: explode ?? null,
      content_type,
    },
    pointer,
  })
  return facets.facets()
}

const REQUEST: readonly (keyof ToolDef)[] = [
  'method',
  'path',
  'base_url',
  'content_type',
  'media_type',
  'response',
  'paginate',
]

function addRequest(tool: ToolDef, pointer: string, facets: FacetCollector): void {
  for (const key of REQUEST) {
    facets.add(`request ${key}`, {
      rules: { added: 'request-changed', removed: 'request-changed', changed: 'request-changed' },
      label: key,
      value: tool[key],
      pointer: `${pointer}/${key}`,
    })
  }
}

function addAuth(auth: unknown, pointer: string, facets: FacetCollector): void {
  const isNone = isRecord(auth) && auth['type'] === 'none'
  facets.add('auth', {
    rules: { added: 'auth-added', removed: 'auth-removed', changed: 'auth-changed' },
    label: 'the authentication',
    value: isNone ? undefined : auth,
    pointer,
  })
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
  facets.add('base_url', {
    rules: { added: 'request-changed', removed: 'request-changed', changed: 'request-changed' },
    label: 'base_url',
    value: spec.base_url,
    pointer: '/base_url',
  })
  for (const [index, trigger] of (spec.triggers ?? []).entries()) {
    addTrigger(trigger, `/triggers/${index}`, facets)
  }
  return facets.facets()
}

function addTrigger(trigger: TriggerDef, pointer: string, facets: FacetCollector): void {
  const { description, prompt, ...rest } = trigger
  facets.add(`trigger\u0000${trigger.name}`, {
    rules: { added: 'trigger-added', removed: 'trigger-removed', changed: 'trigger-changed' },
    label: `the trigger ${trigger.name}`,
    value: rest,
    pointer,
  })
  facets.add(`trigger docs\u0000${trigger.name}`, {
    rules: { changed: 'docs-changed' },
    label: `the words of the trigger ${trigger.name}`,
    value: [description, prompt ?? null],
    pointer,
  })
}
