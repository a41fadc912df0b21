import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { UsageError } from './exit.ts'

/** Reads a JSON file a person named; `-` is standard input. */
export function readJsonFile(reference: string, cwd: string): unknown {
  const text = readTextFile(reference, cwd)
  try {
    return JSON.parse(text)
  } catch (thrown) {
    throw new UsageError(`${reference} is not JSON: ${(thrown as Error).message}`)
  }
}

/** Reads a text file a person named; `-` is standard input. */
export function readTextFile(reference: string, cwd: string): string {
  try {
    return readFileSync(reference === '-' ? 0 : resolve(cwd, reference), 'utf8')
  } catch (thrown) {
    const { code, message } = thrown as NodeJS.ErrnoException
    throw new UsageError(
      code === 'ENOENT' ? `${reference} does not exist` : `${reference} cannot be read: ${message}`,
    )
  }
}
