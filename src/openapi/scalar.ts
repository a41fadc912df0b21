import type { EnumValue, FieldType } from '../spec/types.ts'
import { asNumber } from './node.ts'

/** Turns the members of an enum into values of the type; tells what could not be kept. */
export function coerceEnum(
  members: readonly unknown[],
  type: FieldType,
): { readonly values: readonly EnumValue[]; readonly hasNull: boolean; readonly lost: number } {
  const values = new Set<EnumValue>()
  let lost = 0
  for (const member of members) {
    if (member === null) continue
    const value = coerceScalar(member, type)
    if (value === undefined) lost += 1
    else values.add(value)
  }
  return { values: [...values], hasNull: members.includes(null), lost }
}

/** Reads a scalar as the type says, whatever YAML made of it; nothing when it does not fit. */
export function coerceScalar(value: unknown, type: FieldType): EnumValue | undefined {
  if (type === 'string') {
    if (typeof value === 'string') return value
    return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined
  }
  if (type === 'boolean') {
    if (typeof value === 'boolean') return value
    return value === 'true' ? true : value === 'false' ? false : undefined
  }
  if (type !== 'number' && type !== 'integer') return undefined
  const number = asNumber(value)
  if (number === undefined || (type === 'integer' && !Number.isSafeInteger(number)))
    return undefined
  return number
}

/** Guesses the type of a field from its allowed values. */
export function typeOfEnum(members: readonly unknown[]): FieldType {
  const present = members.filter((member) => member !== null)
  if (present.length > 0 && present.every((member) => Number.isInteger(member))) return 'integer'
  if (present.length > 0 && present.every((member) => typeof member === 'number')) return 'number'
  if (present.length > 0 && present.every((member) => typeof member === 'boolean')) return 'boolean'
  return 'string'
}

/** Tells whether any of the numbers is an integer a JavaScript number cannot hold. */
export function isBeyondSafe(values: readonly unknown[]): boolean {
  return values.some((value) => {
    const number = asNumber(value)
    return number !== undefined && Number.isInteger(number) && !Number.isSafeInteger(number)
  })
}
