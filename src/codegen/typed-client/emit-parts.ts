import { createWriter, type Writer } from '../writer.ts'
import { CLIENT_PIECES } from './client-pieces.gen.ts'

/** Pieces that whoever imports a generated client may want to name. */
const EXPORTED: ReadonlySet<string> = new Set([
  'CallOptions',
  'ClientOptions',
  'Conditions',
  'DeclaredError',
  'Duration',
  'ErrorEntry',
  'ExtensionEntry',
  'Filter',
  'HeaderSource',
  'Link',
  'Method',
  'Operands',
  'Operation',
  'OperationStatus',
  'Outcome',
  'Page',
  'PageInfo',
  'Queryable',
  'Resource',
  'RetryPolicy',
  'ServiceError',
  'Startable',
  'StreamOptions',
  'StreamProgress',
  'Streamable',
  'WaitOptions',
])

/** Every piece that the code of a client may name; other words in it are its own. */
const ENTRIES: readonly string[] = [
  'CallOptions',
  'ClientOptions',
  'Conditions',
  'DeclaredError',
  'Filter',
  'Link',
  'Method',
  'Queryable',
  'Startable',
  'StreamOptions',
  'Streamable',
  'connect',
  'connectStream',
  'createAnyMethod',
  'createLink',
  'createMethod',
  'createQueryable',
  'createStartable',
  'createStreamable',
  'hasCode',
]

/** What stands before and behind the code of a client. */
export interface Parts {
  readonly head: string
  readonly tail: string
}

/** Writes what the code of a client runs on: the pieces it names, or an import and the rest. */
export function writeParts(code: string, runtime: 'inline' | 'package'): Parts {
  const words = new Set(code.match(/[A-Za-z_$][\w$]*/g))
  const named = ENTRIES.filter((name) => words.has(name))
  const tail = createWriter()
  tail.line('/* From here on: what every generated client carries. */')
  if (runtime === 'inline') {
    writePieces(tail, named, [])
    return { head: '', tail: tail.toString() }
  }
  const streams = named.includes('connectStream')
  const needed = streams ? ['Connection', 'Stream', 'ServiceError'] : ['Connection']
  writePieces(tail, [...named, ...needed], FROM_PACKAGE)
  tail.line('', ...CONNECT_PACKAGE.split('\n'))
  if (streams) tail.line('', ...STREAM_PACKAGE.split('\n'))
  return { head: printImport(streams), tail: tail.toString() }
}

function writePieces(writer: Writer, names: readonly string[], provided: readonly string[]): void {
  const wanted = new Set<string>()
  const visit = (name: string): void => {
    if (wanted.has(name) || provided.includes(name)) return
    wanted.add(name)
    for (const used of CLIENT_PIECES[name]?.uses ?? []) visit(used)
  }
  for (const name of names) visit(name)
  for (const [name, { text }] of Object.entries(CLIENT_PIECES)) {
    if (!wanted.has(name)) continue
    writer.gap()
    writer.line(...(EXPORTED.has(name) ? exportPiece(text) : text).split('\n'))
  }
}

function exportPiece(text: string): string {
  return text.replace(/^(?=interface|type|class)/m, 'export ')
}

const FROM_PACKAGE: readonly string[] = ['CallOptions', 'ClientOptions', 'connect', 'connectStream']

function printImport(streams: boolean): string {
  const names = ['type CallOptions', 'type ClientOptions', 'createClient']
  return `import { ${(streams ? ['CallError', ...names] : names).join(', ')} } from 'waymark/client'\n`
}

const CONNECT_PACKAGE = `/** Connects to the service through the client of the package. */
function connect(options: ClientOptions): Connection {
  const client = createClient(options)
  return {
    call: (name, callArguments, given) => client.call(name, toArguments(callArguments), given),
  }
}

function toArguments(given: unknown): Readonly<Record<string, unknown>> | undefined {
  return given as Readonly<Record<string, unknown>> | undefined
}`

const STREAM_PACKAGE = `/** Connects to calls that are answered in parts. */
function connectStream(options: ClientOptions): Stream {
  const client = createClient(options)
  return async function* stream(name, callArguments, given) {
    const items = client.stream(name, toArguments(callArguments), given)
    try {
      for await (const item of items) yield item
      return await items.result()
    } catch (thrown) {
      throw thrown instanceof CallError ? new ServiceError(thrown.errors, thrown) : thrown
    }
  }
}`
