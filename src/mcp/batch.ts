import { decodeMessage, type Message, readId } from './decode.ts'
import { invalidRequest } from './errors.ts'
import { BATCH_VERSION, type RequestId } from './protocol.ts'

/** One of several messages that came as one, or what is wrong with it. */
export type BatchEntry =
  | { readonly message: Message }
  | { readonly id: RequestId | undefined; readonly error: unknown }

const MOST_ENTRIES = 100

/** Reads several messages that came as one; throws where the revision has no such thing, or they are too many. */
export function decodeBatch(
  documents: readonly unknown[],
  version: string | undefined,
): readonly BatchEntry[] {
  if (version !== BATCH_VERSION) {
    throw invalidRequest(
      `Batches exist in revision ${BATCH_VERSION} only; send one message per request`,
    )
  }
  if (documents.length === 0) throw invalidRequest('A batch must have at least one message')
  if (documents.length > MOST_ENTRIES) {
    throw invalidRequest(`A batch may have at most ${MOST_ENTRIES} messages`)
  }
  return documents.map(toEntry)
}

function toEntry(document: unknown): BatchEntry {
  try {
    const message = decodeMessage(document)
    if (message.kind !== 'request' || message.method !== 'initialize') return { message }
    return { id: message.id, error: invalidRequest('initialize cannot be part of a batch') }
  } catch (error) {
    return { id: readId(document), error }
  }
}
