/** How a run of the program ends, for scripts that call it; `found` is what diff, verify and --check look for. */
export const EXIT = { ok: 0, found: 1, bug: 1, input: 2, remote: 3 } as const

/** A mistake of the person at the keyboard: one line, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** A mistake of the other side: one line, exit code 3. */
export class RemoteError extends Error {
  override readonly name = 'RemoteError'
}
