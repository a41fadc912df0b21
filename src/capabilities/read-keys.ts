import { isRecord } from '../core/json.ts'
import { PRIVATE_MEMBERS } from '../core/private-keys.ts'
import type { PublicKey } from './model.ts'
import { type Reading, report } from './read-entry.ts'

const REQUIRED_BY_TYPE: Readonly<Record<string, readonly string[]>> = {
  EC: ['crv', 'x', 'y'],
  OKP: ['crv', 'x'],
}

const ALGORITHM_BY_CURVE: Readonly<Record<string, string>> = {
  'P-256': 'ES256',
  'P-384': 'ES384',
  Ed25519: 'EdDSA',
}

/** Reads the public keys of a profile; a bad key costs itself, never the profile. */
export function readKeys(reading: Reading, root: Record<string, unknown>): readonly PublicKey[] {
  const member = root['keys'] === undefined ? 'signing_keys' : 'keys'
  const value = root[member]
  if (value === undefined) return []
  if (!Array.isArray(value)) {
    report(reading, 'key_refused', [member])
    return []
  }
  return value.filter((key, index): key is PublicKey => {
    const verdict = judgeKey(key)
    if (verdict !== 'usable') report(reading, verdict, [member, index])
    return verdict === 'usable'
  })
}

function judgeKey(key: unknown): 'usable' | 'key_refused' | 'key_skipped' {
  if (!isRecord(key)) return 'key_refused'
  const { kid, kty, crv, alg } = key
  if (typeof kid !== 'string' || typeof kty !== 'string') return 'key_refused'
  if (PRIVATE_MEMBERS.some((member) => Object.hasOwn(key, member))) return 'key_refused'
  if (!Object.hasOwn(REQUIRED_BY_TYPE, kty)) return 'key_skipped'
  const required = REQUIRED_BY_TYPE[kty] ?? []
  if (required.some((member) => typeof key[member] !== 'string')) return 'key_refused'
  if (!Object.hasOwn(ALGORITHM_BY_CURVE, crv as string)) return 'key_skipped'
  return alg === undefined || alg === ALGORITHM_BY_CURVE[crv as string] ? 'usable' : 'key_refused'
}
