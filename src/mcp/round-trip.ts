import { createHash } from 'node:crypto'
import { isRecord, type JsonObject } from '../core/json.ts'
import type { InputRequest, InputRequests } from './agent.ts'
import { invalidParams } from './errors.ts'
import type { Exchange } from './exchange.ts'
import type { Seal } from './seal.ts'

/** How long a client may take to answer a question. */
const STATE_TTL_MS = 3_600_000
/** What clients have to send back must fit into their requests. */
const MOST_STATE = 32_768

/** Answers by the name of their question. */
export type Answers = Readonly<Record<string, unknown>>

const NO_ANSWERS: Answers = Object.freeze({})

/** Reads the answers a request brings: new ones, and those of earlier rounds out of the sealed state. */
export function readAnswers(exchange: Exchange, seal: Seal): Answers {
  const { inputResponses, requestState } = exchange.params
  if (inputResponses === undefined && requestState === undefined) return NO_ANSWERS
  if (inputResponses !== undefined && !isRecord(inputResponses)) {
    throw invalidParams('params.inputResponses must be an object')
  }
  return { ...readState(exchange, requestState, seal), ...inputResponses }
}

function readState(exchange: Exchange, requestState: unknown, seal: Seal): Answers {
  if (requestState === undefined) return NO_ANSWERS
  const state = typeof requestState === 'string' ? seal.open(requestState) : undefined
  const genuine = state?.['owner'] === ownerOf(exchange) && state['subject'] === subjectOf(exchange)
  if (!genuine) {
    throw invalidParams('params.requestState is not what this server sent for this request')
  }
  const answers = state['answers']
  return isRecord(answers) ? answers : NO_ANSWERS
}

/** Writes the result that asks the client for more. */
export function encodeInputRequired(
  exchange: Exchange,
  requests: InputRequests,
  answers: Answers,
  seal: Seal,
): string {
  if (JSON.stringify(answers).length > MOST_STATE) {
    throw invalidParams('params.inputResponses are too long to be remembered')
  }
  const requestState = seal.close(
    { owner: ownerOf(exchange), subject: subjectOf(exchange), answers: answers as JsonObject },
    STATE_TTL_MS,
  )
  return `{"resultType":"input_required","inputRequests":${JSON.stringify(requests)},"requestState":"${requestState}"}`
}

/** Tells whether an answer has the form its question asks for. */
export function isAnswerTo({ method }: InputRequest, answer: unknown): answer is JsonObject {
  if (!isRecord(answer)) return false
  if (method === 'roots/list') return Array.isArray(answer['roots'])
  if (method === 'sampling/createMessage') {
    return typeof answer['role'] === 'string' && answer['content'] !== undefined
  }
  const { action, content } = answer
  return ACTIONS.has(action) && (content === undefined || isRecord(content))
}

const ACTIONS: ReadonlySet<unknown> = new Set(['accept', 'decline', 'cancel'])

function ownerOf({ principal }: Exchange): string {
  return principal?.id ?? ''
}

/** State that was given for one request is worth nothing for another. */
function subjectOf({ method, params }: Exchange): string {
  const { name, uri, arguments: input } = params
  return createHash('sha256')
    .update(JSON.stringify([method, name, uri, input ?? {}]))
    .digest('base64url')
}
