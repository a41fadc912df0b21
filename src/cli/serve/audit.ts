import type { AuditOptions } from '../../observe/index.ts'
import { toMilliseconds } from '../../values/index.ts'
import { UsageError } from '../command.ts'
import { parseDuration } from '../flags.ts'

/** Reads `--audit`: how long records are kept, with `arguments` behind it. */
export function parseAudit(text: string | undefined): Omit<AuditOptions, 'to'> | undefined {
  if (text === undefined) return undefined
  const [time = '', ...settings] = text.split(',')
  const retention = parseDuration(time, '--audit')
  if (toMilliseconds(retention) === 0) throw new UsageError('--audit must be longer than nothing')
  const wrong = settings.find((setting) => setting !== 'arguments')
  if (wrong !== undefined) {
    throw new UsageError(`--audit must be a time such as 90d, or 90d,arguments; got "${wrong}"`)
  }
  return { retention, ...(settings.length > 0 && { arguments: true }) }
}
