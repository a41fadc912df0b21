import { toToolName } from '../../../core/index.ts'
import { checkDocument } from '../../../discovery/index.ts'
import { isRecord, toText } from '../../../values/index.ts'
import { FORRST } from '../door.ts'
import { type FindingFacts, showActual } from '../finding.ts'
import { parseRawObject } from '../raw-call.ts'
import { callCase, findCase, nameOf, pointerOf, type Subject } from '../subject.ts'

const RESERVED = /^(?:forrst\.|urn:cline:|urn:forrst:)/

/** Looks at the discovery document itself. */
export async function* verifyDocument({ document }: Subject): AsyncGenerator<FindingFacts> {
  for (const { pointer, message } of checkDocument(document)) {
    yield {
      rule: 'document.invalid',
      pointer,
      expected: 'a discovery document without mistakes',
      actual: message,
      sentence: `the discovery document is wrong at ${pointer}: ${message}`,
    }
  }
  for (const [index, { name, version }] of document.functions.entries()) {
    if (!RESERVED.test(name)) continue
    yield {
      rule: 'name.reserved',
      function: nameOf({ name, version }),
      pointer: `/functions/${index}/name`,
      expected: 'a name outside forrst., urn:cline: and urn:forrst:',
      actual: name,
      sentence: `${name} is a name that belongs to the protocol`,
    }
  }
}

/** Calls every version by its number, and one that cannot exist. */
export async function* verifyVersions(subject: Subject): AsyncGenerator<FindingFacts> {
  const { client } = subject
  for (const definition of subject.definitions) {
    const frame = { function: nameOf(definition), pointer: pointerOf(subject, definition) }
    const described = await client.describe(definition.name, { version: definition.version })
    if (!described.ok) {
      yield {
        rule: 'version.uncallable',
        ...frame,
        expected: 'a description of this version',
        actual: described.error.code,
        sentence: `${frame.function} is in the document, and describe answers ${described.error.code}`,
      }
    }
    const unknown = await client.call(definition.name, {}, { version: '999.0.0' })
    const known = unknown.ok ? [] : unknown.error.details?.['available_versions']
    const lists = Array.isArray(known) && known.includes(definition.version)
    if (!unknown.ok && unknown.error.code === 'VERSION_NOT_FOUND' && lists) continue
    yield {
      rule: 'version.unknown',
      ...frame,
      expected: `VERSION_NOT_FOUND that lists ${definition.version}`,
      actual: unknown.ok ? 'a result' : showActual(unknown.error),
      sentence: `${definition.name} in version 999.0.0 should answer VERSION_NOT_FOUND and list the versions there are`,
    }
  }
}

/** Calls deprecated functions and looks whether their answers say so. */
export async function* verifyDeprecations(subject: Subject): AsyncGenerator<FindingFacts> {
  for (const one of findCase(subject.cases, ({ deprecated }) => deprecated !== undefined)) {
    const { definition } = one
    const outcome = await callCase(subject, one)
    const told =
      isRecord(outcome.meta['deprecated']) ||
      outcome.extensions.some(({ urn }) => urn.endsWith(':ext:deprecation'))
    if (told || (!outcome.ok && outcome.error.code === 'INVALID_ARGUMENTS')) continue
    yield {
      rule: 'deprecation.silent',
      function: nameOf(definition),
      pointer: `${pointerOf(subject, definition)}/deprecated`,
      expected: 'meta.deprecated or a warning of the deprecation extension',
      actual: 'an answer that does not mention it',
      sentence: `${nameOf(definition)} is deprecated, and its answers do not say so`,
    }
  }
}

const DEEP = 20_000

/** Sends what is too long and too deep. */
export async function* verifyLimits({ door, limits }: Subject): AsyncGenerator<FindingFacts> {
  const send = (extra: string) =>
    door({
      method: 'POST',
      path: FORRST,
      headers: { 'content-type': 'application/json' },
      body: `{"protocol":{"name":"forrst","version":"0.1.0"},"id":"verify_limit","call":{"function":"urn:cline:forrst:fn:ping","arguments":{"x":${extra}}}}`,
    })
  const { maxRequestBytes: most } = limits
  if (most !== undefined && most < 20_000_000) {
    const { status } = await send(`"${'x'.repeat(most)}"`).catch(() => ({ status: 413 }))
    if (status < 400) {
      yield {
        rule: 'limit.bytes',
        pointer: '/limits/max_request_bytes',
        expected: `a refusal of more than ${most} bytes`,
        actual: `HTTP ${status}`,
        sentence: `a request longer than the advertised ${most} bytes is not refused`,
      }
    }
  }
  const { status } = await send('['.repeat(DEEP) + ']'.repeat(DEEP)).catch(() => ({ status: 500 }))
  if (status >= 400 && status < 500) return
  yield {
    rule: 'limit.depth',
    pointer: '',
    expected: 'a refusal with a status from 400 to 499',
    actual: `HTTP ${status}`,
    sentence: `arguments nested ${DEEP} levels deep are not refused`,
  }
}

const SYSTEM = ['ping', 'health', 'capabilities'] as const

/** Asks the functions every service has, and compares what they say with the document. */
export async function* verifySystem(subject: Subject): AsyncGenerator<FindingFacts> {
  for (const name of SYSTEM) {
    const outcome = await subject.client.call(`urn:cline:forrst:fn:${name}`, {})
    if (outcome.ok && isRecord(outcome.result)) continue
    yield {
      rule: 'system.broken',
      function: `urn:cline:forrst:fn:${name}`,
      pointer: '',
      expected: 'an object',
      actual: outcome.ok ? showActual(outcome.result) : outcome.error.code,
      sentence: `the system function ${name} does not answer`,
    }
  }
  const described = listNames(subject)
  yield* compareNames('system.disagrees', 'capabilities', described, subject.listed)
}

/** Compares the documents of other surfaces with the discovery document, where a service has them. */
export async function* verifyDocuments(subject: Subject): AsyncGenerator<FindingFacts> {
  const described = listNames(subject)
  const openApi = await readJson(subject, '/openapi.json')
  if (isRecord(openApi?.['paths'])) {
    const paths = Object.keys(openApi['paths']).map((path) => decodeURIComponent(path))
    const names = described.filter((name) => paths.some((path) => path.includes(`/${name}`)))
    yield* compareNames('openapi.disagrees', '/openapi.json', described, names)
  }
  const openRpc = await readJson(subject, '/openrpc.json')
  const methods = openRpc?.['methods']
  if (Array.isArray(methods)) {
    const spelled = new Map(described.map((name) => [toToolName(name), name]))
    const names = methods.flatMap((one) => {
      const name = isRecord(one) ? toText(one['name']) : ''
      return name.startsWith('rpc.') ? [] : [spelled.get(name) ?? name]
    })
    yield* compareNames('openrpc.disagrees', '/openrpc.json', described, names)
  }
}

/** Names that belong to the protocol are a finding of their own. */
function listNames({ document }: Subject): readonly string[] {
  const names = document.functions.map(({ name }) => name).filter((name) => !RESERVED.test(name))
  return [...new Set(names)]
}

function* compareNames(
  rule: 'system.disagrees' | 'openapi.disagrees' | 'openrpc.disagrees',
  where: string,
  described: readonly string[],
  listed: readonly string[],
): Generator<FindingFacts> {
  const document = 'the discovery document'
  const missing = described.filter((one) => !listed.includes(one))
  const hidden = listed.filter((one) => !described.includes(one) && !one.startsWith('urn:'))
  const rows = [
    ...missing.map((name) => [name, document, where] as const),
    ...hidden.map((name) => [name, where, document] as const),
  ]
  for (const [name, place, other] of rows) {
    yield {
      rule,
      function: name,
      pointer: '',
      expected: `${name} in ${other}`,
      actual: 'it is not there',
      sentence: `${name} is in ${place} and not in ${other}`,
    }
  }
}

async function readJson(
  { door }: Subject,
  path: string,
): Promise<Record<string, unknown> | undefined> {
  const { status, body } = await door({ method: 'GET', path })
  return status === 200 ? parseRawObject(body) : undefined
}
