import {
  type Call,
  dispatch,
  identifyFor,
  type Principal,
  type Service,
  toFailure,
} from '../../core/index.ts'
import type { CallError } from '../../errors/index.ts'
import { answerStream } from '../../extensions/stream/index.ts'
import { toCredentials } from '../../net/index.ts'
import { isPromise, type Maybe } from '../../values/index.ts'
import type {
  HttpHandler,
  HttpRequest,
  HttpResponse,
  JudgeLocal,
  RequestDocument,
} from '../../wire/index.ts'
import { assertJson, decodeCall, decodeEnvelope, readDocument } from './decode.ts'
import { type Answering, encodeFailure, encodeMethodRefusal, encodeOutcome } from './encode.ts'
import { asksForStream, createStreamFormat } from './stream.ts'

/** Serves a service over the Forrst protocol. */
export function createForrstHandler(service: Service): HttpHandler {
  const { clock } = service
  const noticeContext = createContextNotice(service)

  return function handleForrst(request, judgeLocal) {
    if (request.method !== 'POST') return encodeMethodRefusal()
    const answering: Answering = { id: null, call: undefined, startedAt: clock.elapsed() }
    try {
      const envelope = readEnvelope(service, request, answering)
      const principal =
        service.authenticate &&
        identifyFor(service, toCredentials(request, 'forrst'), envelope.call.function)
      const asked: AskedCall = { envelope, request, judgeLocal }
      return isPromise(principal)
        ? answerLater(service, asked, principal, answering)
        : answerAs(service, asked, principal, answering)
    } catch (thrown) {
      return fail(thrown, answering, service)
    }
  }

  function answerAs(
    service: Service,
    asked: AskedCall,
    principal: Principal | undefined,
    answering: Answering,
  ): Maybe<HttpResponse> {
    const call = decodeCall(asked.envelope, asked, service, principal, answering.startedAt)
    answering.call = call
    noticeContext(call)
    return answer(service, answering, call)
  }

  // A function of its own: its closures cost those calls nothing that wait for nobody.
  function answerLater(
    service: Service,
    asked: AskedCall,
    principal: Promise<Principal | undefined>,
    answering: Answering,
  ): Promise<HttpResponse> {
    return principal
      .then((known) => answerAs(service, asked, known, answering))
      .catch((thrown: unknown) => fail(thrown, answering, service))
  }
}

interface AskedCall {
  readonly envelope: RequestDocument
  readonly request: HttpRequest
  readonly judgeLocal: JudgeLocal | undefined
}

/** Answers a request that is refused before anybody reads it. */
export function refuseForrst(service: Service, error: CallError): HttpResponse {
  return fail(error, { id: null, call: undefined, startedAt: service.clock.elapsed() }, service)
}

function readEnvelope(
  service: Service,
  request: HttpRequest,
  answering: Answering,
): RequestDocument {
  assertJson(request)
  const document = readDocument(request, service, (id) => {
    answering.id = id
  })
  return decodeEnvelope(document)
}

function answer(service: Service, answering: Answering, call: Call): Maybe<HttpResponse> {
  if (call.extensions.length > 0 && asksForStream(call, service)) {
    const format = createStreamFormat(service, { ...answering, call })
    return answerStream(service, call, format, (streaming) =>
      dispatch(service, streaming, 'forrst'),
    )
  }
  const outcome = dispatch(service, call, 'forrst')
  return isPromise(outcome)
    ? outcome
        .then((ready) => encodeOutcome(ready, answering, service))
        .catch((thrown: unknown) => fail(thrown, answering, service))
    : encodeOutcome(outcome, answering, service)
}

function fail(thrown: unknown, answering: Answering, service: Service): HttpResponse {
  const { log } = service
  return encodeFailure(toFailure(thrown, { log, call: answering.call }), answering, service)
}

/** Warns once: without context nobody can tell which service makes a call. */
function createContextNotice({ log, registry }: Service): (call: Call) => void {
  let noticed = false
  return (call) => {
    if (noticed || call.context !== undefined) return
    if (registry.find(call.function)?.latest?.system) return
    noticed = true
    log.warn('a call came without context; callers should send { "context": { "caller": … } }', {
      function: call.function,
    })
  }
}
