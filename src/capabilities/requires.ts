import { isRecord } from '../core/json.ts'
import { isVersion } from './name.ts'

/** An inclusive range of versions. */
interface VersionRange {
  readonly min: string
  readonly max: string | undefined
}

/** What an extension schema asks of the versions around it. */
export interface Requires {
  readonly protocol: VersionRange | undefined
  readonly capabilities: ReadonlyMap<string, VersionRange>
}

/** Reads `requires` of an extension schema; undefined when there is none, `malformed` when it is unusable. */
export function readRequires(schema: unknown): Requires | undefined | 'malformed' {
  if (!isRecord(schema) || schema['requires'] === undefined) return undefined
  const { requires } = schema
  if (!isRecord(requires)) return 'malformed'
  const protocol = readRange(requires['protocol'])
  const named = requires['capabilities'] ?? {}
  if (protocol === 'malformed' || !isRecord(named)) return 'malformed'
  const capabilities = new Map<string, VersionRange>()
  for (const [name, value] of Object.entries(named)) {
    const range = readRange(value)
    if (range === 'malformed' || range === undefined) return 'malformed'
    capabilities.set(name, range)
  }
  return { protocol, capabilities }
}

/** Tells whether the chosen versions meet what an extension asks for; what is not active is not asked about. */
export function meetsRequires(
  requires: Requires,
  protocolVersion: string,
  versionOf: (capability: string) => string | undefined,
): boolean {
  if (requires.protocol !== undefined && !within(protocolVersion, requires.protocol)) return false
  for (const [name, range] of requires.capabilities) {
    const version = versionOf(name)
    if (version !== undefined && !within(version, range)) return false
  }
  return true
}

function within(version: string, { min, max }: VersionRange): boolean {
  return version >= min && (max === undefined || version <= max)
}

function readRange(value: unknown): VersionRange | undefined | 'malformed' {
  if (value === undefined) return undefined
  if (!isRecord(value) || !isVersion(value['min'])) return 'malformed'
  const { min, max } = value
  if (max !== undefined && !isVersion(max)) return 'malformed'
  return { min, max }
}
