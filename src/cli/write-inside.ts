import { writeInside } from '../codegen/index.ts'
import { UsageError } from './command.ts'
import { explainFileError } from './system-error.ts'

/** Runs work that writes files; what the file system refuses is for the person to mend, not a bug. */
export async function explainRefusal<Value>(
  place: string,
  work: () => Promise<Value>,
): Promise<Value> {
  try {
    return await work()
  } catch (thrown) {
    const { code, message } = thrown as NodeJS.ErrnoException
    if (typeof code !== 'string' || !/^E[A-Z]+$/.test(code)) throw thrown
    throw explainFileError(thrown) ?? new UsageError(`${place} cannot be written: ${message}`)
  }
}

/** Writes files into a folder that a person has named; a symbolic link inside it is refused. */
export async function writeAllInside(
  folder: string,
  files: readonly { readonly path: string; readonly text: string }[],
): Promise<void> {
  await explainRefusal(folder, async () => {
    for (const { path, text } of files) await writeInside(folder, path, text)
  })
}
