import { existsSync, readdirSync } from 'node:fs'
import { basename, dirname, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { UsageError } from './exit.ts'
import { didYouMean } from './suggest.ts'

/** Gives the path of a `file://` URL; every other reference stays what it is. */
export function fromFileUrl(reference: string): string {
  if (!/^file:\/\//i.test(reference)) return reference
  try {
    return fileURLToPath(reference)
  } catch {
    throw new UsageError(`"${reference}" names no file of this machine; give its path`)
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
  const hint = didYouMean(basename(path), listNear(path))
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
