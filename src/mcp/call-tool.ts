import { type Call, createReply, type Outcome } from '../core/call.ts'
import { dispatch } from '../core/dispatch.ts'
import { canonicalUrn } from '../core/extension-urn.ts'
import { toFailure } from '../core/invoke.ts'
import type { JsonObject } from '../core/json.ts'
import { andThen, isPromise, type Maybe } from '../core/maybe.ts'
import { type Abortable, createAbortable } from './abortable.ts'
import { toAgentFacts } from './agent.ts'
import type { FunctionTool } from './catalogue.ts'
import { readEntries } from './decode.ts'
import {
  describeErrors,
  encodeAnswer,
  encodeToolError,
  toErrorMeta,
  toToolAnswer,
} from './encode.ts'
import type { Environment } from './environment.ts'
import { invalidParams, McpError, missingCapability, RPC, toMcpError } from './errors.ts'
import type { Exchange } from './exchange.ts'
import { withNegotiated } from './negotiated.ts'
import { createProgress, type Progress } from './progress.ts'
import { OWN_META, TASKS_EXTENSION } from './protocol.ts'
import { fitResult } from './result-budget.ts'
import { encodeInputRequired, readAnswers } from './round-trip.ts'
import { createRun, type Run } from './run.ts'
import { encodeTask, type Task } from './tasks.ts'
import type { ToolRequest } from './tool-request.ts'

/** Extensions whose answer stands in for the function's. */
const REPLACING = new Set(['dry-run', 'async', 'replay'].map((name) => `urn:forrst:ext:${name}`))

/** One call of a tool, from its request to its result. */
interface ToolCall {
  readonly environment: Environment
  readonly exchange: Exchange
  readonly tool: FunctionTool
  readonly call: Call
  readonly run: Run
  readonly abortable: Abortable
  readonly answers: ReturnType<typeof readAnswers>
  readonly progress: Progress
  readonly request: ToolRequest
}

/** Calls the function behind a tool and gives the JSON of the result. */
export function callFunction(environment: Environment, request: ToolRequest): Maybe<string> {
  const { exchange, tool } = request
  const mode = environment.taskMode(tool.target)
  const knowsTasks =
    exchange.era === 'modern' && exchange.capabilities.extensions?.[TASKS_EXTENSION] !== undefined
  if (mode === 'required' && exchange.era === 'modern' && !knowsTasks) {
    throw missingCapability({ extensions: { [TASKS_EXTENSION]: {} } })
  }
  if (!knowsTasks || mode === 'never' || environment.tasks === undefined) {
    const toolCall = prepare(environment, request)
    return keepAlive(toolCall, settle(toolCall, start(toolCall)))
  }
  const promotion = createPromotion()
  const toolCall = prepare(environment, request, promotion.ask)
  if (mode === undefined) return promoteWhenLong(toolCall, promotion)
  promotion.refuse()
  return andThen(promote(toolCall), (task) => {
    const outcome = start(toolCall)
    if (task === undefined) return settle(toolCall, outcome)
    conclude(toolCall, task, outcome)
    return encodeCreated(toolCall, task)
  })
}

function prepare(
  environment: Environment,
  request: ToolRequest,
  detach?: () => Promise<void>,
): ToolCall {
  const { exchange, tool, input } = request
  const answers = readAnswers(exchange, environment.seal)
  const abortable = createAbortable(exchange.signal)
  const run = createRun(exchange, answers, abortable, detach)
  const progress = createProgress(exchange)
  const { caller, meta, principal, startedAt } = exchange
  const version = meta[OWN_META.version]
  if (version !== undefined && typeof version !== 'string') {
    throw invalidParams(`_meta["${OWN_META.version}"] must be a string`)
  }
  const call: Call = {
    id: String(exchange.id),
    function: tool.target.name,
    version: version ?? tool.target.version,
    arguments: input,
    context: caller === undefined ? undefined : { caller },
    extensions: request.extensions
      ? [...readEntries(meta), ...request.extensions]
      : readEntries(meta),
    principal,
    signal: abortable.signal,
    facts: toAgentFacts(progress.report, run.agent),
    startedAt,
    reply: createReply(),
  }
  return { environment, exchange, tool, call, run, abortable, answers, progress, request }
}

function start({ environment: { service }, call }: ToolCall): Maybe<Outcome> {
  const fail = (thrown: unknown) => toFailure(thrown, { call, log: service.log })
  try {
    const outcome = dispatch(service, call)
    return isPromise(outcome) ? outcome.catch(fail) : outcome
  } catch (thrown) {
    return fail(thrown)
  }
}

function settle(toolCall: ToolCall, outcome: Maybe<Outcome>): Maybe<string> {
  return isPromise(outcome)
    ? outcome.then((ready) => encodeOutcome(toolCall, ready))
    : encodeOutcome(toolCall, outcome)
}

/** A client that waits for progress must hear something before it gives up. */
function keepAlive({ environment, progress }: ToolCall, result: Maybe<string>): Maybe<string> {
  if (!isPromise(result) || progress.report === undefined) return result
  const timer = setInterval(progress.beat, environment.keepAliveMs)
  return result.finally(() => clearInterval(timer))
}

/** What makes a task out of a call that has begun: time, or the handler itself. */
interface Promotion {
  /** Asks for a task and waits until there is one, or none will come. */
  readonly ask: () => Promise<void>
  readonly asked: Promise<void>
  /** Lets whoever asked go on. */
  readonly refuse: () => void
}

function createPromotion(): Promotion {
  let wish: (() => void) | undefined
  let answer: (() => void) | undefined
  let asked: Promise<void> | undefined
  let answered: Promise<void> | undefined
  let settled = false
  return {
    get asked() {
      asked ??= new Promise((resolve) => {
        wish = resolve
      })
      return asked
    },
    ask() {
      if (settled) return Promise.resolve()
      answered ??= new Promise((resolve) => {
        answer = resolve
      })
      wish?.()
      return answered
    },
    refuse() {
      settled = true
      answer?.()
    },
  }
}

function promoteWhenLong(toolCall: ToolCall, promotion: Promotion): Maybe<string> {
  const asked = promotion.asked
  const outcome = start(toolCall)
  if (!isPromise(outcome)) return encodeOutcome(toolCall, outcome)
  let timer: NodeJS.Timeout | undefined
  const long = new Promise<'long'>((resolve) => {
    timer = setTimeout(resolve, toolCall.environment.taskAfterMs, 'long')
    asked.then(() => resolve('long'))
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

function promote({
  environment,
  exchange,
  abortable,
  run,
  progress,
}: ToolCall): Maybe<Task | undefined> {
  const started = environment.tasks?.start(exchange.principal?.id ?? '', abortable)
  return andThen(started, (task) => {
    if (task === undefined) return undefined
    abortable.detach()
    run.ask = task.ask
    progress.moveTo(task)
    return task
  })
}

function conclude(toolCall: ToolCall, task: Task, outcome: Maybe<Outcome>): void {
  const end = (ready: Outcome): void => {
    try {
      const crashed = !ready.ok && ready.errors[0].code === 'INTERNAL_ERROR'
      if (crashed) throw new McpError(RPC.internalError, ready.errors[0].message)
      task.finish({ result: encodeOutcome(toolCall, ready) })
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

function encodeCreated({ environment: { tasks } }: ToolCall, task: Task): string {
  const first = { ...task.record(), status: 'working' as const }
  return `{"resultType":"task",${encodeTask(first, tasks?.pollIntervalMs ?? 1_000)}}`
}

function encodeOutcome(toolCall: ToolCall, outcome: Outcome): string {
  const { environment, exchange, run, call, answers } = toolCall
  if (!outcome.ok) {
    if (exchange.era === 'modern' && run.missing !== undefined) throw missingCapability(run.missing)
    if (run.pending !== undefined) {
      return encodeInputRequired(exchange, run.pending, answers, environment.seal)
    }
    return environment.writer.complete(
      exchange.era,
      encodeToolError(describeErrors(outcome.errors)),
      toErrorMeta(outcome.errors),
    )
  }
  const { extensions } = call.reply
  const meta = extensions && { [OWN_META.extensions]: extensions as unknown as JsonObject[] }
  if (outcome.result === null && extensions?.some(({ urn }) => REPLACING.has(canonicalUrn(urn)))) {
    return encodeInstead(toolCall, JSON.stringify(extensions), meta)
  }
  const { ucp } = toolCall.request
  if (ucp === undefined) return encodeSuccess(toolCall, outcome.result, meta)
  const negotiated = withNegotiated(ucp, outcome.result, toolCall.tool.target)
  return encodeSuccess(toolCall, negotiated.result, { ...meta, ...negotiated.meta })
}

/** An extension answered in place of the function; what it says does not have the promised shape. */
function encodeInstead(
  { environment, exchange, tool }: ToolCall,
  text: string,
  meta?: JsonObject,
): string {
  const members = tool.described ? encodeToolError(text) : encodeAnswer({ text })
  return environment.writer.complete(exchange.era, members, meta)
}

function encodeSuccess(
  { environment, exchange, tool }: ToolCall,
  result: unknown,
  meta: JsonObject | undefined,
): string {
  const { writer, resultBudget } = environment
  const answer = toToolAnswer(result, exchange.era, tool.described)
  const length = answer.text?.length ?? 0
  if (length <= resultBudget) return writer.complete(exchange.era, encodeAnswer(answer), meta)
  const fitted = fitResult(answer, resultBudget, tool.target, tool.inputSchema())
  if (!fitted.fits) return writer.complete(exchange.era, encodeToolError(fitted.text), meta)
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
  return writer.complete(exchange.era, members, meta)
}
