import { createHash, timingSafeEqual } from 'node:crypto'
import type { Credentials, Principal } from '../core/index.ts'
import { CallError } from '../errors/index.ts'

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
  const expected = token ? digest(`Bearer ${token}`) : undefined
  return ({ header }) => {
    const given = digest(header('authorization') ?? '')
    // Digests have one length: how far two texts agree must not show in the time it takes.
    if (expected !== undefined && timingSafeEqual(given, expected)) return principal
    throw new CallError('UNAUTHORIZED', { message: 'A bearer token is needed' })
  }
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
