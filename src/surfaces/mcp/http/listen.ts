import { EVENT_STREAM_HEADERS, type HttpRequest, type HttpResponse } from '../../../wire/index.ts'
import { McpError, RPC } from '../errors.ts'
import type { McpServer } from '../server.ts'
import { followChanges } from '../session/peer-changes.ts'
import type { ReplayStream } from '../session/replay-stream.ts'
import type { McpSession } from '../session/sessions.ts'
import { acceptsStream } from './answer.ts'

const MOST_STREAMS = 4

/** Answers GET: a stream for what belongs to no request, or the rest of a stream that broke. */
export function listenHttp(
  server: McpServer,
  request: HttpRequest,
  session: McpSession,
): HttpResponse {
  if (!acceptsStream(request)) {
    throw new McpError(RPC.invalidRequest, 'GET answers with text/event-stream only', {
      status: 406,
    })
  }
  const last = request.header('last-event-id')
  if (last === undefined) return connectStream(request, openListening(server, session), 0)
  const found = session.streams.find(last)
  if (found.found) return connectStream(request, found.stream, found.after)
  // Another process may have kept the stream; what changed in the meantime has to be read anew anyway.
  if (found.kind === 'listen') return connectStream(request, openListening(server, session), 0)
  throw lost()
}

/** Connects a client to a stream. */
export function connectStream(
  request: HttpRequest,
  stream: ReplayStream,
  after: number,
): HttpResponse {
  const connection = stream.connect(after)
  if (connection === 'lost') throw lost()
  // What 204 means to readers of events: there is no reason to come back.
  if (connection === 'over') return { status: 204, headers: {}, body: '' }
  request.signal().addEventListener('abort', connection.end, { once: true })
  return { status: 200, headers: EVENT_STREAM_HEADERS, body: connection }
}

function openListening({ environment }: McpServer, { streams, peer }: McpSession): ReplayStream {
  const others = streams.listening()
  for (const [index, other] of others.entries()) {
    // Who starts anew does not come back for the old.
    if (!other.connected() || others.length - index >= MOST_STREAMS) other.end()
  }
  const stop = followChanges(environment, peer, (message) => {
    if (streams.listening().at(-1) === stream) void stream.push(message)
  })
  const stream = streams.open('listen', environment.keepAliveMs, stop)
  return stream
}

function lost(): McpError {
  return new McpError(RPC.invalidRequest, 'The events after Last-Event-ID are no longer kept', {
    status: 400,
  })
}
