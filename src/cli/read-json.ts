import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { isRecord } from '../values/index.ts'
import { type CommandInput, formatSuggestion, UsageError } from './command.ts'
import { readTextFlag } from './flags.ts'

/** Gives the path of a `file://` URL; every other reference stays what it is. */
export function fromFileUrl(reference: string): string {
  if (!/^file:\/\//i.test(reference)) return reference
  try {
    return fileURLToPath(reference)
  } catch {
    throw new UsageError(`"${reference}" is not a file on this machine; give its path`)
  }
}

/** Tells whether a word names something on this disk, and not a host. */
export function isOnDisk(reference: string, cwd: string): boolean {
  return reference !== '' && existsSync(resolve(cwd, fromFileUrl(reference)))
}

/** Says why a reference leads to no file, and what was likely meant. */
export function explainMissing(reference: string, cwd: string): string {
  if (/^mcp(?:\+[\w-]*)?:\s*$/.test(reference)) {
    return `${reference} names no MCP server; write mcp:COMMAND or mcp:https://host/mcp`
  }
  // A letter and a colon is a drive, not a scheme.
  const [, scheme] = /^([a-z][a-z0-9+.-]+):\/\//i.exec(reference) ?? []
  if (scheme !== undefined) {
    return `${scheme}:// cannot be read; give a file, http://… or https://…, or mcp:COMMAND`
  }
  const path = resolve(cwd, reference)
  const hint = formatSuggestion(basename(path), listNear(path))
  return `${reference} does not exist${hint === '' ? '' : `.${hint}`}`
}

/** Names that could have been meant, as long as the folder itself is there. */
function listNear(path: string): readonly string[] {
  try {
    return readdirSync(dirname(path)).filter((name) => !name.startsWith('.'))
  } catch {
    return []
  }
}

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

/** Reads the file of `--documents`, an object from URL to document; undefined when it was not given. */
export function readDocumentsFlag(
  input: CommandInput,
): Readonly<Record<string, unknown>> | undefined {
  const file = readTextFlag(input, 'documents')
  if (file === undefined) return undefined
  const documents = readJsonFile(file, input.io.cwd)
  if (isRecord(documents)) return documents
  throw new UsageError(`--documents ${file} must hold a JSON object from URL to document`)
}
