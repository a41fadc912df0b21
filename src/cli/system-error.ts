import { UsageError } from './command.ts'

/** What to do about the refusals of the operating system that a person can mend. */
const ADVICE: Readonly<Record<string, string>> = {
  EACCES: 'permission denied; choose another place, or change its permissions',
  EPERM: 'not permitted; choose another place, or change its permissions',
  EROFS: 'the file system is read-only; choose another place',
  ENOENT: 'does not exist',
  ENOTDIR: 'a part of this path is a file, not a folder',
  EISDIR: 'is a folder, not a file',
  EEXIST: 'exists already, and is not what is needed here',
  ENOSPC: 'no space is left on the device',
  ENAMETOOLONG: 'the name is too long',
}

/** Turns a refusal of the file system into a line a person can act on; undefined for anything else. */
export function explainFileError(thrown: unknown): UsageError | undefined {
  if (!(thrown instanceof Error)) return undefined
  const { code = '', path } = thrown as NodeJS.ErrnoException
  const advice = Object.hasOwn(ADVICE, code) ? ADVICE[code] : undefined
  return advice === undefined || path === undefined
    ? undefined
    : new UsageError(`${path}: ${advice}`)
}

/** Turns what listening refused into a line a person can act on; undefined for anything else. */
export function explainListenError(
  thrown: unknown,
  { host, port }: { readonly host: string; readonly port: number },
): UsageError | undefined {
  const { code } = thrown as NodeJS.ErrnoException
  switch (code) {
    case 'EADDRINUSE':
      return new UsageError(`port ${port} on ${host} is in use; choose another with --port`)
    case 'EACCES':
      return new UsageError(
        `port ${port} needs elevated privileges; choose one above 1023 with --port`,
      )
    case 'EADDRNOTAVAIL':
    case 'ENOTFOUND':
      return new UsageError(`${host} is not an address of this machine; name one with --host`)
    default:
      return undefined
  }
}
