import { execFile } from 'node:child_process'
import { relative, resolve, sep } from 'node:path'
import { promisify } from 'node:util'
import { toReason } from '../core/text.ts'
import type { Io } from './command.ts'
import { UsageError } from './exit.ts'
import type { SourceText } from './forge/read-source.ts'

const MAX_COMMITTED_BYTES = 64 * 1024 * 1024

/** Tells whether a reference names a file at a commit: `git:main:openapi.yaml`. */
export function isCommitted(reference: string): boolean {
  return reference.startsWith('git:')
}

/** Reads a file as it was at a commit; throws a UsageError when it cannot. */
export async function readCommitted(reference: string, io: Io): Promise<SourceText> {
  const { ref, path } = parseCommitted(reference)
  try {
    return { file: reference, text: await show(ref, path, io) }
  } catch (thrown) {
    const reason = toReason(thrown)
    throw new UsageError(`${reference} cannot be read: ${reason}`)
  }
}

/** Where a file at a commit would be on the disk, and how files beside it are read at the same commit. */
export function openCommit(
  reference: string,
  io: Io,
): { readonly path: string; readonly readPath: (path: string) => Promise<string> } {
  const { ref, path } = parseCommitted(reference)
  return {
    path: resolve(io.cwd, path),
    readPath: (other) => show(ref, relative(resolve(io.cwd), other).split(sep).join('/'), io),
  }
}

function parseCommitted(reference: string): { readonly ref: string; readonly path: string } {
  const [, ref = '', path = ''] = /^git:([^:]*):(.+)$/s.exec(reference) ?? []
  // A ref that starts with a dash would be read as an option of git.
  if (ref === '' || ref.startsWith('-')) {
    throw new UsageError(
      `"${reference}" must look like git:REF:PATH, such as git:main:openapi.yaml`,
    )
  }
  return { ref, path }
}

async function show(ref: string, path: string, { cwd, signal }: Io): Promise<string> {
  try {
    const { stdout } = await promisify(execFile)(
      'git',
      ['show', '--end-of-options', `${ref}:./${path}`],
      { cwd, maxBuffer: MAX_COMMITTED_BYTES, signal },
    )
    return stdout
  } catch (thrown) {
    const { stderr, message } = thrown as { stderr?: string; message: string }
    throw new Error((stderr ?? '').trim().split('\n', 1)[0] || message)
  }
}
