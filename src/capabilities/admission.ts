import type { JsonObject } from '../core/json.ts'
import type { ErrorText, ProtocolErrorCode } from './protocol-error.ts'

/** How a platform says where its profile is: in the `UCP-Agent` header, or as the URL itself. */
export type Announcement = { readonly header: string } | { readonly profile: unknown }

/** Why a negotiated call does not take place. */
export type Refusal =
  | { readonly kind: 'error'; readonly code: ProtocolErrorCode; readonly text: ErrorText }
  /** Too much was asked for: nothing is said about the platform, it may come back. */
  | { readonly kind: 'busy'; readonly retryAfterSeconds: number }
  /** Nothing is shared: a normal answer with this body, not a transport error. */
  | { readonly kind: 'incompatible'; readonly body: JsonObject }

/** What a negotiated call is answered with, or why it is refused. */
export type Admission =
  | { readonly admitted: true; readonly ucp: JsonObject }
  | { readonly admitted: false; readonly refusal: Refusal }

/**
 * Judges a call of a platform that announced its profile; to be called after `authenticate`. What is fetched counts
 * for the caller.
 */
export type Admit = (
  announcement: Announcement,
  functionName: string,
  caller?: string,
) => Promise<Admission>

/** What a platform is told that may come back. */
export const BUSY_TEXT = 'Too many profiles were announced; try again later'
