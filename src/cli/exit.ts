/** How a run of the program ends, for scripts that call it; `found` is what diff, verify and --check look for. */
export const EXIT = { ok: 0, found: 1, bug: 1, input: 2, remote: 3, interrupted: 130 } as const

/** A mistake of the person at the keyboard: one line, exit code 2. */
export class UsageError extends Error {
  override readonly name = 'UsageError'
}

/** The person at the keyboard, or whoever started the program, ended it: exit code 130. */
export class Interruption extends Error {
  override readonly name = 'Interruption'
}

/** Waits for something that cannot be told to stop; an abort ends the wait with an Interruption. */
export async function untilInterrupted<Value>(
  work: Promise<Value>,
  signal: AbortSignal,
): Promise<Value> {
  const waiting = new AbortController()
  const interrupted = new Promise<never>((_, reject) => {
    const stop = () => reject(new Interruption('interrupted'))
    if (signal.aborted) stop()
    else signal.addEventListener('abort', stop, { once: true, signal: waiting.signal })
  })
  try {
    return await Promise.race([work, interrupted])
  } finally {
    waiting.abort()
  }
}

/** A mistake of the other side: one line, exit code 3. */
export class RemoteError extends Error {
  override readonly name = 'RemoteError'
}
