/** The longest message that is taken from a server. */
export const MAX_ANSWER_BYTES: number = 16 * 2 ** 20

/** Says of a message that was left out what it was. */
export const TOO_LARGE = 'The answer is too large'

const EDGE = 400
const FIRST = /^\s*(?:data: ?)?\{(?:"jsonrpc": ?"2\.0", ?)?"id": ?(\d{1,15}|"[^"\\]{1,100}")/
const LAST = /"id": ?(\d{1,15}|"[^"\\]{1,100}")(?:, ?"jsonrpc": ?"2\.0")?\}\s*$/

/**
 * Creates what passes lines on and puts an error in the place of one that is too long, so that the call it answers fails and
 * nothing else. The id of a message stands at one of its ends; without it, only the time limit of the call is left.
 */
export function createLineLimit(limit: number = MAX_ANSWER_BYTES): {
  readonly push: (text: string) => string
  readonly flush: () => string
} {
  let held = ''
  /** First and last characters of a line that is being left out. */
  let dropped: { readonly head: string; tail: string } | undefined

  function take(piece: string): void {
    if (dropped !== undefined) {
      dropped.tail = (dropped.tail + piece).slice(-EDGE)
      return
    }
    held += piece
    if (held.length <= limit) return
    dropped = { head: held.slice(0, EDGE), tail: held.slice(-EDGE) }
    held = ''
  }

  function finish(): string {
    const line = dropped === undefined ? held : toRefusal(dropped)
    held = ''
    dropped = undefined
    return line
  }

  return {
    push(text) {
      let out = ''
      let start = 0
      for (let end = text.indexOf('\n'); end !== -1; end = text.indexOf('\n', start)) {
        take(text.slice(start, end))
        out += `${finish()}\n`
        start = end + 1
      }
      take(text.slice(start))
      return out
    },
    flush: finish,
  }
}

function toRefusal({ head, tail }: { readonly head: string; readonly tail: string }): string {
  const [, id] = FIRST.exec(head) ?? LAST.exec(tail) ?? []
  const prefix = head.startsWith('data:') ? 'data: ' : ''
  const error = { code: -32603, message: TOO_LARGE }
  return id === undefined
    ? ''
    : `${prefix}{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify(error)}}`
}
