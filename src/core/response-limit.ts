import { CallError } from './error.ts'
import type { Service } from './service.ts'

/** Refuses a text that is longer than an answer of the service may be. */
export function assertFits(text: string, { limits }: Pick<Service, 'limits'>): void {
  // No character takes more than three bytes: most texts need not be measured.
  if (text.length * 3 <= limits.maxResponseBytes) return
  if (Buffer.byteLength(text) <= limits.maxResponseBytes) return
  throw new CallError('INTERNAL_ERROR', {
    message: `The result is larger than ${limits.maxResponseBytes} bytes; ask for fewer items or fields`,
  })
}
