import { addReplyEntry, type Reply, type ReplyEntry } from '../core/call.ts'
import { canonicalUrn } from '../core/extension-urn.ts'

/** Answers that tell how one run went: whoever gets its stored outcome did not wait, hold or queue. */
const OF_ONE_RUN = new Set(['urn:forrst:ext:atomic-lock', 'urn:forrst:ext:priority'])

/** Starts to watch a reply; what it returns gives the answers that were added since and belong to the result. */
export function captureReply(reply: Reply): () => readonly ReplyEntry[] {
  const before = reply.extensions?.length ?? 0
  return () =>
    (reply.extensions ?? []).slice(before).filter(({ urn }) => !OF_ONE_RUN.has(canonicalUrn(urn)))
}

/** Gives stored answers to a new caller. */
export function restoreReply(reply: Reply, entries: readonly ReplyEntry[] = []): void {
  for (const { urn, data } of entries) addReplyEntry(reply, urn, data)
}
