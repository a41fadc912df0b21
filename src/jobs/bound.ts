/** Answers the promise, or rejects when it takes too long. */
export async function bound<Answer>(
  answer: Promise<Answer>,
  withinMs: number,
  onLate: () => void = () => {},
): Promise<Answer> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<never>((_, reject) => {
    timer = setTimeout(() => {
      onLate()
      reject(new Error(`no answer within ${withinMs} ms`))
    }, withinMs)
  })
  // The loser of the race may still reject when nobody listens any more.
  answer.catch(() => {})
  try {
    return await Promise.race([answer, late])
  } finally {
    clearTimeout(timer)
  }
}
