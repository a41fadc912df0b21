import { createUlid } from '../core/ulid.ts'

/** Makes the id of an operation: `op_` and a ULID, so that ids sort by time and nobody can guess one. */
export function createOperationId(now: number): string {
  return `op_${createUlid(now)}`
}

/** Tells whether a text can be the id of an operation; anything else is never looked up. */
export function isOperationId(text: string): boolean {
  return /^op_[0-9A-HJKMNP-TV-Z]{26}$/.test(text)
}
