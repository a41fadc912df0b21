import { CallError } from './error.ts'
import type { Service } from './service.ts'

/** Refuses a text that is longer than an answer of the service may be. */
export function assertFits(text: string, { limits }: Pick<Service, 'limits'>): void {
  if (text.length <= limits.maxResponseBytes) return
  throw new CallError('INTERNAL_ERROR', {
    message: `The result is larger than ${limits.maxResponseBytes} bytes; ask for fewer items or fields`,
  })
}
