import type { CallObserver, EndedCall, Logger, Target } from '../core/index.ts'
import { resolveCode } from '../errors/index.ts'
import { createArgumentRedactor } from './redact-arguments.ts'

/** Which calls are written to the log, and what of them. */
export interface CallLogOptions {
  /** Share of successful calls that is written, from 0 to 1; every one when absent. Failed calls are always written. */
  readonly sample?: number
  /**
   * Writes the arguments too, shortened. Hidden are those whose schema says `writeOnly`, `format: password` or
   * `x-sensitive`, and those with the name of a usual secret.
   */
  readonly arguments?: boolean
  /** Names of further arguments to hide. */
  readonly hide?: readonly string[]
  /** A number from 0 to below 1; `Math.random` when absent. */
  readonly random?: () => number
}

/** Creates the observer that writes one line per call. */
export function createCallLog(log: Logger, options: CallLogOptions = {}): CallObserver {
  const { sample = 1, random = Math.random } = options
  if (!(sample >= 0 && sample <= 1)) {
    throw new TypeError(`callLog.sample must be a number from 0 to 1; got ${String(sample)}`)
  }
  const redact = options.arguments ? createArgumentRedactor(options.hide) : undefined
  return {
    end(ended) {
      const { code, target } = ended
      if (code === undefined && sample < 1 && random() >= sample) return
      const facts = toFacts(ended, redact)
      if (code !== undefined && statusOf(code, target) >= 500) log.warn('call', facts)
      else log.info?.('call', facts)
    },
  }
}

function toFacts(
  { call, surface, target, code, durationMs }: EndedCall,
  redact: ReturnType<typeof createArgumentRedactor> | undefined,
): Readonly<Record<string, unknown>> {
  return {
    request: call.id,
    surface,
    // What nobody has is named by its caller alone, and may be as long as a request.
    function: target?.name ?? call.function.slice(0, 200),
    ...(target && { version: target.version }),
    ...(call.principal && { principal: call.principal.id }),
    ...(call.facts.trace && { trace: call.facts.trace.traceId }),
    ...(target?.definition.imported && { source: 'imported' }),
    code: code ?? 'OK',
    durationMs: Math.round(durationMs * 1000) / 1000,
    ...(redact && target && { arguments: redact(target, call.arguments) }),
  }
}

function statusOf(code: string, target: Target | undefined): number {
  return target?.errors.get(code)?.status ?? resolveCode(code).status
}
