import {
  type Call,
  type Extension,
  type ExtensionCall,
  invalidOption,
  isPrepared,
  type Outcome,
  readText,
  readTexts,
  type Target,
  withFacts,
} from '../../core/index.ts'
import { CallError } from '../../errors/index.ts'
import { andThen, extensionUrn, type JsonObject } from '../../values/index.ts'
import { createNameTest, createRedactor, PARTIAL_MASKS, type PartialMask } from './redactor.ts'

/** What a service hides, and from whom. */
export interface RedactExtensionOptions {
  /** Name of the policy in answers; `default` when absent. */
  readonly policy?: string
  /** Names of members that are hidden wherever they stand, or paths such as `customer.address`; the usual secrets when absent. */
  readonly fields?: readonly string[]
  /** Masks of partial mode by member name, before the built-in ones. */
  readonly masks?: Readonly<Record<string, PartialMask>>
  /** Scope a principal needs to see everything, or `never`; `pii:read:unredacted` when absent. */
  readonly bypass?: { readonly scope: string } | 'never'
  /** Hides the fields of calls that did not ask as well; a caller can then add fields, not take them away. */
  readonly always?: boolean
}

/** The members hidden unless a policy says otherwise. */
export const REDACTED_FIELDS: readonly string[] = [
  'password',
  'secret',
  'token',
  'api_key',
  'card_number',
  'cvv',
  'account_number',
  'ssn',
  'tax_id',
  'passport_number',
  'email',
  'phone',
]

const MODES = ['full', 'partial', 'none'] as const
type Mode = (typeof MODES)[number]

/** Creates the extension that masks sensitive members of results and error details. */
export function redactExtension(options: RedactExtensionOptions = {}): Extension {
  const { policy = 'default', always = false, bypass = { scope: 'pii:read:unredacted' } } = options
  const fields = options.fields ?? REDACTED_FIELDS
  const masks = { ...PARTIAL_MASKS, ...options.masks }
  const standard = createRedactor(fields, masks)

  return {
    urn: extensionUrn('redact'),
    version: '1.0.0',
    phase: 'observe',
    order: -10,
    shapesResult: true,
    masks: createNameTest(fields),
    joins: (target) => always && isRedactable(target),
    around(exchange, next) {
      const { call, declared, answer, target } = exchange
      const mode = readMode(exchange)
      const wanted = readTexts(exchange, 'fields')
      const purpose = readText(exchange, 'purpose', { maxLength: 500 })
      if (mode === 'none') assertMayBypass(exchange, bypass, purpose)
      const redactor =
        wanted === undefined
          ? standard
          : createRedactor(always ? [...fields, ...wanted] : wanted, masks)
      const found = new Set<string>()
      const redact: Redact | undefined =
        mode === 'none' || !isRedactable(target)
          ? undefined
          : (value, path) => redactor(value, { mode, found, path })
      return andThen(next(redact ? redactItems(call, redact) : call), (outcome) => {
        const shown = redact ? redactOutcome(outcome, redact) : outcome
        if (declared || found.size > 0) {
          answer({ mode, redacted_fields: [...found], policy })
        }
        return shown
      })
    },
  }
}

type Redact = (value: unknown, path: readonly string[]) => unknown

function redactItems(call: Call, redact: Redact): Call {
  const { outlet } = call.facts
  if (outlet === undefined) return call
  return withFacts(call, {
    outlet: { ...outlet, emit: (item) => outlet.emit(redact(item, [])) },
  })
}

function redactOutcome(outcome: Outcome, redact: Redact): Outcome {
  if (outcome.ok) {
    return isPrepared(outcome.result) ? outcome : { ok: true, result: redact(outcome.result, []) }
  }
  const [first, ...rest] = outcome.errors.map((error) =>
    error.details === undefined
      ? error
      : { ...error, details: redact(error.details, ['errors', 'details']) as JsonObject },
  )
  return first === undefined ? outcome : { ...outcome, errors: [first, ...rest] }
}

function readMode(exchange: ExtensionCall): Mode {
  const value = exchange.options['mode'] ?? 'full'
  const mode = MODES.find((candidate) => candidate === value)
  if (mode === undefined) throw invalidOption(exchange, 'mode', `one of ${MODES.join(', ')}`)
  return mode
}

function assertMayBypass(
  { call, service, pointer, answer }: ExtensionCall,
  bypass: NonNullable<RedactExtensionOptions['bypass']>,
  purpose: string | undefined,
): void {
  const granted = bypass !== 'never' && call.principal?.scopes?.includes(bypass.scope) === true
  if (granted) {
    service.log.warn('unredacted access', {
      function: call.function,
      request: call.id,
      principal: call.principal?.id,
      purpose,
    })
    return
  }
  answer({ mode: 'full', policy: 'access_denied' })
  const source = { pointer: `${pointer}/options/mode` }
  if (bypass === 'never') throw new CallError('REDACTION_REQUIRED', { source })
  throw new CallError('FORBIDDEN', {
    message: 'Unredacted access requires elevated permissions',
    source,
    details: { required_scope: bypass.scope },
  })
}

/** Descriptions are full of members named like what they describe; of system functions only those that hand on results count. */
function isRedactable({ system, name }: Target): boolean {
  return !system || name.includes(':ext:async:') || name.startsWith('forrst.replay.')
}
