import { CallError } from '../../../errors/index.ts'
import { type JsonObject, openScope } from '../../../values/index.ts'
import { type InputRequest, type InputRequests, isAnswerTo } from '../agent.ts'

/** Asks questions, and gives the answers by their names. */
export type Ask = (requests: InputRequests) => Promise<Readonly<Record<string, JsonObject>>>

/** Asks until the signal tells that there is no use any more. */
export type Asker = (requests: InputRequests, signal: AbortSignal) => ReturnType<Ask>

/** What one task wants to know of its client. */
export interface TaskQuestions {
  /** Waits until all questions have an answer. */
  readonly ask: Ask
  /** Those without an answer. */
  readonly open: () => InputRequests
  /** Takes an answer, unless nobody asked or it has another form. */
  readonly answer: (key: string, reply: unknown) => void
  /** Lets somebody who reaches the client ask, in place of whoever asked before; each is let ask once. */
  readonly deliver: (ask: Asker, signal: AbortSignal) => void
}

interface Question {
  readonly request: InputRequest
  readonly resolve: (reply: JsonObject) => void
  readonly reject: (reason: unknown) => void
  readonly askers: WeakSet<Asker>
  /** Stops whoever asks now. */
  asking: AbortController | undefined
}

/** Creates the questions of one task; `onChange` runs when one comes or goes. */
export function createTaskQuestions(
  signal: () => AbortSignal,
  onChange: () => void,
): TaskQuestions {
  const questions = new Map<string, Question>()
  const used = new Set<string>()

  function put(key: string, request: InputRequest): Promise<JsonObject> {
    const stopped = signal()
    return new Promise<JsonObject>((resolve, reject) => {
      const stop = () => reject(new CallError('CANCELLED'))
      if (stopped.aborted) return stop()
      stopped.addEventListener('abort', stop, { once: true })
      const leave = <Value>(then: (value: Value) => void) => {
        return (value: Value) => {
          stopped.removeEventListener('abort', stop)
          questions.delete(key)
          onChange()
          then(value)
        }
      }
      questions.set(key, {
        request,
        resolve: leave(resolve),
        reject: leave(reject),
        askers: new WeakSet(),
        asking: undefined,
      })
    })
  }

  function answer(key: string, reply: unknown): void {
    const question = questions.get(key)
    if (question !== undefined && isAnswerTo(question.request, reply)) question.resolve(reply)
  }

  return {
    answer,
    open: () =>
      Object.fromEntries([...questions].map(([key, { request }]) => [key, request] as const)),
    async ask(requests) {
      const replies = Object.entries(requests).map(async ([name, request]) => {
        return [name, await put(toFreeKey(name, used), request)] as const
      })
      onChange()
      return Object.fromEntries(await Promise.all(replies))
    },
    deliver(ask, leaving) {
      for (const [key, question] of questions) {
        if (question.askers.has(ask)) continue
        question.askers.add(ask)
        question.asking?.abort()
        const asking = new AbortController()
        question.asking = asking
        const { signal, close } = openScope([leaving, asking.signal])
        ask({ [key]: question.request }, signal).then(
          (replies) => {
            close()
            answer(key, replies[key])
          },
          (thrown: unknown) => {
            close()
            if (!signal.aborted) question.reject(thrown)
          },
        )
      }
    },
  }
}

/** A key may never mean two questions of one task. */
function toFreeKey(name: string, used: Set<string>): string {
  let key = name
  for (let count = 2; used.has(key); count += 1) key = `${name}-${count}`
  used.add(key)
  return key
}
