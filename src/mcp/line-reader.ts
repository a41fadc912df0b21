/** What becomes of the lines of a stream. */
export interface LineSink {
  readonly line: (bytes: Uint8Array) => void
  /** A line was longer than allowed; what there was of it is gone. */
  readonly tooLong: (maxBytes: number) => void
}

const NEWLINE = 10

/** Creates the function that cuts chunks of a stream into lines. */
export function createLineReader(
  maxBytes: number,
  sink: LineSink,
): (chunk: Uint8Array | string) => void {
  let begun: Uint8Array[] = []
  let size = 0
  let dropping = false

  const take = (part: Uint8Array): void => {
    size += part.byteLength
    if (size <= maxBytes) begun.push(part)
    else if (!dropping) {
      dropping = true
      begun = []
      sink.tooLong(maxBytes)
    }
  }
  const finish = (): void => {
    const line = dropping ? undefined : Buffer.concat(begun)
    begun = []
    size = 0
    dropping = false
    if (line?.some((byte) => byte > 32)) sink.line(line)
  }

  return (chunk) => {
    let rest = typeof chunk === 'string' ? Buffer.from(chunk) : chunk
    for (;;) {
      const end = rest.indexOf(NEWLINE)
      if (end === -1) break
      take(rest.subarray(0, end))
      finish()
      rest = rest.subarray(end + 1)
    }
    if (rest.byteLength > 0) take(rest)
  }
}
