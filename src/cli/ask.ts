import { createInterface } from 'node:readline/promises'
import type { Io } from './command.ts'

/** Asks the person who runs the command; a closed input gives `otherwise`. */
export async function ask(question: string, io: Io, otherwise: string): Promise<string> {
  if (io.ask) return io.ask(question)
  const lines = createInterface({ input: process.stdin, output: process.stderr })
  const closed = new Promise<string>((resolve) => lines.once('close', () => resolve(otherwise)))
  try {
    return await Promise.race([lines.question(question, { signal: io.signal }), closed])
  } catch {
    return otherwise
  } finally {
    lines.close()
  }
}
