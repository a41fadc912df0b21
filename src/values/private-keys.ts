import { formatPointer, isRecord } from './json.ts'

/** Members that only the private half of a JWK has, whatever its type (RFC 7518, section 6). */
export const PRIVATE_MEMBERS = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'oth', 'k'] as const

/** Any one of these makes an object a key, also one of a type nobody knows. */
const KEY_MEMBERS = ['kty', 'kid', 'crv', 'key_ops'] as const

/** PEM and OpenPGP blocks, and the private and shared keys of Standard Webhooks. */
const PRIVATE_TEXT = /-----BEGIN [A-Z0-9 ]*PRIVATE KEY|^whs(?:k|ec)_/

/** Finds private keys in a document that is going to be published; gives where they are, never what they are. */
export function findPrivateKeys(document: unknown): readonly string[] {
  const found: string[] = []
  collect(document, [], found)
  return found
}

/** Throws when a document that is going to be published holds a private key; the message does not. */
export function assertNoPrivateKeys(document: unknown, what: string): void {
  const [pointer] = findPrivateKeys(document)
  if (pointer === undefined) return
  throw new TypeError(
    `${what}: ${pointer} is part of a private key and would be published; leave it out, and replace the key if this was ever served`,
  )
}

function collect(value: unknown, path: readonly string[], found: string[]): void {
  if (path.length > DEEPEST) return
  if (typeof value === 'string') {
    if (PRIVATE_TEXT.test(value)) found.push(formatPointer(path))
  } else if (Array.isArray(value)) {
    for (const [index, item] of value.entries()) collect(item, [...path, String(index)], found)
  } else if (isRecord(value)) {
    const isKey = isAmongKeys(path) || KEY_MEMBERS.some((member) => isText(value[member]))
    for (const [name, member] of Object.entries(value)) {
      const inside = [...path, name]
      if (isKey && member !== undefined && PRIVATE.has(name)) found.push(formatPointer(inside))
      else collect(member, inside, found)
    }
  }
}

/** Deeper than any profile that is read: a document may be anything. */
const DEEPEST = 100

const PRIVATE: ReadonlySet<string> = new Set(PRIVATE_MEMBERS)

/** What a profile lists as its keys is a key, however little it says about itself. */
function isAmongKeys(path: readonly string[]): boolean {
  return path.length === 2 && (path[0] === 'keys' || path[0] === 'signing_keys')
}

function isText(value: unknown): boolean {
  return typeof value === 'string' || Array.isArray(value)
}
