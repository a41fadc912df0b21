import { toReason } from '../../../src/values/json.ts'
import { type Path, prefill, setAt } from '../form/value.ts'
import type { ToolApi, Verdict } from './api.ts'
import { type Cell, createCell } from './cell.ts'
import { parseExactly } from './exact-json.ts'
import type { History, HistoryEntry } from './history.ts'
import { isRefusal } from './result.ts'
import type { CallAnswer, ToolDetail } from './types.ts'

/** Where a call stands. */
export type Run =
  | { readonly state: 'idle' }
  | { readonly state: 'running'; readonly since: number; readonly label: string }
  | { readonly state: 'done'; readonly answer: CallAnswer; readonly label: string }

/** Work on one tool: arguments as text and as value, the last verdict, the last answer. */
export interface Session {
  readonly detail: ToolDetail
  readonly text: Cell<string>
  /** What the text last said when it was JSON. */
  readonly value: Cell<unknown>
  readonly problem: Cell<string | undefined>
  readonly verdict: Cell<Verdict | undefined>
  readonly run: Cell<Run>
  readonly edit: (text: string) => void
  readonly change: (path: Path, next: unknown) => void
  readonly load: (value: unknown) => void
  readonly reset: () => void
  readonly validate: () => Promise<void>
  readonly execute: () => Promise<void>
  /** Runs anything that gives an answer, such as a simulation. */
  readonly perform: (
    label: string,
    act: (signal: AbortSignal) => Promise<CallAnswer>,
  ) => Promise<void>
  readonly cancel: () => void
}

/** What a session needs from the page. */
export interface SessionOptions {
  readonly api: ToolApi
  readonly history: History
  readonly executeEnabled: Cell<boolean>
}

const REVALIDATE_MS = 250

/** Makes the session of a tool, its arguments filled in as far as the schema says. */
export function createSession(detail: ToolDetail, options: SessionOptions): Session {
  const { api, history, executeEnabled } = options
  const start = prefill(detail.inputSchema)
  const text = createCell(format(start))
  const value = createCell<unknown>(start)
  const problem = createCell<string | undefined>(undefined)
  const verdict = createCell<Verdict | undefined>(undefined)
  const run = createCell<Run>({ state: 'idle' })
  let controller: AbortController | undefined
  let timer: ReturnType<typeof setTimeout> | undefined

  /** Once something was wrong, the verdict follows the typing, so that a repaired field says so. */
  function revalidate(): void {
    clearTimeout(timer)
    if (verdict.get()?.state === 'invalid') timer = setTimeout(() => void validate(), REVALIDATE_MS)
    else verdict.set(undefined)
  }

  function show(next: unknown): void {
    value.set(next)
    text.set(format(next))
    problem.set(undefined)
    revalidate()
  }

  function edit(next: string): void {
    text.set(next)
    const parsed = parseArguments(next)
    problem.set(parsed.ok ? undefined : parsed.reason)
    if (!parsed.ok) return
    value.set(parsed.value)
    revalidate()
  }

  async function validate(): Promise<void> {
    clearTimeout(timer)
    const parsed = parseArguments(text.get())
    if (!parsed.ok) return problem.set(parsed.reason)
    try {
      verdict.set(await api.validate(detail.name, JSON.stringify(parsed.value)))
    } catch (thrown) {
      verdict.set({ state: 'failed', reason: toReason(thrown) })
    }
  }

  async function perform(
    label: string,
    act: (signal: AbortSignal) => Promise<CallAnswer>,
  ): Promise<void> {
    controller?.abort()
    const current = new AbortController()
    controller = current
    run.set({ state: 'running', since: performance.now(), label })
    const answer = await act(current.signal).catch((thrown: unknown) =>
      toLostAnswer(thrown, current),
    )
    if (controller === current) run.set({ state: 'done', answer, label })
  }

  async function execute(): Promise<void> {
    if (run.get().state === 'running') return
    const parsed = parseArguments(text.get())
    if (!parsed.ok) return problem.set(parsed.reason)
    const body = JSON.stringify(parsed.value)
    await perform('Result', async (signal) => {
      const answer = await api.call(detail.name, body, signal)
      if (answer.status === 403) executeEnabled.set(false)
      history.add(toEntry(detail, body, answer), detail.inputSchema)
      // The server's own check says it field by field.
      if (isRefusal(answer)) void validate()
      return answer
    })
  }

  return {
    ...{ detail, text, value, problem, verdict, run },
    edit,
    change: (path, next) => show(setAt(value.get(), path, next)),
    load: show,
    reset() {
      verdict.set(undefined)
      show(start)
    },
    validate,
    execute,
    perform,
    cancel: () => controller?.abort(),
  }
}

/** Parses what is in the editor; nothing at all counts as no arguments. */
export function parseArguments(
  text: string,
):
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly reason: string } {
  if (text.trim() === '') return { ok: true, value: {} }
  try {
    return { ok: true, value: parseExactly(text) }
  } catch (thrown) {
    return { ok: false, reason: `Not valid JSON: ${toReason(thrown)}` }
  }
}

function toEntry(
  { name }: ToolDetail,
  body: string,
  { status, isError, elapsed }: CallAnswer,
): HistoryEntry {
  return { tool: name, at: Date.now(), body, status, isError, elapsed }
}

function format(value: unknown): string {
  return JSON.stringify(value, null, 2) ?? ''
}

function toLostAnswer(thrown: unknown, controller: AbortController): CallAnswer {
  const notice = controller.signal.aborted
    ? 'Cancelled. The tool may still be running on the server.'
    : toReason(thrown)
  return { status: 0, elapsed: 0, envelope: undefined, content: [], isError: true, notice }
}
