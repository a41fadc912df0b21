import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const FOLDER = fileURLToPath(new URL('../../../shared/seeds/', import.meta.url))

/** Whether the seed documents are at hand; tests that need them skip by name otherwise. */
export const HAS_SEEDS: boolean = existsSync(FOLDER)

/** Reads the seed with a number. */
export function readSeed(number: '000' | '001'): string {
  const name = readdirSync(FOLDER).find((file) => file.startsWith(number))
  return readFileSync(`${FOLDER}${name}`, 'utf8')
}

/** Reads every complete JSON object in a text, in order; what only looks like one is passed over. */
export function readJsonObjects(text: string): readonly Record<string, unknown>[] {
  const found: Record<string, unknown>[] = []
  let start = text.indexOf('{')
  while (start !== -1) {
    const end = findEnd(text, start)
    const value = end === undefined ? undefined : tryParse(text.slice(start, end))
    if (value !== undefined) found.push(value)
    start = text.indexOf('{', value === undefined ? start + 1 : end)
  }
  return found
}

function findEnd(text: string, start: number): number | undefined {
  let depth = 0
  let quoted = false
  for (let index = start; index < text.length; index += 1) {
    const character = text[index]
    if (quoted) {
      if (character === '\\') index += 1
      else if (character === '"') quoted = false
    } else if (character === '"') quoted = true
    else if (character === '{') depth += 1
    else if (character === '}') {
      depth -= 1
      if (depth === 0) return index + 1
    }
  }
  return undefined
}

function tryParse(text: string): Record<string, unknown> | undefined {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
