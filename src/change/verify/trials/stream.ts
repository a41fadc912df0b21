import type { FunctionDefinition } from '../../../core/index.ts'
import { compileSchema, type JsonSchema } from '../../../schema/index.ts'
import { extensionUrn, isRecord, tryJson } from '../../../values/index.ts'
import { createEventParser, isEventStream, type ServerEvent } from '../../../wire/index.ts'
import { showActual } from '../finding.ts'
import { findData, parseRawObject, RAW_ID, sendRaw } from '../raw-call.ts'
import { findCase, nameOf, type Subject } from '../subject.ts'
import type { Trial, Verdict } from '../trial.ts'

const URN = extensionUrn('stream')
const ENTRY = { urn: URN, options: { accept: true } }

/** Tries streams: functions that declare one must give events, all others must refuse. */
export const streamTrial: Trial = {
  urn: URN,
  async run(subject) {
    const streamed = await tryStreaming(subject)
    if ('problem' in streamed) return streamed
    const refused = await tryRefusal(subject)
    if (refused === undefined) return streamed
    return { ...refused, answered: 'answered' in streamed && streamed.answered }
  },
}

function streams({ item }: FunctionDefinition): boolean {
  return item !== undefined
}

/** Every function that streams is tried, until one does it wrong. */
async function tryStreaming(subject: Subject): Promise<Verdict> {
  let verdict: Verdict = { unproven: 'no function that could be called streams' }
  for (const definition of subject.definitions.filter(streams)) {
    const tried = await tryFunction(subject, definition)
    if (tried === undefined) continue
    if ('problem' in tried) return tried
    verdict = tried
  }
  return verdict
}

async function tryFunction(
  subject: Subject,
  definition: FunctionDefinition,
): Promise<Verdict | undefined> {
  const frame = { function: nameOf(definition) }
  for (const one of findCase(subject.cases, (other) => other === definition)) {
    const { header, body, code } = await sendRaw(subject, one, ENTRY)
    if (isEventStream(header('content-type'))) {
      const events = readAll(body)
      const problem = judgeEvents(events) ?? judgeValues(events, definition)
      return { ...frame, answered: true, ...(problem !== undefined && { problem }) }
    }
    if (code === undefined || code.startsWith('EXTENSION_')) {
      return { ...frame, answered: false, problem: code ?? 'one document instead of events' }
    }
    // What fails before its first item is an ordinary answer: another call may get further.
  }
  return undefined
}

async function tryRefusal(
  subject: Subject,
): Promise<{ readonly function: string; readonly problem: string } | undefined> {
  const [one] = findCase(subject.cases, (definition) => !streams(definition)).filter(
    ({ origin }) => origin === 'example',
  )
  if (one === undefined) return undefined
  const { code, body } = await sendRaw(subject, one, ENTRY)
  if (code === 'EXTENSION_NOT_APPLICABLE') return undefined
  const problem = `${code ?? showActual(body)}, where a function without a stream must answer EXTENSION_NOT_APPLICABLE`
  return { function: nameOf(one.definition), problem }
}

function readAll(body: string): readonly ServerEvent[] {
  return createEventParser(Number.POSITIVE_INFINITY).feed(body)
}

/** The order of events is data and progress, then done or error, then complete. */
function judgeEvents(events: readonly ServerEvent[]): string | undefined {
  const names = events.map(({ event }) => event)
  const shown = names.length > 8 ? [...names.slice(0, 3), '…', ...names.slice(-3)] : names
  const order = `the events ${shown.join(', ') || 'of an empty stream'}`
  const [end, last] = names.slice(-2)
  const begins = names.slice(0, -2).every((name) => name === 'data' || name === 'progress')
  if (!begins || names[0] !== 'data' || last !== 'complete') return order
  if (end !== 'done' && end !== 'error') return order
  const document = parseRawObject(events.at(-1)?.data ?? '')
  if (document?.['id'] !== RAW_ID) return `complete with ${showActual(document ?? 'no document')}`
  return findData(document, URN) === undefined
    ? 'complete without an entry under its URN'
    : undefined
}

/** Items and the result are what their schemas say; a function that returns nothing ends in null. */
function judgeValues(
  events: readonly ServerEvent[],
  { item, output }: FunctionDefinition,
): string | undefined {
  const isItem = compileSchema((item ?? {}) as JsonSchema)
  const isResult = compileSchema((output ?? {}) as JsonSchema)
  for (const [index, { event, data }] of events.entries()) {
    if (event !== 'data' && event !== 'done') continue
    const value = tryJson(data)
    if (value === undefined) return `${event} with ${showActual(data)}, which is not JSON`
    if (event === 'data' && index === 0 && isGreeting(value)) continue
    if (event === 'done' && value === null) continue
    const checked = event === 'data' ? isItem(value) : isResult(value)
    if (checked.ok) continue
    const [{ pointer, message }] = checked.problems
    const what = event === 'data' ? 'an item' : 'a result'
    return `${what} that its schema refuses at "${pointer}": ${message}`
  }
  return undefined
}

function isGreeting(value: unknown): boolean {
  return isRecord(value) && value['status'] === 'connected' && Object.keys(value).length === 1
}
