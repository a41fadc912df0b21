import { randomBytes } from 'node:crypto'

const ALPHABET = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const TIME_LENGTH = 10
const RANDOM_BYTES = 16

/** Makes the id of an operation: `op_` and a ULID, so that ids sort by time and nobody can guess one. */
export function createOperationId(now: number): string {
  let time = ''
  for (let rest = Math.floor(now), at = 0; at < TIME_LENGTH; at += 1) {
    time = ALPHABET.charAt(rest % 32) + time
    rest = Math.floor(rest / 32)
  }
  const chance = [...randomBytes(RANDOM_BYTES)].map((byte) => ALPHABET.charAt(byte % 32)).join('')
  return `op_${time}${chance}`
}

/** Tells whether a text can be the id of an operation; anything else is never looked up. */
export function isOperationId(text: string): boolean {
  return /^op_[0-9A-HJKMNP-TV-Z]{26}$/.test(text)
}
