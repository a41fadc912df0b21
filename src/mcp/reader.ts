import { CallError } from '../core/error.ts'
import { isPromise, type Maybe } from '../core/maybe.ts'
import { createAbortable } from './abortable.ts'
import type { Environment } from './environment.ts'
import { missingCapability } from './errors.ts'
import type { Exchange } from './exchange.ts'
import type { Encoded } from './methods.ts'
import type { Reader } from './offer.ts'
import { encodeInputRequired, readAnswers } from './round-trip.ts'
import { createRun } from './run.ts'

/** Runs what reads a resource or gets a prompt; it may ask the client, as tools may. */
export function runReader(
  { seal }: Environment,
  exchange: Exchange,
  work: (reader: Reader) => Maybe<Encoded>,
): Maybe<Encoded> {
  const answers = readAnswers(exchange, seal)
  const abortable = createAbortable(exchange.signal)
  const run = createRun(exchange, answers, abortable)
  const fail = (thrown: unknown): Encoded => {
    if (thrown instanceof CallError) {
      if (run.missing !== undefined) throw missingCapability(run.missing)
      if (run.pending !== undefined) {
        return encodeInputRequired(exchange, run.pending, answers, seal)
      }
    }
    throw thrown
  }
  try {
    const reader = {
      agent: run.agent(),
      principal: exchange.principal,
      signal: abortable.signal,
    }
    const result = work(reader)
    return isPromise(result) ? result.catch(fail) : result
  } catch (thrown) {
    return fail(thrown)
  }
}
