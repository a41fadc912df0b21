import { requireAll } from '../../schema/index.ts'
import { entriesOf } from '../../values/index.ts'
import type { ContentType } from '../tool-spec/index.ts'
import { joinSentences } from './describe.ts'
import type { Folded } from './fold-objects.ts'
import { asFilledText, asFlag, asNode, asText, type Node, read } from './node.ts'
import type { Reducer } from './reduce.ts'
import type { FieldDraft, FieldRequest } from './tool.ts'

/** What became of a request body. */
export interface BodyResult {
  readonly contentType?: ContentType
  readonly mediaType?: string
  readonly fields?: readonly FieldDraft[]
  readonly root?: FieldDraft
}

/** Turns a request body into fields, or into one argument when it is not an object with known fields. */
export function readBody(
  requestBody: Node | undefined,
  method: string,
  reducer: Reducer,
): BodyResult {
  if (requestBody === undefined) return {}
  const chosen = chooseMedia(requestBody)
  if (chosen === undefined) return {}
  const { warn } = reducer.context
  const folded = reducer.fold(chosen.schema, 'body')
  const saysNothing = folded.properties.size === 0 && folded.type === 'object' && !isMap(folded)
  const isEmpty = saysNothing || chosen.schema === undefined
  if (isEmpty && (method === 'GET' || method === 'DELETE')) return {}
  if (method === 'GET') {
    const names = [...folded.properties.keys()].slice(0, 10).join(', ')
    warn(
      'W101',
      `a GET request has no body; ${names === '' ? 'it is' : `its fields ${names} are`} left out`,
      'body',
    )
    return {}
  }
  return {
    ...kindOf(chosen, reducer),
    ...readContent({ media: chosen, folded, requestBody, reducer }),
  }
}

interface Media {
  /** Without parameters, lower case. */
  readonly type: string
  /** As written. */
  readonly given: string
  readonly kind: ContentType
  readonly schema: unknown
  readonly node: Node
}

const ORDER: readonly ((type: string) => boolean)[] = [
  (type) =>
    type === 'application/json' || type === '*/*' || type === 'application/*' || type === 'json',
  (type) => /[+/]json$/.test(type),
  (type) => /\bjson\b/.test(type),
  (type) => type === 'application/x-www-form-urlencoded',
  (type) => type.startsWith('multipart/'),
  (type) => type.startsWith('text/'),
  () => true,
]

function chooseMedia(requestBody: Node): Media | undefined {
  const medias = entriesOf(requestBody['content']).map(([given, value]): Media => {
    const type = (given.split(';')[0] ?? '').trim().toLowerCase()
    const node = asNode(value) ?? {}
    return { type, given: given.trim(), kind: kindOfType(type), schema: read(node, 'schema'), node }
  })
  for (const fits of ORDER) {
    const found = medias.find((media) => fits(media.type))
    if (found) return found
  }
  return undefined
}

function kindOfType(type: string): ContentType {
  if (ORDER.slice(0, 3).some((fits) => fits(type))) return 'json'
  if (type === 'application/x-www-form-urlencoded') return 'form'
  return type.startsWith('multipart/') ? 'multipart' : 'raw'
}

const USUAL: Record<ContentType, string> = {
  json: 'application/json',
  form: 'application/x-www-form-urlencoded',
  multipart: 'multipart/form-data',
  raw: '',
}

function kindOf(media: Media, reducer: Reducer): BodyResult {
  const { kind, type } = media
  const isUsual =
    type === USUAL[kind] || type === '*/*' || type === 'application/*' || type === 'json'
  if (kind === 'raw' && !type.startsWith('text/') && type !== 'application/octet-stream') {
    reducer.context.warn(
      'W108',
      `the content type ${type.slice(0, 80)} is not supported; the body is sent as it is given`,
      'body',
    )
  }
  return {
    ...(kind !== 'json' && { contentType: kind }),
    ...(!isUsual && { mediaType: safeMediaType(type, kind) }),
  }
}

/** The media type goes into a header: only what a header may hold. */
function safeMediaType(type: string, kind: ContentType): string {
  return /^[\w!#$&^.+-]+\/[\w!#$&^.+-]+$/.test(type)
    ? type
    : USUAL[kind] || 'application/octet-stream'
}

/** A body whose media type is chosen and whose schema is folded. */
interface ChosenBody {
  readonly media: Media
  readonly folded: Folded
  readonly requestBody: Node
  readonly reducer: Reducer
}

function readContent(body: ChosenBody): BodyResult {
  const { media, folded } = body
  const hasFields =
    folded.type === 'object' && folded.properties.size > 0 && !isTypedMap(folded) && !folded.open
  if (media.kind !== 'raw' && hasFields) return { fields: readFields(body) }
  const isClosed =
    folded.additional === false && folded.properties.size === 0 && folded.type === 'object'
  if (media.kind !== 'raw' && isClosed) return {}
  return { root: readRoot(body) }
}

/** Keys of the caller's choice beside or instead of known ones. */
function isTypedMap(folded: Folded): boolean {
  return asNode(folded.additional) !== undefined && entriesOf(folded.additional).length > 0
}

function isMap(folded: Folded): boolean {
  return folded.additional !== undefined && folded.additional !== false
}

function readFields({ media, folded, requestBody, reducer }: ChosenBody): FieldDraft[] {
  const { warn } = reducer.context
  if (folded.alternatives.length > 0)
    warn('W101', 'alternatives of the body are merged into one list of fields', 'body')
  const isOptional = requestBody['required'] === false
  const drafts: FieldDraft[] = []
  for (const [name, schemas] of folded.properties) {
    const place = `body.${name}`
    const inner = reducer.fold(requireAll(schemas), place, folded)
    if (asFlag(inner.keywords['readOnly'])) continue
    const required = folded.required.has(name) && !isOptional
    const draft = reducer.start(inner, { place, required, name })
    if (media.kind !== 'json')
      applyEncoding(draft, read(media.node['encoding'], name), place, reducer)
    drafts.push(draft)
  }
  return isMap(folded) ? [...drafts, toRest(drafts)] : drafts
}

/** One argument for all fields of the body that the document does not name. */
function toRest(fields: readonly FieldDraft[]): FieldDraft {
  const names = new Set(fields.map(({ name }) => name))
  let name = 'additional_properties'
  while (names.has(name)) name += '_'
  const description = 'Further fields of the body, by name'
  return { name, type: 'object', description, rest: true }
}

function applyEncoding(
  draft: FieldDraft,
  encoding: unknown,
  place: string,
  reducer: Reducer,
): void {
  if (asNode(encoding) === undefined) return
  const type = asFilledText(read(encoding, 'contentType'))
  if (type !== undefined && /^[\w.+-]+\/[\w.+-]+$/.test(type)) draft.content_type = type
  else if (type !== undefined)
    reducer.context.warn('W101', 'several content types for one part; none is set', place)
  if (entriesOf(read(encoding, 'headers')).length > 0) {
    reducer.context.warn('W101', 'headers of a part are ignored', place)
  }
  const style = asText(read(encoding, 'style'))
  const known = STYLES.find((candidate) => candidate === style)
  if (known !== undefined && known !== 'form') draft.style = known
  const explode = read(encoding, 'explode')
  const usual = known === undefined || known === 'form' || known === 'deepObject'
  if (typeof explode === 'boolean' && explode !== usual) draft.explode = explode
}

const STYLES = ['form', 'spaceDelimited', 'pipeDelimited', 'deepObject'] as const

function readRoot(body: ChosenBody): FieldDraft {
  const { media, folded, requestBody } = body
  const request = {
    place: 'body',
    required: asFlag(requestBody['required']),
    description:
      asFilledText(requestBody['description']) ?? asFilledText(folded.keywords['description']),
    around: media.node,
  }
  const draft = startRoot(body, request)
  draft.description ??= 'The request body.'
  return draft
}

function startRoot({ media, folded, reducer }: ChosenBody, request: FieldRequest): FieldDraft {
  if (media.kind === 'raw') {
    const draft = reducer.start(reducer.fold({ type: 'string' }, 'body'), request)
    makeRaw(draft, media)
    return draft
  }
  const isForm = media.kind === 'form' || media.kind === 'multipart'
  if (!isForm || folded.type === 'object') return reducer.start(folded, request)
  reducer.context.warn('W101', `a ${media.kind} body is an object; any fields are taken`, 'body')
  return reducer.start(reducer.fold({ type: 'object' }, 'body'), request)
}

/** A raw body is text or bytes, whatever its schema says. */
function makeRaw(draft: FieldDraft, media: Media): void {
  const isText =
    media.type.startsWith('text/') || /[+/](xml|yaml|html|csv|javascript|graphql)$/.test(media.type)
  if (!isText) draft.format = 'binary'
  const what = isText ? `A text of type ${media.type}` : 'The bytes in base64'
  draft.description = joinSentences([draft.description, what])
}
