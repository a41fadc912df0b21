export {
  PROTOCOL,
  PROTOCOL_VERSION,
  PROTOCOL_VERSIONS,
  type RequestDocument,
  type RequestExtension,
} from './envelope.ts'
export {
  codingNotTaken,
  findCoding,
  type HttpHandler,
  type HttpRequest,
  type HttpResponse,
  IN_PROCESS,
  isEventStream,
  isJsonMediaType,
  type JudgeLocal,
  selectMediaType,
} from './http.ts'
export { findJsonError, parseJson, parsePayload } from './json.ts'
export {
  COMMENT,
  createEventParser,
  createEventStream,
  EVENT_STREAM_HEADERS,
  type EventStream,
  encodeEvent,
  readEvents,
  type ServerEvent,
} from './sse.ts'
