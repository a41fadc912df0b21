import { randomUUID } from 'node:crypto'
import type { Contract } from '../../contract/index.ts'
import type { Service, Target } from '../../core/index.ts'
import { CallError } from '../../errors/index.ts'
import {
  createFile,
  type Form,
  formatFile,
  isStreamed,
  parseDisposition,
  readForm,
  readWithin,
  toDataUrl,
  toMediaType,
} from '../../files/index.ts'
import { type FilePlace, mapFiles } from '../../schema/index.ts'
import { type Json, type JsonObject, toText } from '../../values/index.ts'
import {
  codingNotTaken,
  findCoding,
  type HttpRequest,
  isJsonMediaType,
  parseJson,
} from '../../wire/index.ts'
import type { Asked } from './decode.ts'
import { coerceArguments, parseQueryString } from './query-string.ts'

const FORM = 'multipart/form-data'

/** Tells by its Content-Type whether a body may hold files; it is then read as it arrives. */
export function mayHoldFiles(contentType: string): boolean {
  return !isJsonMediaType(contentType) && toMediaType(contentType) !== URL_ENCODED
}

const URL_ENCODED = 'application/x-www-form-urlencoded'

/** Arguments out of a body that is not JSON. */
export interface FileBody {
  readonly arguments: JsonObject
  /** True when the body is one file and nothing else: the other arguments are then in the query string. */
  readonly isRaw: boolean
}

/** Reads arguments out of a form, or out of a body that is one file; undefined when the request has neither. */
export function readFileBody(
  request: HttpRequest,
  { version, surface }: Asked,
  service: Service,
): Promise<FileBody> | undefined {
  const contentType = request.header('content-type')
  if (contentType === undefined || request.method === 'GET' || !mayHoldFiles(contentType)) {
    return undefined
  }
  const source = request.stream ?? (request.body.length > 0 ? toStream(request.body) : undefined)
  if (source === undefined) return undefined
  if (version?.inputFiles === undefined) throw notTaken(version)
  const coding = findCoding(request)
  if (coding !== undefined) throw codingNotTaken(coding)
  return toMediaType(contentType) === FORM
    ? readFormArguments(source, contentType, surface.contracts.of(version), service)
    : readRawArgument(source, request, version, service)
}

async function* toStream(body: Uint8Array): AsyncGenerator<Uint8Array> {
  yield body
}

function notTaken(target: Target | undefined): CallError {
  const hint = target === undefined ? '' : `: ${target.name} takes no file`
  return new CallError('INVALID_REQUEST', {
    message: `Content-Type must be application/json${hint}`,
    status: 415,
  })
}

async function readFormArguments(
  source: AsyncIterable<Uint8Array>,
  contentType: string,
  contract: Contract,
  service: Service,
): Promise<FileBody> {
  const place = contract.target.inputFiles as FilePlace
  const { limits } = service
  const form = await readForm(source, contentType, {
    maxMemoryBytes: limits.maxRequestBytes,
    isFile: (name) => place.members !== undefined && Object.hasOwn(place.members, name),
  })
  return { arguments: await toArguments(form, contract, service), isRaw: false }
}

/** Texts are read by the schema as those of a query string are; files stand in for texts until each has its place. */
async function toArguments(form: Form, contract: Contract, service: Service): Promise<JsonObject> {
  const place = contract.target.inputFiles as FilePlace
  const mark = `file ${randomUUID()} `
  const files = new Map<string, { readonly name: string; readonly value: unknown }>()
  for (const [index, { name, file }] of form.files.entries()) {
    files.set(mark + index, { name, value: isStreamed(file) ? file : await toDataUrl(file) })
  }
  const texts = new URLSearchParams()
  for (const { name, text, isJson } of form.fields) if (!isJson) texts.append(name, text)
  for (const [text, { name }] of files) texts.append(name, text)
  const coerced = coerceArguments(parseQueryString(texts.toString()), contract, service, 'form')
  const placed = mapFiles(coerced, place, (given) => {
    const text = toText(given)
    const found = files.get(text)
    files.delete(text)
    return found === undefined ? given : found.value
  }) as Record<string, Json>
  const [stray] = files.values()
  if (stray !== undefined) {
    throw new CallError('INVALID_ARGUMENTS', {
      message: Object.hasOwn(place.members ?? {}, stray.name)
        ? `${stray.name}: is given more than once`
        : `${stray.name}: ${contract.target.name} takes no file of that name`,
    })
  }
  for (const { name, text, isJson } of form.fields) {
    if (isJson) placed[name] = parsePart(name, text, service)
  }
  return placed
}

function parsePart(name: string, text: string, { limits }: Service): Json {
  try {
    return parseJson(Buffer.from(text), limits.maxDepth) as Json
  } catch (thrown) {
    if (!(thrown instanceof CallError)) throw thrown
    throw new CallError(thrown.code, { message: `${name}: ${thrown.message}` })
  }
}

/** The body is the file; what it is called stands in Content-Disposition. */
async function readRawArgument(
  source: AsyncIterable<Uint8Array>,
  { header }: HttpRequest,
  target: Target,
  { limits }: Service,
): Promise<FileBody> {
  const [name, ...others] = Object.keys(target.inputFiles?.members ?? {})
  const place = name === undefined ? undefined : target.inputFiles?.members?.[name]
  if (name === undefined || others.length > 0 || place === undefined || place.members) {
    throw new CallError('INVALID_REQUEST', {
      message: `Content-Type must be ${FORM}: ${target.name} takes more than one file`,
      status: 415,
    })
  }
  const about = {
    name: parseDisposition(header('content-disposition')) ?? '',
    type: toMediaType(header('content-type')),
  }
  const length = header('content-length')
  const size = length !== undefined && /^\d{1,15}$/.test(length) ? Number(length) : Number.NaN
  // Read first where it is known to be small: everything else can then be kept, repeated and run later.
  const bytes =
    size <= limits.maxRequestBytes ? await readWithin(source, limits.maxRequestBytes) : undefined
  const file =
    bytes === undefined
      ? createFile(source, { ...about, size })
      : formatFile(bytes, about.type, about.name)
  return { arguments: { [name]: (place.rule ? file : [file]) as Json }, isRaw: true }
}
