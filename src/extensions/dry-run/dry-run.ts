import {
  type Call,
  type DryRunReport,
  type Extension,
  type ExtensionCall,
  flattenMiddleware,
  type Outcome,
  readBoolean,
  requireBoolean,
  runMiddleware,
  standIn,
  type Target,
  toInvocation,
} from '../../core/index.ts'
import { CallError, type CallErrorShape, resolveCode } from '../../errors/index.ts'
import type { Problem } from '../../schema/index.ts'
import {
  andThen,
  extensionUrn,
  isPromise,
  type JsonObject,
  type Maybe,
  toDuration,
} from '../../values/index.ts'

/** Creates the extension that says what a call would do, without running its handler. */
export function dryRunExtension(): Extension {
  return {
    urn: extensionUrn('dry-run'),
    version: '1.0.0',
    phase: 'replace',
    order: -10,
    excludedBy: 'readOnly',
    around(exchange, next) {
      const enabled = requireBoolean(exchange, 'enabled')
      const includes = {
        diff: readBoolean(exchange, 'include_diff') ?? false,
        sideEffects: readBoolean(exchange, 'include_side_effects') ?? true,
      }
      if (enabled) return rehearse(exchange, includes)
      exchange.answer()
      return next(exchange.call)
    },
  }
}

interface Includes {
  readonly diff: boolean
  readonly sideEffects: boolean
}

function rehearse(exchange: ExtensionCall, includes: Includes): Maybe<Outcome> {
  const { call, target } = exchange
  return andThen(target.checkInput(call.arguments), (checked) => {
    if (!checked.ok) return refuse(exchange, checked.problems.map(encodeProblem))
    return andThen(askFunction(exchange, checked.value), (answer) =>
      'findings' in answer
        ? refuse(exchange, answer.findings.map(encodeFinding))
        : approve(exchange, answer.report, includes),
    )
  })
}

type Rehearsal =
  | { readonly report: DryRunReport }
  | { readonly findings: readonly CallErrorShape[] }

/** Asks the function's own `dryRun`; a refusal that is the caller's to mend comes back as findings. */
function askFunction({ call, target }: ExtensionCall, input: unknown): Maybe<Rehearsal> {
  const { definition } = target
  if (definition.dryRun === undefined) return { report: {} }
  try {
    const rehearsal = runDryRun(target, call, input)
    return isPromise(rehearsal) ? rehearsal.catch(toFindings) : rehearsal
  } catch (thrown) {
    return toFindings(thrown)
  }
}

/** Runs inside the middleware that the function itself uses: its `dryRun` has the same `locals` as its handler. */
function runDryRun(target: Target, call: Call, input: unknown): Maybe<Rehearsal> {
  const { definition } = target
  let report: DryRunReport = {}
  const last = (inner: Call) =>
    andThen(definition.dryRun?.(toInvocation(target, inner, input)), (given): Outcome => {
      report = given ?? {}
      return { ok: true, result: null }
    })
  const layers = flattenMiddleware(definition.use ?? [])
  return andThen(runMiddleware(layers, { call, target }, last), (outcome) =>
    outcome.ok ? { report } : { findings: outcome.errors },
  )
}

function toFindings(thrown: unknown): Rehearsal {
  if (thrown instanceof CallError && !isServerFault(thrown)) return { findings: thrown.errors }
  throw thrown
}

function isServerFault({ code, status }: CallError): boolean {
  const row = resolveCode(code)
  return row.retryable || (status ?? row.status) >= 500
}

function approve(exchange: ExtensionCall, report: DryRunReport, includes: Includes): Outcome {
  const { wouldAffect, diff, estimatedDurationMs } = report
  const sideEffects = report.sideEffects ?? exchange.target.sideEffects?.map((type) => ({ type }))
  exchange.answer({
    valid: true,
    ...(wouldAffect && { would_affect: wouldAffect }),
    ...(includes.diff && diff && { diff }),
    ...(includes.sideEffects && sideEffects && { side_effects: sideEffects }),
    ...(estimatedDurationMs !== undefined && {
      estimated_duration: toDuration(estimatedDurationMs),
    }),
  })
  return standIn(exchange)
}

function refuse(exchange: ExtensionCall, findings: readonly JsonObject[]): Outcome {
  exchange.answer({ valid: false, validation_errors: findings })
  return standIn(exchange)
}

function encodeProblem({ pointer, code, message }: Problem): JsonObject {
  return { field: toField(pointer), code, message }
}

function encodeFinding({ code, message, source }: CallErrorShape): JsonObject {
  const pointer = source && 'pointer' in source ? source.pointer : ''
  return { field: toField(pointer.replace(/^\/call\/arguments/, '')), code, message }
}

function toField(pointer: string): string {
  return pointer.slice(1).replaceAll('/', '.')
}
