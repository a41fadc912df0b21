import type { Operation } from '../sources/runtime/index.ts'
import { RUNTIME_PIECES } from './runtime-pieces.gen.ts'
import type { Writer } from './writer.ts'

/** Pieces that whoever imports a generated file may want to name. */
const EXPORTED: ReadonlySet<string> = new Set([
  'ArgumentSchema',
  'ToolContext',
  'ToolDefinition',
  'ToolDescription',
  'ToolError',
  'ToolErrorReason',
  'ToolHttpError',
])

const AUTH_PARTS: Readonly<Record<string, string>> = {
  bearer: 'readBearer',
  api_key: 'readApiKey',
  basic: 'readBasic',
  oauth2: 'createOauth2()',
}

const BODY_PARTS: Readonly<Record<string, string>> = {
  json: 'encodeJsonBody',
  form: 'encodeFormBody',
  multipart: 'encodeMultipartBody',
  raw: 'encodeRawBody',
}

/** Writes the caller of a file with the parts its operations need; returns the pieces it names. */
export function writeCaller(writer: Writer, operations: readonly Operation[]): readonly string[] {
  const ways = operations.flatMap(({ auth }) => (auth ? [auth, ...(auth.or ?? [])] : []))
  const rules = ways.flatMap((way) => [way, ...(way.also ?? [])])
  const auth = selectParts(
    AUTH_PARTS,
    rules.map((rule) => rule.type),
  )
  const bodies = selectParts(
    BODY_PARTS,
    operations.map((operation) => operation.body?.type),
  )
  const extras = [
    operations.some((operation) => operation.response) && ['trim', 'trimAnswer'],
    operations.some((operation) => operation.paginate) && ['page', 'readPage'],
  ].filter((extra) => extra !== false)
  writer.doc({ text: 'Sends the requests of this file.' })
  writer.block(
    'const call: Caller = createCaller({',
    () => {
      writer.line(`auth: ${printParts(auth)},`, `bodies: ${printParts(bodies)},`)
      for (const [name, part] of extras) writer.line(`${name}: ${part},`)
    },
    '})',
  )
  const parts = [...auth, ...bodies].map(([, part]) => part.replace('()', ''))
  return ['Caller', 'createCaller', ...parts, ...extras.map(([, part]) => part ?? '')]
}

/** Writes the pieces that are named and whatever those need. */
export function writeRuntime(writer: Writer, names: Iterable<string>): void {
  const wanted = new Set<string>()
  const visit = (name: string): void => {
    if (wanted.has(name)) return
    wanted.add(name)
    for (const used of RUNTIME_PIECES[name]?.uses ?? []) visit(used)
  }
  for (const name of names) visit(name)
  for (const [name, piece] of Object.entries(RUNTIME_PIECES)) {
    if (!wanted.has(name)) continue
    writer.gap()
    writer.line(EXPORTED.has(name) ? exportPiece(piece.text) : piece.text)
  }
}

/** Writes the import of what a file needs when it does not carry the runtime itself. */
export function writeImport(writer: Writer, pieces: readonly string[], sends: boolean): void {
  const isType = (name: string): boolean => /^[A-Z]/.test(name)
  const values = [...(sends ? ['createToolCaller'] : []), ...pieces.filter((name) => !isType(name))]
  const types = pieces.filter(isType).map((name) => `type ${name}`)
  writer.block(
    'import {',
    () => {
      for (const name of [...values.sort(), ...types.sort()]) writer.line(`${name},`)
    },
    "} from 'waymark/runtime'",
  )
}

function selectParts(
  parts: Readonly<Record<string, string>>,
  used: readonly (string | undefined)[],
): (readonly [string, string])[] {
  return Object.entries(parts).filter(([name]) => used.includes(name))
}

function printParts(parts: readonly (readonly [string, string])[]): string {
  if (parts.length === 0) return '{}'
  return `{ ${parts.map(([name, part]) => `${name}: ${part}`).join(', ')} }`
}

function exportPiece(text: string): string {
  return text.replace(/^(?=interface|type|class)/m, 'export ')
}
