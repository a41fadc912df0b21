import type { Credentials, Principal } from '../core/index.ts'
import { CallError } from '../errors/index.ts'
import { isPromise, type Maybe } from '../values/index.ts'

/** Finds out who calls; throws UNAUTHORIZED. What `createService` takes as `authenticate`. */
export type Authenticate = (credentials: Credentials) => Maybe<Principal | undefined>

const NEUTRAL = 'Credentials are missing or not accepted'

/** Makes the refusal of wrong credentials: the reason is for the log, callers learn nothing. */
export function refuseCredentials(reason: string, cause?: unknown): CallError {
  return new CallError('UNAUTHORIZED', { message: NEUTRAL, reason, cause })
}

/** The refusal of a caller who showed nothing that an authenticator knows: another one may know it. */
export class NothingShown extends CallError {
  constructor() {
    super('UNAUTHORIZED', { message: NEUTRAL })
  }
}

/**
 * Asks authenticators in order. One that finds nothing of its kind leaves the caller to the next; wrong credentials end
 * the search, so that nobody is let in by the second for what the first refused.
 *
 * @example
 * createService({ info, functions, authenticate: firstOf(apiKeys({ store }), jwt({ issuer, audience, algorithms })) })
 */
export function firstOf(...authenticators: readonly Authenticate[]): Authenticate {
  const ask = (credentials: Credentials, index: number): Maybe<Principal | undefined> => {
    const authenticate = authenticators[index]
    if (authenticate === undefined) throw new NothingShown()
    const goOn = (thrown: unknown): Maybe<Principal | undefined> => {
      if (thrown instanceof NothingShown) return ask(credentials, index + 1)
      throw thrown
    }
    const settle = (principal: Principal | undefined): Maybe<Principal | undefined> =>
      principal ?? ask(credentials, index + 1)
    let principal: Maybe<Principal | undefined>
    try {
      principal = authenticate(credentials)
    } catch (thrown) {
      return goOn(thrown)
    }
    return isPromise(principal)
      ? principal
          .then(
            (known) => ({ known }),
            (thrown: unknown) => ({ thrown }),
          )
          .then((end) => ('thrown' in end ? goOn(end.thrown) : settle(end.known)))
      : settle(principal)
  }
  return (credentials) => ask(credentials, 0)
}

const LONGEST_HEADER = 16_384

/** Reads the token of `Authorization: Bearer …`; undefined when there is none. */
export function readBearerToken({ header }: Credentials): string | undefined {
  const value = header('authorization')
  if (value === undefined) return undefined
  if (value.length > LONGEST_HEADER) throw refuseCredentials('the Authorization header is too long')
  return /^bearer +([\x21-\x7e]+) *$/i.exec(value)?.[1]
}
