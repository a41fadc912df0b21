import { asList, asRecord, isRecord, type JsonObject, tryJson } from '../../values/index.ts'
import { type DoorResponse, FORRST } from './door.ts'
import type { Case, Subject } from './subject.ts'

/** An answer as it came, with its headers and before anybody made sense of its body. */
export interface RawAnswer extends DoorResponse {
  /** The body where it is one JSON object. */
  readonly document: Record<string, unknown> | undefined
  /** Code of the first error. */
  readonly code: string | undefined
}

/** Id of requests that do not go through the client. */
export const RAW_ID = 'verify_raw'

const PATIENCE_MS = 20_000

/** Makes a call past the client, which hides headers and events. */
export async function sendRaw(
  { door }: Subject,
  { definition, arguments: given }: Case,
  entry: { readonly urn: string; readonly options: JsonObject },
): Promise<RawAnswer> {
  const answer = await door({
    method: 'POST',
    path: FORRST,
    headers: {
      'content-type': 'application/json',
      accept: 'text/event-stream, application/json',
    },
    body: JSON.stringify({
      protocol: { name: 'forrst', version: '0.1.0' },
      id: RAW_ID,
      call: { function: definition.name, version: definition.version, arguments: given },
      context: { caller: 'waymark-verify' },
      extensions: [entry],
    }),
    signal: AbortSignal.timeout(PATIENCE_MS),
  })
  const document = parseRawObject(answer.body)
  return { ...answer, document, code: findCode(document) }
}

/** Finds the data of an extension in a document. */
export function findData(
  document: Record<string, unknown> | undefined,
  urn: string,
): Record<string, unknown> | undefined {
  const entries = asList(document?.['extensions'])
  const entry = entries.find((one) => isRecord(one) && one['urn'] === urn)
  return isRecord(entry) ? asRecord(entry['data']) : undefined
}

/** Parses text that should be one JSON object; undefined when it is not. */
export function parseRawObject(text: string): Record<string, unknown> | undefined {
  const value = tryJson(text)
  return isRecord(value) ? value : undefined
}

function findCode(document: Record<string, unknown> | undefined): string | undefined {
  const { code } = asRecord(asList(document?.['errors'])[0])
  return typeof code === 'string' ? code : undefined
}
