import { setTimeout as sleep } from 'node:timers/promises'
import type { CallOutcome } from '../../../client/index.ts'
import { asList, asRecord, isRecord, type JsonObject, toText } from '../../../values/index.ts'
import { showActual } from '../finding.ts'
import { type Case, callCase, type Subject } from '../subject.ts'
import { showOutcome, type TrialAnswer } from '../trial.ts'

/** Follows an accepted call to its end, and looks for it in the other functions of operations. */
export async function judgeOperation({
  subject,
  one,
  data,
}: TrialAnswer): Promise<string | undefined> {
  const id = data['operation_id']
  if (typeof id !== 'string') return `an entry without operation_id: ${showActual(data)}`
  const ended = await follow(subject, id)
  if ('problem' in ended) return ended.problem
  return (
    (await judgeResult(subject, one, ended)) ??
    (await judgeList(subject, one, id)) ??
    (await judgeCancel(subject, id))
  )
}

type Ended = { readonly status: string; readonly result: unknown }

const OPEN: readonly unknown[] = ['pending', 'processing']
const ENDED: readonly unknown[] = ['completed', 'failed', 'cancelled']
const PAUSE_MS = { first: 10, longest: 500 }
const LONGEST_WAIT_MS = 20_000

async function follow(subject: Subject, id: string): Promise<Ended | { readonly problem: string }> {
  let waited = 0
  for (let pause = PAUSE_MS.first; ; pause = Math.min(pause * 2, PAUSE_MS.longest)) {
    const outcome = await ask(subject, 'status', { operation_id: id })
    if (!outcome.ok && outcome.error.code === 'ASYNC_OPERATION_FAILED') {
      return { status: 'failed', result: null }
    }
    const found = outcome.ok && isRecord(outcome.result) ? outcome.result : undefined
    const status = found?.['status']
    if (ENDED.includes(status)) {
      return { status: toText(status), result: found?.['result'] ?? found?.['output'] ?? null }
    }
    if (!OPEN.includes(status)) return { problem: `${showOutcome(outcome)} for its status` }
    if (waited >= LONGEST_WAIT_MS) {
      const seconds = LONGEST_WAIT_MS / 1_000
      return { problem: `an operation that is ${toText(status)} after ${seconds} seconds` }
    }
    await sleep(pause)
    waited += pause
  }
}

/** A function that changes something may well answer a second call differently; only others are called again. */
async function judgeResult(
  subject: Subject,
  one: Case,
  { status, result }: Ended,
): Promise<string | undefined> {
  if ((one.definition.sideEffects?.length ?? 0) > 0) return undefined
  const plain = await callCase(subject, one)
  if (!plain.ok) return undefined
  if (status !== 'completed') return `an operation that is ${status}, where a plain call succeeds`
  return hasShapeOf(result, plain.result)
    ? undefined
    : `the result ${showActual(result)}, where a plain call gives ${showActual(plain.result)}`
}

async function judgeList(
  subject: Subject,
  { definition }: Case,
  id: string,
): Promise<string | undefined> {
  const outcome = await ask(subject, 'list', { function: definition.name, limit: 100 })
  const { operations } = asRecord(outcome.ok ? outcome.result : undefined)
  const ids = asList(operations).map((one) => asRecord(one)['id'])
  return ids.includes(id) ? undefined : `a list of operations without it: ${showOutcome(outcome)}`
}

async function judgeCancel(subject: Subject, id: string): Promise<string | undefined> {
  const outcome = await ask(subject, 'cancel', { operation_id: id })
  const refused = !outcome.ok && outcome.error.code === 'ASYNC_CANNOT_CANCEL'
  return refused ? undefined : `${showOutcome(outcome)} when it is cancelled after its end`
}

function ask({ client }: Subject, name: string, given: JsonObject): Promise<CallOutcome> {
  return client.call(`urn:cline:forrst:ext:async:fn:${name}`, given, { version: '1.0.0' })
}

/** Tells whether two results are of one kind: the same members all the way down, whatever their values. */
function hasShapeOf(left: unknown, right: unknown): boolean {
  if (Array.isArray(left) && Array.isArray(right)) {
    return left.length === 0 || right.length === 0 || hasShapeOf(left[0], right[0])
  }
  if (isRecord(left) && isRecord(right)) {
    const members = new Set([...Object.keys(left), ...Object.keys(right)])
    return [...members].every(
      (key) =>
        Object.hasOwn(left, key) && Object.hasOwn(right, key) && hasShapeOf(left[key], right[key]),
    )
  }
  return typeof left === typeof right && (left === null) === (right === null)
}
