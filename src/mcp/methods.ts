import type { Maybe } from '../core/maybe.ts'
import type { Exchange } from './exchange.ts'

/** JSON of a result, as text or as the bytes that will be sent. */
export type Encoded = string | Uint8Array

/** Answers one kind of request. */
export type Method = (exchange: Exchange) => Maybe<Encoded>

/** Methods by name. */
export type Methods = Readonly<Record<string, Method>>
