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
  const provided = new Set(runtime === 'package' ? FROM_PACKAGE : [])
  const tail = createWriter()
  tail.line('/* From here on: what every generated client carries. */')
  writePieces(tail, named, provided)
  if (runtime === 'package') tail.line('', ...CONNECT_PACKAGE.split('\n'))
  return { head: runtime === 'package' ? IMPORT_PACKAGE : '', tail: tail.toString() }
}

function writePieces(
  writer: Writer,
  names: readonly string[],
  provided: ReadonlySet<string>,
): void {
  const wanted = new Set<string>()
  const visit = (name: string): void => {
    if (wanted.has(name) || provided.has(name)) return
    wanted.add(name)
    for (const used of CLIENT_PIECES[name]?.uses ?? []) visit(used)
  }
  for (const name of names) visit(name)
  // The package's connection stands on these even where no method names them.
  if (provided.size > 0) for (const name of ['Connection', 'Answer']) visit(name)
  for (const [name, { text }] of Object.entries(CLIENT_PIECES)) {
    if (!wanted.has(name)) continue
    writer.gap()
    writer.line(...(EXPORTED.has(name) ? exportPiece(text) : text).split('\n'))
  }
}

function exportPiece(text: string): string {
  return text.replace(/^(?=interface|type|class)/m, 'export ')
}

const FROM_PACKAGE: readonly string[] = ['CallOptions', 'ClientOptions', 'connect']

const IMPORT_PACKAGE = `import { type CallOptions, type ClientOptions, createClient } from 'waymark/client'
`

const CONNECT_PACKAGE = `function connect(options: ClientOptions): Connection {
  const client = createClient(options)
  return {
    call: (name, callArguments, given) => client.call(name, callArguments, given),
  }
}`
