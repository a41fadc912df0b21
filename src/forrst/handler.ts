import type { Outcome } from '../core/call.ts'
import { dispatch } from '../core/dispatch.ts'
import { toFailure } from '../core/invoke.ts'
import { andThen, isPromise, type Maybe } from '../core/maybe.ts'
import type { Service } from '../core/service.ts'
import type { HttpHandler, HttpRequest } from '../wire/http.ts'
import { assertJson, decodeCall, decodeEnvelope, readDocument, readId } from './decode.ts'
import { type Answering, encodeMethodRefusal, encodeOutcome } from './encode.ts'

/** Serves a service over the Forrst protocol. */
export function createForrstHandler(service: Service): HttpHandler {
  const { clock, log } = service

  return function handleForrst(request) {
    if (request.method !== 'POST') return encodeMethodRefusal()
    const answering: Answering = { id: null, call: undefined, startedAt: clock.elapsed() }
    const encode = (outcome: Outcome) => encodeOutcome(outcome, answering, service)
    const fail = (thrown: unknown) => encode(toFailure(thrown, { log, call: answering.call }))
    try {
      const outcome = receive(service, request, answering)
      return isPromise(outcome) ? outcome.then(encode).catch(fail) : encode(outcome)
    } catch (thrown) {
      return fail(thrown)
    }
  }
}

function receive(service: Service, request: HttpRequest, answering: Answering): Maybe<Outcome> {
  assertJson(request)
  const document = readDocument(request, service)
  answering.id = readId(document)
  const envelope = decodeEnvelope(document)
  const { startedAt } = answering
  return andThen(
    service.authenticate?.({ header: request.header, surface: 'forrst' }),
    (principal) => {
      answering.call = decodeCall(envelope, request, service, { principal, startedAt })
      return dispatch(service, answering.call)
    },
  )
}
