import type { CallErrorShape } from '../core/error.ts'
import { canonicalUrn } from '../core/extension-urn.ts'
import { isRecord } from '../core/json.ts'
import { PROTOCOL_VERSION } from '../core/protocol.ts'
import { isVersion } from '../core/version.ts'

/** The longest id a request may carry. */
export const MAX_ID_LENGTH = 255
const MAX_ENTRIES = 50
const URN = /^urn:[a-z0-9][a-z0-9-]{0,31}:[\x21-\x7e]+$/i
const MAX_URN_LENGTH = 255

type Problems = [CallErrorShape, ...CallErrorShape[]]

/** Recognises, without allocating anything, the envelope nearly every caller sends: right, and without extensions. */
export function isPlainEnvelope(document: unknown): boolean {
  if (!isRecord(document) || document['extensions'] !== undefined) return false
  const { protocol, id, call, context } = document
  if (!isRecord(protocol) || protocol['name'] !== 'forrst' || !isRecord(call)) return false
  if (protocol['version'] !== PROTOCOL_VERSION) return false
  if (typeof id !== 'string' || id === '' || id.length > MAX_ID_LENGTH) return false
  const { function: name, version, arguments: input } = call
  return (
    typeof name === 'string' &&
    name !== '' &&
    (version === undefined || typeof version === 'string') &&
    (input === undefined || isRecord(input)) &&
    (context === undefined || isRecord(context))
  )
}

/** Lists everything wrong with an envelope; undefined when nothing is. */
export function findEnvelopeProblems(document: unknown): Problems | undefined {
  if (!isRecord(document)) {
    const found = Array.isArray(document)
      ? 'an array (batches are not part of the protocol; send parallel requests)'
      : JSON.stringify(document)?.slice(0, 40)
    return [problem('', `The request must be a JSON object, not ${found}`)]
  }
  const problems: CallErrorShape[] = []
  const report = (pointer: string, message: string) => {
    problems.push(problem(pointer, message))
  }
  checkProtocol(document['protocol'], report)
  checkId(document['id'], report)
  checkCall(document['call'], report)
  if (document['context'] !== undefined && !isRecord(document['context'])) {
    report('/context', 'context must be an object')
  }
  if (document['extensions'] !== undefined) checkExtensions(document['extensions'], report)
  const [first, ...rest] = problems
  return first === undefined ? undefined : [first, ...rest]
}

type Report = (pointer: string, message: string) => void

function checkProtocol(protocol: unknown, report: Report): void {
  if (!isRecord(protocol)) {
    report('/protocol', 'protocol must be an object such as {"name":"forrst","version":"0.1.0"}')
    return
  }
  const { name, version } = protocol
  if (name !== 'forrst') report('/protocol/name', 'protocol.name must be "forrst"')
  if (typeof version !== 'string' || !isVersion(version)) {
    report('/protocol/version', 'protocol.version must be a semantic version such as "0.1.0"')
  }
}

function checkId(id: unknown, report: Report): void {
  if (typeof id !== 'string' || id === '') report('/id', 'id must be a non-empty string')
  else if (id.length > MAX_ID_LENGTH) {
    report('/id', `id must have at most ${MAX_ID_LENGTH} characters`)
  }
}

function checkCall(call: unknown, report: Report): void {
  if (!isRecord(call)) {
    report('/call', 'call must be an object with a function name')
    return
  }
  const { function: name, version, arguments: input } = call
  if (typeof name !== 'string' || name === '') {
    report('/call/function', 'call.function must be a non-empty string')
  }
  // The registry is asked first for a version that looks right; only an unknown one is worth the expression.
  if (version !== undefined && version !== null && typeof version !== 'string') {
    report('/call/version', 'call.version must be a semantic version such as "1.0.0"')
  }
  if (input !== undefined && input !== null && !isRecord(input)) {
    report('/call/arguments', 'call.arguments must be an object; positional arguments do not exist')
  }
}

function checkExtensions(extensions: unknown, report: Report): void {
  if (!Array.isArray(extensions)) {
    report('/extensions', 'extensions must be an array of { urn, options } entries')
    return
  }
  if (extensions.length > MAX_ENTRIES) {
    report('/extensions', `extensions must have at most ${MAX_ENTRIES} entries`)
    return
  }
  const seen = new Set<string>()
  for (const [index, entry] of extensions.entries()) {
    checkEntry(entry, `/extensions/${index}`, seen, report)
  }
}

function checkEntry(entry: unknown, pointer: string, seen: Set<string>, report: Report): void {
  if (!isRecord(entry)) {
    report(pointer, 'an extension entry must be an object with a urn')
    return
  }
  const { urn, options } = entry
  if (typeof urn !== 'string' || urn.length > MAX_URN_LENGTH || !URN.test(urn)) {
    report(`${pointer}/urn`, 'urn must be a URN such as "urn:forrst:ext:deadline"')
  } else if (seen.has(canonicalUrn(urn))) {
    report(`${pointer}/urn`, `${urn} is declared twice`)
  } else seen.add(canonicalUrn(urn))
  if (options !== undefined && !isRecord(options)) {
    report(`${pointer}/options`, 'options must be an object')
  }
}

function problem(pointer: string, message: string): CallErrorShape {
  return { code: 'INVALID_REQUEST', message, source: { pointer } }
}
