import { readFileSync } from 'node:fs'
import { resolve } from 'node:path'
import { UsageError } from './exit.ts'
import { explainMissing } from './reference.ts'

/** Reads a JSON file a person named; `-` is standard input. */
export function readJsonFile(reference: string, cwd: string): unknown {
  const text = readTextFile(reference, cwd)
  try {
    return JSON.parse(text)
  } catch (thrown) {
    throw new UsageError(`${reference} is not JSON: ${(thrown as Error).message}`)
  }
}

function explainFailure(
  reference: string,
  cwd: string,
  { code, message }: Pick<NodeJS.ErrnoException, 'code' | 'message'>,
): string {
  if (/^https?:\/\//i.test(reference)) return `${reference} is an address; a file is needed here`
  if (code === 'ENOENT') return explainMissing(reference, cwd)
  if (code === 'EISDIR') return `${reference} is a folder; name a file in it`
  return `${reference} cannot be read: ${message}`
}

/** Reads a text file a person named; `-` is standard input. */
export function readTextFile(reference: string, cwd: string): string {
  try {
    return readFileSync(reference === '-' ? 0 : resolve(cwd, reference), 'utf8')
  } catch (thrown) {
    const { code, message } = thrown as NodeJS.ErrnoException
    throw new UsageError(explainFailure(reference, cwd, { code, message }))
  }
}
