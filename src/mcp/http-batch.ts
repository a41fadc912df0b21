import { isPromise, type Maybe } from '../core/maybe.ts'
import type { HttpResponse } from '../wire/http.ts'
import { type BatchEntry, decodeBatch } from './batch.ts'
import { encodeError, toMcpError } from './errors.ts'
import {
  type AnswerEncoding,
  answerHttp,
  ONE_ANSWER,
  type Outlet,
  type RequestAnswer,
} from './http-answer.ts'
import {
  createRunning,
  type LegacyOrigin,
  openAnswerStream,
  runRequest,
  takeMessage,
  versionOf,
} from './legacy-request.ts'

/** Answers several messages that came as one: one answer per request, and none when there is no request. */
export function answerBatch(
  origin: LegacyOrigin,
  documents: readonly unknown[],
): Maybe<HttpResponse> {
  const { server, request, session } = origin
  const entries = decodeBatch(documents, versionOf(origin))
  const running = entries.map(() => createRunning(origin))

  const run = (entry: BatchEntry, index: number, outlet: Outlet): Maybe<readonly string[]> => {
    if ('error' in entry) {
      return [encodeError(entry.id, toMcpError(entry.error, server.environment.service.log))]
    }
    if (entry.message.kind !== 'request') {
      takeMessage(session, entry.message)
      return []
    }
    const abortable = running[index] ?? createRunning(origin)
    const answer = runRequest(origin, entry.message, abortable, outlet)
    // Who takes a request back gets no answer to it.
    const toTexts = (ready: RequestAnswer) =>
      abortable.aborted() ? [] : ONE_ANSWER.messages(ready)
    return isPromise(answer) ? answer.then(toTexts) : toTexts(answer)
  }

  return answerHttp({
    request,
    keepAliveMs: server.environment.keepAliveMs,
    encoding: BATCH,
    openStream: session && (() => openAnswerStream(origin, session, running)),
    work(outlet) {
      const texts = entries.map((entry, index) => run(entry, index, outlet))
      return texts.some(isPromise)
        ? Promise.all(texts).then((ready) => ready.flat())
        : (texts as readonly (readonly string[])[]).flat()
    },
  })
}

const BATCH: AnswerEncoding<readonly string[]> = {
  messages: (texts) => texts,
  whole: (texts) =>
    texts.length === 0
      ? { status: 202, headers: {}, body: '' }
      : {
          status: 200,
          headers: { 'content-type': 'application/json' },
          body: `[${texts.join(',')}]`,
        },
}
