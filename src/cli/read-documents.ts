import { isRecord } from '../core/json.ts'
import type { CommandInput } from './command.ts'
import { UsageError } from './exit.ts'
import { readText } from './flags.ts'
import { readJsonFile } from './read-json.ts'

/** Reads the file of `--documents`, an object from URL to document; undefined when it was not given. */
export function readDocumentsFlag(
  input: CommandInput,
): Readonly<Record<string, unknown>> | undefined {
  const file = readText(input, 'documents')
  if (file === undefined) return undefined
  const documents = readJsonFile(file, input.io.cwd)
  if (isRecord(documents)) return documents
  throw new UsageError(`--documents ${file} must hold a JSON object from URL to document`)
}
