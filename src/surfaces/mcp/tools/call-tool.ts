import { isMasked, type ResultContent, toResultContent } from '../../../contract/index.ts'
import {
  type Call,
  type CallFacts,
  createReply,
  dispatch,
  type ExtensionEntry,
  mayFit,
  type Outcome,
  resultTooLarge,
  toFailure,
  toResultText,
} from '../../../core/index.ts'
import {
  type Abortable,
  andThen,
  isPromise,
  type JsonObject,
  type Maybe,
} from '../../../values/index.ts'
import { encodeInputRequired, readAnswers, toAgentFacts } from '../agent.ts'
import { toForbidden } from '../authorization.ts'
import { readEntries } from '../decode.ts'
import {
  describeErrors,
  encodeAnswer,
  encodeToolError,
  extrasOf,
  isToolContent,
  type ToolAnswer,
  toErrorMeta,
  toToolAnswer,
} from '../encode.ts'
import type { McpEnvironment } from '../environment.ts'
import { invalidParams, McpError, missingCapability, RPC, toMcpError } from '../errors.ts'
import { createProgress, type Progress } from '../progress.ts'
import { type McpExchange, META, OWN_META } from '../protocol.ts'
import { createCancellable, createRun, type Run } from '../run.ts'
import { encodeTask } from '../tasks/records.ts'
import { readTaskWish } from '../tasks/request.ts'
import type { Task } from '../tasks/tasks.ts'
import { createPromotion, type FunctionTool, type Promotion } from './catalogue.ts'
import { fitResult, withNegotiated } from './result.ts'

/** A tool that a client asks for, with its arguments. */
export interface ToolRequest {
  readonly exchange: McpExchange
  readonly tool: FunctionTool
  readonly input: JsonObject
  /** Entries besides those of the request's `_meta`. */
  readonly extensions?: readonly ExtensionEntry[]
  /** The negotiated capabilities that the answer rests on. */
  readonly ucp?: JsonObject
}

/** One call of a tool, from its request to its result. */
interface ToolCall {
  readonly environment: McpEnvironment
  readonly exchange: McpExchange
  readonly tool: FunctionTool
  readonly call: Call
  readonly run: Run
  readonly abortable: Abortable
  readonly answers: ReturnType<typeof readAnswers>
  readonly progress: Progress
  readonly request: ToolRequest
}

/** Calls the function behind a tool and gives the JSON of the result. */
export function callFunction(environment: McpEnvironment, request: ToolRequest): Maybe<string> {
  const { when, ttlMs } = readTaskWish(environment, request)
  if (when === 'never') {
    const toolCall = prepare(environment, request)
    return keepAlive(toolCall, settle(toolCall, start(toolCall)))
  }
  const promotion = createPromotion()
  const toolCall = prepare(environment, request, promotion.ask)
  if (when === 'when long') return promoteWhenLong(toolCall, promotion)
  promotion.refuse()
  return andThen(promote(toolCall, ttlMs), (task) => {
    // Whoever asked for a task could not read anything else.
    if (task === undefined && request.exchange.era === 'legacy') throw noRoom()
    const outcome = start(toolCall)
    if (task === undefined) return settle(toolCall, outcome)
    const created = encodeCreated(toolCall, task)
    conclude(toolCall, task, outcome)
    return created
  })
}

function prepare(
  environment: McpEnvironment,
  request: ToolRequest,
  detach?: () => Promise<void>,
): ToolCall {
  const { exchange, tool, input } = request
  const answers = readAnswers(exchange, environment.seal)
  const abortable = createCancellable(exchange.signal)
  const run = createRun(exchange, answers, abortable, detach)
  const progress = createProgress(exchange)
  const { caller, meta, principal, startedAt } = exchange
  const version = meta[OWN_META.version]
  if (version !== undefined && typeof version !== 'string') {
    throw invalidParams(`_meta["${OWN_META.version}"] must be a string`)
  }
  const split = tool.split?.(input)
  const call: Call = {
    id: String(exchange.id),
    function: tool.target.name,
    version: version ?? tool.target.version,
    arguments: split?.arguments ?? input,
    context: caller === undefined ? undefined : { caller },
    extensions: joinEntries(readEntries(meta), request.extensions, split?.entry),
    principal,
    signal: abortable.signal,
    facts: withOutlet(toAgentFacts(progress.report, run.agent), tool, progress, environment),
    startedAt,
    reply: createReply(),
  }
  return { environment, exchange, tool, call, run, abortable, answers, progress, request }
}

/** Whoever listens to progress gets partial results as they come, and all of them in the result. */
function withOutlet(
  facts: CallFacts,
  { target }: FunctionTool,
  { item }: Progress,
  { service }: McpEnvironment,
): CallFacts {
  if (!target.streams || item === undefined) return facts
  const { maxResponseBytes } = service.limits
  const emit = (value: unknown) => item(toResultText(value, maxResponseBytes))
  return { ...facts, outlet: { begin() {}, emit, whole: true } }
}

function joinEntries(
  entries: readonly ExtensionEntry[],
  others: readonly ExtensionEntry[] | undefined,
  query: ExtensionEntry | undefined,
): readonly ExtensionEntry[] {
  if (others === undefined && query === undefined) return entries
  return [...entries, ...(others ?? []), ...(query === undefined ? [] : [query])]
}

function start(toolCall: ToolCall): Maybe<Outcome> {
  try {
    const outcome = dispatch(toolCall.environment.service, toolCall.call, 'mcp')
    return isPromise(outcome) ? recover(toolCall, outcome) : outcome
  } catch (thrown) {
    return fail(toolCall, thrown)
  }
}

/** Apart, because a closure is made for every call of the function that it stands in. */
function recover(toolCall: ToolCall, outcome: Promise<Outcome>): Promise<Outcome> {
  return outcome.catch((thrown: unknown) => fail(toolCall, thrown))
}

function fail({ environment: { service }, call }: ToolCall, thrown: unknown): Outcome {
  return toFailure(thrown, { call, log: service.log })
}

function settle(toolCall: ToolCall, outcome: Maybe<Outcome>): Maybe<string> {
  return isPromise(outcome) ? settleLater(toolCall, outcome) : encodeOutcome(toolCall, outcome)
}

function settleLater(toolCall: ToolCall, outcome: Promise<Outcome>): Promise<string> {
  return outcome.then((ready) => encodeOutcome(toolCall, ready))
}

/** A client that waits for progress must hear something before it gives up. */
function keepAlive({ environment, progress }: ToolCall, result: Maybe<string>): Maybe<string> {
  if (!isPromise(result) || progress.report === undefined) return result
  return beatUntil(result, progress, environment.keepAliveMs)
}

function beatUntil(result: Promise<string>, { beat }: Progress, everyMs: number): Promise<string> {
  const timer = setInterval(beat, everyMs)
  return result.finally(() => clearInterval(timer))
}

function promoteWhenLong(toolCall: ToolCall, promotion: Promotion): Maybe<string> {
  const asked = promotion.asked
  const outcome = start(toolCall)
  if (!isPromise(outcome)) return encodeOutcome(toolCall, outcome)
  let timer: NodeJS.Timeout | undefined
  const long = new Promise<'long'>((resolve) => {
    timer = setTimeout(resolve, toolCall.environment.taskAfterMs, 'long')
    void asked.then(() => resolve('long'))
  })
  return Promise.race([outcome, long]).then(async (first) => {
    clearTimeout(timer)
    if (first !== 'long') return encodeOutcome(toolCall, first)
    const task = await promote(toolCall)
    promotion.refuse()
    if (task === undefined) return keepAlive(toolCall, settle(toolCall, outcome))
    conclude(toolCall, task, outcome)
    return encodeCreated(toolCall, task)
  })
}

function promote(toolCall: ToolCall, ttlMs?: number): Maybe<Task | undefined> {
  const { environment, exchange, abortable, run, progress } = toolCall
  const who = { owner: exchange.principal?.id ?? '', caller: exchange.callerKey() }
  const started = environment.tasks?.start(who, abortable, ttlMs)
  return andThen(started, (task) => {
    if (task === undefined) return undefined
    abortable.detach()
    run.ask = task.ask
    if (exchange.era === 'legacy') run.meta = { [META.relatedTask]: { taskId: task.id } }
    progress.moveTo(task)
    return task
  })
}

function conclude(toolCall: ToolCall, task: Task, outcome: Maybe<Outcome>): void {
  const end = (ready: Outcome): void => {
    try {
      const crashed = !ready.ok && ready.errors[0].code === 'INTERNAL_ERROR'
      if (crashed && toolCall.exchange.era === 'modern')
        throw new McpError(RPC.internalError, ready.errors[0].message)
      task.finish(toEnd(encodeOutcome(toolCall, ready)))
    } catch (thrown) {
      const { code, message, data } = toMcpError(thrown, toolCall.environment.service.log)
      task.finish({
        error: JSON.stringify({ code, message, ...(data && { data }) }),
        statusMessage: message,
      })
    }
  }
  if (isPromise(outcome)) void outcome.then(end)
  else end(outcome)
}

/** A tool that tells of its failure has run; only clients before 2026-07-28 call that a failed task. */
function toEnd(result: string): { readonly result: string; readonly isError?: true } {
  const { isError } = JSON.parse(result) as { readonly isError?: boolean }
  return isError === true ? { result, isError } : { result }
}

function noRoom(): McpError {
  return new McpError(RPC.internalError, 'Too many tasks are running; try again later')
}

function encodeCreated({ environment: { tasks }, exchange }: ToolCall, task: Task): string {
  const first = { ...task.record(), status: 'working' as const }
  const members = encodeTask(first, tasks?.pollIntervalMs ?? 1_000, exchange.era)
  return exchange.era === 'modern' ? `{"resultType":"task",${members}}` : `{"task":{${members}}}`
}

function encodeOutcome(toolCall: ToolCall, outcome: Outcome): string {
  const { environment, exchange, run, call, answers } = toolCall
  if (!outcome.ok) {
    if (exchange.era === 'modern' && run.missing !== undefined) throw missingCapability(run.missing)
    if (run.pending !== undefined) {
      return encodeInputRequired(exchange, run.pending, answers, environment.seal)
    }
    if (
      outcome.errors[0].code === 'FORBIDDEN' &&
      outcome.challenge?.includes('insufficient_scope')
    ) {
      throw toForbidden(outcome, environment.options.authorization)
    }
    const members = encodeToolError(describeErrors(outcome.errors))
    return complete(toolCall, members, toErrorMeta(outcome.errors))
  }
  const { extensions, disposition } = call.reply
  const meta = extensions && { [OWN_META.extensions]: extensions as unknown as JsonObject[] }
  if (outcome.result === null && disposition !== undefined) {
    return encodeInstead(toolCall, JSON.stringify(extensions), meta)
  }
  if (isMasked(call.reply) && !toolCall.tool.contract.results.accepts(outcome.result)) {
    return complete(toolCall, encodeToolError(JSON.stringify(outcome.result)), meta)
  }
  const { ucp } = toolCall.request
  if (ucp === undefined) return encodeSuccess(toolCall, outcome.result, meta)
  const negotiated = withNegotiated(ucp, outcome.result, toolCall.tool.contract)
  return encodeSuccess(toolCall, negotiated.result, { ...meta, ...negotiated.meta })
}

function complete(toolCall: ToolCall, members: string, meta: JsonObject | undefined): string {
  const { environment, exchange, run } = toolCall
  const whole = run.meta === undefined ? meta : { ...run.meta, ...meta }
  return environment.writer.complete(exchange.era, members, whole)
}

/** An extension answered in place of the function; what it says does not have the promised shape. */
function encodeInstead(toolCall: ToolCall, text: string, meta?: JsonObject): string {
  const { described } = toolCall.tool
  return complete(toolCall, described ? encodeToolError(text) : encodeAnswer({ text }), meta)
}

/** The only revision whose clients know no sound. */
const WITHOUT_AUDIO = '2024-11-05'

/** What is said in words comes first, then what is shown. */
function toBlockAnswer({ blocks, value }: ResultContent): ToolAnswer {
  const json = value === undefined ? undefined : JSON.stringify(value)
  const text = json === undefined ? [] : [{ type: 'text', text: json }]
  return {
    content: JSON.stringify([...text, ...blocks]),
    structured: json?.startsWith('{') ? json : undefined,
  }
}

function encodeSuccess(toolCall: ToolCall, result: unknown, own: JsonObject | undefined): string {
  const { environment, exchange, tool } = toolCall
  const extras = tool.target.definition.source === undefined ? undefined : extrasOf(result)
  const meta = extras?.meta === undefined ? own : { ...extras.meta, ...own }
  const { resultBudget } = environment
  const most = environment.service.limits.maxResponseBytes
  if (!mayFit(result, most)) {
    const { errors } = resultTooLarge(most)
    return complete(toolCall, encodeToolError(describeErrors(errors)), toErrorMeta(errors))
  }
  const content = toResultContent(result, tool.contract.files.result, {
    audio: exchange.version !== WITHOUT_AUDIO,
  })
  if (content !== undefined && !isToolContent(result)) {
    return complete(toolCall, encodeAnswer(toBlockAnswer(content)), meta)
  }
  const answer = toToolAnswer(result, exchange.era, tool.described)
  if (extras?.content !== undefined) {
    const whole = { content: JSON.stringify(extras.content), structured: answer.structured }
    return complete(toolCall, encodeAnswer(whole), meta)
  }
  const length = answer.text?.length ?? 0
  if (length <= resultBudget) return complete(toolCall, encodeAnswer(answer), meta)
  const fitted = fitResult(answer, resultBudget, tool)
  if (!fitted.fits) return complete(toolCall, encodeToolError(fitted.text), meta)
  const members =
    fitted.note === undefined
      ? encodeAnswer(fitted.answer)
      : encodeAnswer({
          content: JSON.stringify([
            { type: 'text', text: fitted.answer.text },
            { type: 'text', text: fitted.note },
          ]),
          structured: fitted.answer.structured,
        })
  return complete(toolCall, members, meta)
}
