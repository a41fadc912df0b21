import type { Credentials, Principal } from '../core/index.ts'
import { CallError } from '../errors/index.ts'
import { isSameSecret } from '../net/index.ts'

/**
 * Makes an `authenticate` hook that knows one caller by a bearer token; without a token it refuses everybody.
 *
 * @example
 * createService({ info, functions, authenticate: authenticateByToken(process.env.TOKEN) })
 */
export function authenticateByToken(
  token: string | undefined,
  principal: Principal = { id: 'token' },
): (credentials: Credentials) => Principal {
  return ({ header }) => {
    if (token && isSameSecret(header('authorization') ?? '', `Bearer ${token}`)) return principal
    throw new CallError('UNAUTHORIZED', { message: 'A bearer token is needed' })
  }
}
