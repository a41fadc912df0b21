import type { Service } from '../../core/index.ts'
import type { Io } from '../command.ts'

/**
 * Keeps a service alive when a handler leaves a rejected promise behind: it is logged, counted, and calls in flight finish.
 * An exception that nobody caught leaves the process in a state nobody knows: the promise resolves, and the service stops
 * as it does when it is asked to.
 */
export function watchFaults({ log, accuse }: Service, io: Io): Promise<void> {
  let rejections = 0
  return new Promise((resolve) => {
    io.onFault?.((kind, error) => {
      const names = accuse()
      const facts = { ...(names.length > 0 && { function: names.join(', ') }), error }
      if (kind === 'rejection') {
        rejections += 1
        log.error('unhandled promise rejection', { ...facts, count: rejections })
      } else {
        log.error('uncaught exception; stopping after the running calls', facts)
        resolve()
      }
    })
  })
}
