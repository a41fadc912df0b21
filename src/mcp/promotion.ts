/** What makes a task out of a call that has begun: time, or the handler itself. */
export interface Promotion {
  /** Asks for a task and waits until there is one, or none will come. */
  readonly ask: () => Promise<void>
  readonly asked: Promise<void>
  /** Lets whoever asked go on. */
  readonly refuse: () => void
}

/** Creates what decides whether a call becomes a task. */
export function createPromotion(): Promotion {
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
