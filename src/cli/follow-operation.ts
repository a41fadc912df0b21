import type { Operation } from '../client/index.ts'
import type { CommandInput } from './command.ts'
import { EXIT } from './exit.ts'
import { formatJson, printable } from './print.ts'
import { toRemoteError } from './remote.ts'

/** Waits for the end of an operation and prints its result; a terminal also sees its progress. */
export async function followOperation(
  { io, flags }: CommandInput,
  operation: Operation,
): Promise<number> {
  let shown = ''
  const outcome = await operation.result({
    signal: io.signal,
    onState({ id, status, progress, message }) {
      const share = progress === undefined ? '' : ` ${Math.round(progress * 100)} %`
      const line = `${id} ${status}${share}${message === undefined ? '' : ` ${printable(message)}`}`
      if (io.terminal && line !== shown) io.err(`${line}\n`)
      shown = line
    },
  })
  if (flags['json']) {
    io.out(formatJson(outcome))
    return outcome.ok ? EXIT.ok : EXIT.remote
  }
  if (!outcome.ok) throw toRemoteError(outcome)
  io.out(formatJson(outcome.result))
  return EXIT.ok
}
