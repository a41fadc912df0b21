import { CODES } from '../../../errors/index.ts'
import { compileSchema, type JsonSchema } from '../../../schema/index.ts'
import { extensionUrn, isRecord } from '../../../values/index.ts'
import { type FindingFacts, showActual } from '../finding.ts'
import { type Case, callCase, nameOf, pointerOf, type Subject } from '../subject.ts'

/** Calls every function with its examples, or with arguments made up, and judges what comes back. */
export async function* verifyCalls(subject: Subject): AsyncGenerator<FindingFacts> {
  for (const one of subject.cases) {
    if (one.origin === 'simulation') continue
    const { definition } = one
    const frame = { function: nameOf(definition), pointer: pointerOf(subject, definition) }
    const outcome = await callCase(subject, one)
    if (outcome.ok) {
      yield* judgeResult(one, outcome.result, frame)
      continue
    }
    const { code } = outcome.error
    if (!isAllowed(one, code)) {
      yield {
        rule: 'error.undeclared',
        ...frame,
        expected: `one of ${listCodes(one).join(', ') || 'no errors of its own'}`,
        actual: code,
        sentence: `${frame.function} answered ${code}, which it does not declare`,
      }
    } else if (code === 'INTERNAL_ERROR') {
      yield {
        rule: 'call.broken',
        ...frame,
        expected: 'a result, or an error that says what is wrong with the call',
        actual: code,
        sentence: `${frame.function} breaks on arguments its schema accepts: ${showActual(one.arguments)}`,
      }
    } else if (one.origin === 'example') {
      yield {
        rule: 'example.failed',
        ...frame,
        expected: 'a result',
        actual: `${code}: ${outcome.error.message}`,
        sentence: `the example "${one.name}" of ${frame.function} fails with ${code}`,
      }
    }
  }
}

type Frame = Pick<FindingFacts, 'function' | 'pointer'>

function* judgeResult(one: Case, result: unknown, frame: Frame): Generator<FindingFacts> {
  const { output } = one.definition
  const checked = output && compileSchema(output as JsonSchema)(result)
  if (checked && !checked.ok) {
    const [{ pointer, message }] = checked.problems
    yield {
      rule: 'result.schema',
      ...frame,
      expected: `a result that the result's schema accepts`,
      actual: `${pointer || '/'} ${message}`,
      sentence: `the result of ${frame.function} (${one.name}) is refused by its own schema at "${pointer}": ${message}`,
    }
    return
  }
  if (one.result !== undefined && !contains(result, one.result.value)) {
    yield {
      rule: 'example.differs',
      ...frame,
      expected: showActual(one.result.value),
      actual: showActual(result),
      sentence: `the example "${one.name}" of ${frame.function} shows a result that the service does not give`,
    }
  }
}

/** Plays every simulation of every function; nothing runs, so side effects do not matter. */
export async function* verifySimulations(subject: Subject): AsyncGenerator<FindingFacts> {
  for (const definition of subject.definitions) {
    for (const [index, scenario] of (definition.simulations ?? []).entries()) {
      const one = { definition, arguments: scenario.input }
      const options = { enabled: true, scenario: scenario.name }
      const outcome = await callCase(subject, one, { urn: extensionUrn('simulation'), options })
      const { error, output = null } = scenario
      const kept =
        error === undefined
          ? outcome.ok && isSame(outcome.result, output)
          : !outcome.ok && outcome.error.code === error.code
      if (kept) continue
      yield {
        rule: 'simulation.differs',
        function: nameOf(definition),
        pointer: `${pointerOf(subject, definition)}/simulations/${index}`,
        expected: showActual(error?.code ?? output),
        actual: showActual(
          outcome.ok ? outcome.result : `${outcome.error.code}: ${outcome.error.message}`,
        ),
        sentence: `the simulation "${scenario.name}" of ${nameOf(definition)} does not answer what it says`,
      }
    }
  }
}

/** Errors any call may end with; they belong to the protocol, not to a function. */
const SHARED: ReadonlySet<string> = new Set(
  Object.keys(CODES).filter(
    (code) => !['NOT_FOUND', 'CONFLICT', 'GONE', 'VALIDATION_ERROR'].includes(code),
  ),
)

function isAllowed(one: Case, code: string): boolean {
  return SHARED.has(code) || listCodes(one).includes(code)
}

function listCodes({ definition }: Case): readonly string[] {
  return (definition.errors ?? []).flatMap((error) => ('code' in error ? [error.code] : []))
}

/** Tells whether a result has everything an example shows; it may have more. */
function contains(actual: unknown, shown: unknown): boolean {
  if (Array.isArray(shown)) {
    return (
      Array.isArray(actual) && shown.every((item) => actual.some((other) => contains(other, item)))
    )
  }
  if (!isRecord(shown)) return actual === shown
  return (
    isRecord(actual) &&
    Object.entries(shown).every(
      ([key, item]) => Object.hasOwn(actual, key) && contains(actual[key], item),
    )
  )
}

function isSame(left: unknown, right: unknown): boolean {
  return contains(left, right) && contains(right, left)
}
