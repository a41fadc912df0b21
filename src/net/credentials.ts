import type { Credentials } from '../core/index.ts'
import type { HttpRequest } from '../wire/index.ts'

/** Gives what an `authenticate` hook may look at of a request. */
export function toCredentials(
  { header, peerAddress, fromProxy }: HttpRequest,
  surface: string,
): Credentials {
  return { header, surface, peerAddress, fromProxy }
}
