import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Where the published documents are; tests that need them skip by name when it is absent. */
export const FIXTURES: string = fileURLToPath(
  new URL('../../../shared/fixtures/ucp/', import.meta.url),
)

/** Whether the published documents are at hand. */
export const HAS_FIXTURES: boolean = existsSync(FIXTURES)

/** Reads a JSON file below the fixtures. */
export function readFixture(path: string): unknown {
  return JSON.parse(readFileSync(join(FIXTURES, path), 'utf8'))
}

/** Reads every JSON file below a folder of the fixtures, by path relative to that folder. */
export function readFolder(folder: string): ReadonlyMap<string, unknown> {
  const found = new Map<string, unknown>()
  for (const name of readdirSync(join(FIXTURES, folder), { recursive: true, encoding: 'utf8' })) {
    const path = join(folder, name)
    if (name.endsWith('.json') && statSync(join(FIXTURES, path)).isFile()) {
      found.set(name, readFixture(path))
    }
  }
  return found
}

/** Reads the documents published for a protocol version, by URL. */
export function publishedDocuments(version: string): Record<string, unknown> {
  const entries = [...readFolder(`published/${version}`)]
  return Object.fromEntries(
    entries.map(([path, document]) => [`https://ucp.dev/${version}/${path}`, document]),
  )
}

/** Makes numbers between 0 and 1 that are the same on every run. */
export function createRandom(seed: number): () => number {
  let state = seed
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
