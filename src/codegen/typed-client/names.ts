import { createNamePlan, type NamePlan, toIdentifier, toPascalCase } from '../names.ts'

/** Members no namespace may have: a `then` makes a promise of it, the others belong to every object. */
const RESERVED_MEMBERS: readonly string[] = [
  '__proto__',
  'constructor',
  'prototype',
  'then',
  'toString',
  'valueOf',
  'toJSON',
  'hasOwnProperty',
]

/** Members that a method has by itself. */
export const METHOD_MEMBERS: readonly string[] = [
  'safe',
  'query',
  'each',
  'links',
  'stream',
  'start',
]

/** Creates a plan that numbers repeated names: a document may have thousands of functions that read the same. */
export function createNumberedPlan(reserved: Iterable<string> = []): NamePlan {
  const first = createNamePlan(reserved)
  const counts = new Map<string, number>()
  return {
    take: (wished) => {
      const name = toIdentifier(wished)
      const count = counts.get(name) ?? 0
      counts.set(name, count + 1)
      return first.take(count === 0 ? name : `${name}_${count + 1}`)
    },
  }
}

/** Creates a plan for the members of one namespace. */
export function createMemberPlan(reserved: Iterable<string> = []): NamePlan {
  const taken = new Set([...RESERVED_MEMBERS, ...reserved])
  const counts = new Map<string, number>()
  return {
    take: (wished) => {
      const name = toIdentifier(wished)
      let count = counts.get(name) ?? 0
      let candidate = name
      while (taken.has(candidate)) {
        count += 1
        candidate = count === 1 ? `${name}_` : `${name}_${count}`
      }
      counts.set(name, count)
      taken.add(candidate)
      return candidate
    },
  }
}

/** Writes a function name as the start of its types: `EventsGet` for `events.get`. */
export function toTypePrefix(name: string): string {
  return name
    .split(/[.:/-]+/)
    .map(toPascalCase)
    .join('')
}

/** Names the versions of one function as shortly as they can be told apart: `v1`, else `v1_2`, else `v1_2_0`. */
export function nameVersions(
  versions: readonly string[],
  reserved: readonly string[],
): readonly string[] {
  const plan = createMemberPlan(reserved)
  const parts = versions.map((version) => version.split(/[.+-]/))
  return versions.map((version, index) => {
    const own = parts[index] ?? []
    // Only a plain release is shortened; the text of a document may hold anything in place of a version.
    const lengths = /^\d+\.\d+\.\d+$/.test(version) ? [1, 2, 3] : []
    const short = lengths
      .map((length) => own.slice(0, length).join('.'))
      .find((start, at) => {
        const same = parts.filter((other) => other.slice(0, at + 1).join('.') === start)
        return same.length === 1
      })
    return plan.take(`v${(short ?? version).replace(/[^A-Za-z0-9]+/g, '_')}`)
  })
}

/** Names the client after the title of the service: `EventManagement` for "Event Management API". */
export function toClientName(title: string): string {
  const words = title.split(/[^\p{Letter}\p{Number}]+/u).filter((word) => word !== '')
  while (words.length > 1 && /^(?:api|service|client)$/i.test(words.at(-1) ?? '')) words.pop()
  const name = words.map((word) => toPascalCase(word)).join('')
  return /^[A-Za-z]/.test(name) ? name.slice(0, 60) : 'Service'
}

/** Writes any text as a member name: `getVenueDetails` for "Get venue details". */
export function toMemberName(text: string): string {
  const words = text.split(/[^A-Za-z0-9$]+/).filter((word) => word !== '')
  const name = words.map(toPascalCase).join('')
  return toIdentifier(name.charAt(0).toLowerCase() + name.slice(1))
}
