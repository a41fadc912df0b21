import { useEffect, useState } from 'preact/hooks'

const REFRESH_MS = 2000

/** What was read last, and what went wrong if the last try failed. */
export interface Polled<Value> {
  readonly value: Value
  readonly problem: string | undefined
  /** Reads at once, after something was changed. */
  readonly refresh: () => void
}

/** Reads something again and again while the page is looked at; `inputs` say when to begin anew. */
export function usePolled<Value>(
  initial: Value,
  read: () => Promise<Value>,
  inputs: readonly unknown[],
): Polled<Value> {
  const [value, setValue] = useState(initial)
  const [problem, setProblem] = useState<string | undefined>(undefined)
  const refresh = () =>
    void read().then(
      (found) => {
        setValue(() => found)
        setProblem(undefined)
      },
      (thrown: Error) => setProblem(thrown.message),
    )
  useEffect(() => {
    refresh()
    const timer = setInterval(() => {
      if (!document.hidden) refresh()
    }, REFRESH_MS)
    return () => clearInterval(timer)
  }, inputs)
  return { value, problem, refresh }
}
