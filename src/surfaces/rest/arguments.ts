import { type Contract, type ParameterPlace, toQueryEntry } from '../../contract/index.ts'
import { type ExtensionEntry, parseHttpPath, type Service } from '../../core/index.ts'
import { CallError } from '../../errors/index.ts'
import { createRecord, isRecord, type JsonObject, nearest } from '../../values/index.ts'
import type { HttpRequest } from '../../wire/index.ts'
import { readJsonBody } from './body.ts'
import type { Asked, AskedAt } from './decode.ts'
import type { FileBody } from './files.ts'
import { coerceArguments, parseQueryString } from './query-string.ts'

/** What a request says to a function: its arguments, and what a query asks for. */
export interface Decoded {
  readonly arguments: JsonObject
  readonly query?: ExtensionEntry
}

/** Reads arguments from path, query string, headers and body; each has one place, and is refused in another. */
export function gatherArguments(
  request: HttpRequest,
  asked: Asked,
  service: Service,
  files: FileBody | undefined,
): Decoded {
  const body = files?.arguments ?? readJsonBody(request, service)
  const { address } = asked.at ?? {}
  const contract = asked.version && asked.surface.contracts.of(asked.version)
  const { own, query } = splitQueryString(request, contract)
  const placed = asked.at && readPlaced(request, asked, asked.at)
  const place = (name: string): ParameterPlace => address?.placeOf(name) ?? 'body'
  // A body that is a file has no room for other arguments.
  const besides = (name: string): ParameterPlace =>
    files?.isRaw && place(name) === 'body' ? 'query' : place(name)
  refuseMisplaced(own, 'query', besides, asked, contract)
  refuseMisplaced(body, 'body', place, asked, contract)
  if (contract === undefined) return { arguments: body, ...query }
  const given = {
    ...coerceArguments(own, contract, service, 'form'),
    ...(placed && coerceArguments(placed, contract, service, 'simple')),
    ...body,
  }
  return { arguments: given, ...query }
}

/** Takes out of the query string what the query of the function may say. */
function splitQueryString(
  request: HttpRequest,
  contract: Contract | undefined,
): { readonly own: JsonObject; readonly query?: Pick<Decoded, 'query'> } {
  if (request.query === '') return { own: {} }
  const values = Object.entries(parseQueryString(request.query))
  const { query } = contract?.parameters ?? {}
  if (query === undefined) return { own: Object.fromEntries(values) }
  const isQuery = (name: string) => Object.hasOwn(query.properties, name)
  const own = Object.fromEntries(values.filter(([name]) => !isQuery(name)))
  const asked = values.filter(([name]) => isQuery(name))
  if (asked.length === 0) return { own }
  return { own, query: { query: toQueryEntry(query.fromText(Object.fromEntries(asked))) } }
}

/** Reads the arguments that are segments of the path, or headers. */
function readPlaced(
  { header }: HttpRequest,
  { version, streamType }: Asked,
  { values, address: { path, headers } }: AskedAt,
): JsonObject {
  const placed: Record<string, string> = createRecord()
  let at = 0
  if (values.length > 0) {
    for (const segment of parseHttpPath(path)) {
      if (!('argument' in segment)) continue
      placed[segment.argument] = values[at] ?? ''
      at += 1
    }
  }
  for (const [name, wanted] of Object.entries(headers)) {
    const text = header(wanted.toLowerCase())
    if (text !== undefined) placed[name] = text
  }
  const resume = streamType === 'text/event-stream' ? version?.definition.resume : undefined
  const last = resume && header('last-event-id')
  // A browser repeats the address of its stream; where it was comes in this header.
  if (resume !== undefined && last !== undefined && last !== '') placed[resume.after] = last
  return placed
}

/** An argument in a place where nobody looks would be dropped, so none may be there. */
function refuseMisplaced(
  given: JsonObject,
  where: 'query' | 'body',
  placeOf: (name: string) => ParameterPlace,
  { target, at }: Asked,
  contract: Contract | undefined,
): void {
  for (const name in given) {
    const place = placeOf(name)
    if (place === where) continue
    const shown = name.slice(0, 100)
    if (place === 'body') refuseBodyArgument(name, target.name, contract)
    else if (place === 'path') {
      throw refuse(`${shown}: is a part of the path ${at?.address.path}`)
    } else if (place === 'header') {
      throw refuse(`${shown}: is the header ${at?.address.headers[name]}`)
    } else throw refuse(`${shown}: is in the query string, not in the body`)
  }
}

function refuseBodyArgument(
  name: string,
  functionName: string,
  contract: Contract | undefined,
): void {
  const { target, parameters } = contract ?? {}
  const { properties } = target?.inputSchema ?? {}
  const [parameter] = nearest(name, Object.keys(parameters?.query?.properties ?? {}))
  const [meant] = nearest(name, isRecord(properties) ? Object.keys(properties) : [])
  // Where others are passed over, one that was meant for the body is still not lost.
  if (meant === undefined && parameter === undefined && target?.ignoresUnknown) return
  const hint =
    parameter !== undefined && meant === undefined
      ? `; did you mean "${parameter}"?`
      : meant === undefined
        ? ''
        : `; did you mean "${meant}" there?`
  throw refuse(
    `${name.slice(0, 100)}: arguments of ${functionName} are members of a JSON object in the body, not of the query string${hint}`,
  )
}

function refuse(message: string): CallError {
  return new CallError('INVALID_ARGUMENTS', { message })
}
