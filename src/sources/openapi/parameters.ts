import { entriesOf, toText } from '../../values/index.ts'
import {
  FIELD_STYLES,
  type FieldDef,
  type FieldLocation,
  type FieldStyle,
  HEADER_PATTERN,
  placeholdersOf,
} from '../tool-spec/index.ts'
import { asFilledText, asFlag, asNode, asText, type Node, read } from './node.ts'
import type { DocumentOperation } from './operations.ts'
import type { Reducer } from './reduce.ts'
import type { FieldDraft } from './tool.ts'

/** A header that carries a credential: it becomes auth, never an argument. */
export interface CredentialParameter {
  readonly name: string
  readonly in: 'header' | 'query'
  readonly required: boolean
}

/** What became of the parameters of an operation. */
export interface ParameterResult {
  /** The path with its placeholders spelled as the parameters are. */
  readonly path: string
  readonly fields: readonly FieldDraft[]
  readonly credentials: readonly CredentialParameter[]
}

/** Turns parameters into fields; credentials are set apart, headers that HTTP itself needs are dropped. */
export function readParameters(
  parameters: readonly Node[],
  operation: DocumentOperation,
  reducer: Reducer,
): ParameterResult {
  const { warn } = reducer.context
  const path = operation.path.replace(/\{\+?([^{}*:?]*)\*?(?::[^{}]*)?\}/g, '{$1}')
  if (path !== operation.path) warn('W101', 'a pattern in the path is ignored', 'path')
  const wanted = placeholdersOf(path)
  const fields: FieldDraft[] = []
  const credentials: CredentialParameter[] = []
  const claimed = new Set<string>()
  for (const parameter of parameters) {
    const place = `params.${asText(parameter['name'])}`
    const location = asText(parameter['in'])
    if (location === 'querystring')
      warn('W101', 'a whole query string as one parameter is ignored', place)
    else if (!isLocation(location))
      warn('W101', `a parameter in "${String(location).slice(0, 20)}" is ignored`, place)
    else {
      const credential =
        location === 'header' || location === 'query'
          ? asCredential(parameter, location)
          : undefined
      if (credential) credentials.push(credential)
      else if (location === 'header' && isPlumbing(toText(parameter['name']))) {
        warn('W111', 'a header that the request sets itself is not an argument', place)
      } else {
        const open = location === 'path' ? wanted.filter((name) => !claimed.has(name)) : wanted
        const field = readParameter(parameter, location, open, reducer, place)
        if (field && location === 'path') claimed.add(field.name ?? '')
        if (field) fields.push(field)
      }
    }
  }
  return {
    path,
    fields: [...fields, ...inventMissing(fields, wanted, operation, reducer)],
    credentials,
  }
}

function isLocation(text: string | undefined): text is FieldLocation {
  return text === 'query' || text === 'path' || text === 'header' || text === 'cookie'
}

function readParameter(
  parameter: Node,
  location: FieldLocation,
  wanted: readonly string[],
  reducer: Reducer,
  place: string,
): FieldDraft | undefined {
  const { warn } = reducer.context
  const given = toText(parameter['name'])
  const name =
    location === 'path' ? matchPlaceholder(given, wanted) : given.trim() === '' ? undefined : given
  if (name === undefined) {
    const why = location === 'path' ? `the path has no {${given.slice(0, 60)}}` : 'it has no name'
    warn('W101', `a parameter is ignored: ${why}`, place)
    return undefined
  }
  if ((location === 'header' || location === 'cookie') && !HEADER_PATTERN.test(name)) {
    warn('W111', `a ${location} cannot have that name; the parameter is ignored`, place)
    return undefined
  }
  const media = contentOf(parameter)
  const schema = media ? media.schema : (parameter['schema'] ?? schemaOutside(parameter))
  const required = location === 'path' || asFlag(parameter['required'])
  const draft = reducer.start(reducer.fold(schema, place), {
    place,
    required,
    name,
    isParameter: true,
    description: asFilledText(parameter['description']),
    around: media ? media.node : parameter,
  })
  if (asFlag(parameter['deprecated']) && !draft.description?.startsWith('Deprecated:')) {
    draft.description = `Deprecated: ${draft.description ?? ''}`
  }
  if (location === 'header' || location === 'cookie') draft.in = location
  if (location === 'query' && wanted.includes(name)) draft.in = 'query'
  if (media) draft.content_type = media.type
  else applyStyle(draft, parameter, location, (message) => warn('W101', message, place))
  const isRaw = asFlag(parameter['allowReserved']) || asFlag(parameter['x-ms-skip-url-encoding'])
  if (location === 'query' && isRaw) draft.allow_reserved = true
  presetConstant(draft, location)
  return draft
}

/** A required header, query or cookie parameter with one possible value is a constant: no request goes without it. */
function presetConstant(draft: FieldDraft, location: FieldLocation): void {
  const [value, second] = draft.enum ?? []
  if (location === 'path' || !draft.required || value === undefined || second !== undefined) return
  delete draft.required
  delete draft.enum
  draft.const = value
}

function matchPlaceholder(name: string, wanted: readonly string[]): string | undefined {
  if (wanted.includes(name)) return name
  const bare = (text: string): string => text.toLowerCase().replace(/[^a-z0-9]/g, '')
  return wanted.find((candidate) => bare(candidate) === bare(name) && bare(name) !== '')
}

/** `content` instead of `schema`: the value is serialised as that media type. */
function contentOf(parameter: Node): { type: string; schema: unknown; node: unknown } | undefined {
  const [first] = entriesOf(parameter['content'])
  if (first === undefined || parameter['schema'] !== undefined) return undefined
  const [type, node] = first
  return {
    type: /json/i.test(type) ? 'application/json' : 'text/plain',
    schema: read(node, 'schema'),
    node,
  }
}

/** Careless documents write the keywords of 2.0 beside the name. */
function schemaOutside(parameter: Node): unknown {
  const { name: _, in: __, required: ___, description: ____, ...rest } = parameter
  return asNode(rest)
}

function applyStyle(
  draft: FieldDraft,
  parameter: Node,
  location: FieldLocation,
  lose: (message: string) => void,
): void {
  const usual = location === 'query' || location === 'cookie' ? 'form' : 'simple'
  const given = asFilledText(parameter['style'])
  const style = FIELD_STYLES.find((known) => known.toLowerCase() === given?.toLowerCase())
  if (given !== undefined && (style === undefined || !ALLOWED[location].includes(style))) {
    lose(`style "${given.slice(0, 30)}" is unknown for a ${location} parameter; ${usual} is used`)
    return
  }
  const actual = style ?? usual
  if (actual !== usual) draft.style = actual
  const explode = parameter['explode']
  const explodesByItself = actual === 'form' || actual === 'deepObject'
  if (typeof explode === 'boolean' && explode !== explodesByItself) draft.explode = explode
}

/** Takes style and explode off fields for which they change nothing. */
export function tidyStyle(draft: FieldDraft): void {
  const isNested = draft.type === 'array' || draft.type === 'object' || draft.any_of !== undefined
  if (isNested) return
  delete draft.explode
  if (draft.style !== 'label' && draft.style !== 'matrix') delete draft.style
}

const ALLOWED: Record<FieldLocation, readonly FieldStyle[]> = {
  query: ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'],
  cookie: ['form'],
  path: ['simple', 'label', 'matrix'],
  header: ['simple'],
}

/** Undeclared placeholders, and the query written into the path. */
function inventMissing(
  fields: readonly FieldDef[],
  wanted: readonly string[],
  operation: DocumentOperation,
  reducer: Reducer,
): FieldDraft[] {
  const { warn } = reducer.context
  const declared = new Set(
    fields.filter((field) => field.in === undefined).map((field) => field.name),
  )
  const paths = wanted
    .filter((name) => !declared.has(name))
    .map((name): FieldDraft => {
      warn(
        'W101',
        `the path uses {${name}} but declares no parameter; a text is taken`,
        `params.${name}`,
      )
      return {
        name,
        type: 'string',
        required: true,
        description: `${name || 'Value'} in the path.`,
      }
    })
  const queries = operation.fixedQuery
    .filter(([name]) => !declared.has(name))
    .map(([name, value]): FieldDraft => {
      const description = 'Fixed by the API.'
      return { name, type: 'string', description, const: value }
    })
  return [...paths, ...queries]
}

/** Headers that belong to HTTP or to request signing. */
function isPlumbing(name: string): boolean {
  if (/^x-amz-(?!target$)/i.test(name)) return true
  return /^(accept|content-type|content-length|authorization|host|connection|user-agent|cookie|transfer-encoding|accept-encoding|proxy-authorization)$/i.test(
    name,
  )
}

function asCredential(
  parameter: Node,
  location: 'header' | 'query',
): CredentialParameter | undefined {
  const name = asText(parameter['name'])?.trim() ?? ''
  const isSecret = location === 'header' ? isSecretHeader(name) : QUERY_SECRET.test(name)
  return isSecret ? { name, in: location, required: asFlag(parameter['required']) } : undefined
}

const QUERY_SECRET = /^(api[-_]?key|access[-_]?token|client[-_]?secret|auth[-_]?token)$/i

function isSecretHeader(name: string): boolean {
  if (/^x-amz-/i.test(name)) return false
  if (
    /csrf|xsrf|idempot|page|next|continu|sync|upload|request|client-?token|cancel|device/i.test(
      name,
    )
  )
    return false
  return /(^|[-_])(secret|password|passwd|username|user-?name|api-?key|apikey|auth-?key|token|session-?key)$/i.test(
    name,
  )
}
