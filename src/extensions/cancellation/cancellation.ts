import { randomUUID } from 'node:crypto'
import {
  defineFunction,
  type Extension,
  type ExtensionCall,
  type FunctionDefinition,
  invalidOption,
  type Next,
  type Outcome,
  readText,
  requireMilliseconds,
} from '../../core/index.ts'
import { CallError } from '../../errors/index.ts'
import { jsonSchema } from '../../schema/index.ts'
import { createStoreGuard, type OnStoreFailure, type Store } from '../../store/index.ts'
import { createAbortable, type Duration, extensionUrn } from '../../values/index.ts'
import {
  createTokenRegistry,
  type RunningCall,
  type TokenRegistry,
  toTokenKey,
} from './registry.ts'

/** How calls are cancelled. */
export interface CancellationExtensionOptions {
  readonly store: Store
  /** How long the token of a process that died is known; five minutes when absent. */
  readonly ttl?: Duration
  /** How soon a call hears of a cancellation that reached another process; half a second when absent. */
  readonly poll?: Duration
  /** How long a finished call is remembered, to answer that it is too late; one minute when absent. */
  readonly remember?: Duration
  /** `proceed` when absent: without the store a call can be cancelled only through its own process. */
  readonly onStoreFailure?: OnStoreFailure
}

/** Creates the extension that lets a caller stop a call that is running, wherever it runs. */
export function cancellationExtension(options: CancellationExtensionOptions): Extension {
  const guard = createStoreGuard('cancellation', options.onStoreFailure ?? 'proceed')
  const registry = createTokenRegistry(options.store, {
    ttlMs: requireMilliseconds('cancellation: ttl', options.ttl ?? { value: 5, unit: 'minute' }),
    pollMs: requireMilliseconds(
      'cancellation: poll',
      options.poll ?? { value: 500, unit: 'millisecond' },
    ),
    rememberMs: requireMilliseconds(
      'cancellation: remember',
      options.remember ?? { value: 1, unit: 'minute' },
    ),
  })
  return {
    urn: extensionUrn('cancellation'),
    version: '1.0.0',
    phase: 'admit',
    order: -10,
    functions: () => [cancelFunction(registry)],
    async around(exchange, next) {
      const { call, service } = exchange
      const token = readText(exchange, 'token')
      if (token === undefined) throw invalidOption(exchange, 'token', 'given, as a text')
      const abortable = createAbortable(call.signal)
      let stop: (outcome: Outcome) => void = () => {}
      const cancelled = new Promise<Outcome>((resolve) => {
        stop = resolve
      })
      const running: RunningCall = {
        key: toTokenKey(token, call.principal?.id),
        id: randomUUID(),
        log: service.log,
        abort() {
          const error = new CallError('CANCELLED', { details: { token } })
          abortable.abort(error)
          stop({ ok: false, errors: error.errors })
        },
      }
      const free = await guard.ask(service, () => registry.register(running), undefined)
      if (free === false) throw invalidOption(exchange, 'token', 'one that no running call has')
      if (free === undefined) registry.watchHere(running)
      return run(exchange, { registry, running, cancelled }, async (inner) => {
        const outcome = await next({ ...inner, signal: abortable.signal })
        abortable.detach()
        return outcome
      })
    },
    close: () => registry.stop(),
  }
}

/** A cancelled call answers at once, also when its handler does not care. */
async function run(
  { call, service, answer }: ExtensionCall,
  state: {
    readonly registry: TokenRegistry
    readonly running: RunningCall
    readonly cancelled: Promise<Outcome>
  },
  next: Next,
): Promise<Outcome> {
  answer()
  const outcome = await Promise.race([next(call), state.cancelled])
  try {
    await state.registry.finish(state.running)
  } catch (thrown) {
    service.log.warn('a finished call could not be marked; its token ends by itself', {
      error: thrown,
    })
  }
  return outcome
}

function cancelFunction(registry: TokenRegistry): FunctionDefinition {
  return defineFunction({
    name: 'urn:cline:forrst:ext:cancellation:fn:cancel',
    version: '1.0.0',
    summary: 'Cancel a call that is running',
    sideEffects: ['update'],
    discoverable: false,
    input: jsonSchema<{ token: string }>({
      type: 'object',
      properties: { token: { type: 'string', minLength: 1, maxLength: 255 } },
      required: ['token'],
    }),
    async handler({ input: { token }, principal }) {
      const state = await registry.cancel(toTokenKey(token, principal?.id))
      if (state === undefined) {
        throw new CallError('CANCELLATION_TOKEN_UNKNOWN', { details: { token } })
      }
      if (state === 'done') throw new CallError('CANCELLATION_TOO_LATE', { details: { token } })
      return { cancelled: true, token }
    },
  })
}
