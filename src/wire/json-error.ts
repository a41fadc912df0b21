/** Where a text stops being JSON, and what was expected there. */
export interface JsonError {
  readonly offset: number
  readonly expected: string
}

/** Where reading goes on, or the mistake that ends it. */
type Step = { readonly offset: number; readonly expected?: undefined } | JsonError

const SPACE = /[ \t\n\r]*/y
// biome-ignore lint/suspicious/noControlCharactersInRegex: JSON forbids exactly these inside strings
const STRING = /"[^"\\\u0000-\u001f]*(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\u0000-\u001f]*)*"/y
const WORD = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?|true|false|null/y

/**
 * Finds the first mistake in a text that JSON.parse refused. JSON.parse itself names the place in some messages only,
 * and differently on every engine. Iterative: hostile nesting must not overflow the stack.
 */
export function findJsonError(text: string): JsonError {
  const open: string[] = []
  let offset = 0
  const skip = () => {
    offset = matchEnd(SPACE, text, offset) ?? offset
  }
  const mistake = (expected: string): JsonError => ({ offset, expected })

  for (;;) {
    skip()
    const first = text[offset]
    if (first === '{' || first === '[') {
      offset += 1
      skip()
      const close = first === '{' ? '}' : ']'
      if (text[offset] !== close) {
        open.push(close)
        const key: Step = first === '{' ? readKey(text, offset) : { offset }
        offset = key.offset
        if (key.expected !== undefined) return mistake(key.expected)
        continue
      }
      offset += 1
    } else {
      const end = matchEnd(first === '"' ? STRING : WORD, text, offset)
      if (end === undefined) return mistake(describeValue(text, offset))
      offset = end
    }
    const after = closeContainers(text, offset, open)
    offset = after.offset
    if (after.expected !== undefined) return mistake(after.expected)
  }
}

/** After a value: leaves finished containers, and stands before the next value or key. */
function closeContainers(text: string, start: number, open: string[]): Step {
  let offset = matchEnd(SPACE, text, start) ?? start
  for (;;) {
    const close = open.at(-1)
    if (close === undefined) return { offset, expected: 'nothing more after the value' }
    if (text[offset] === ',') {
      offset = matchEnd(SPACE, text, offset + 1) ?? offset + 1
      return close === '}' ? readKey(text, offset) : { offset }
    }
    if (text[offset] !== close) return { offset, expected: `"," or "${close}"` }
    open.pop()
    offset = matchEnd(SPACE, text, offset + 1) ?? offset + 1
  }
}

function readKey(text: string, start: number): Step {
  const end = text[start] === '"' ? matchEnd(STRING, text, start) : undefined
  if (end === undefined) return { offset: start, expected: 'a member name in double quotes' }
  const colon = matchEnd(SPACE, text, end) ?? end
  return text[colon] === ':' ? { offset: colon + 1 } : { offset: colon, expected: '":"' }
}

function describeValue(text: string, offset: number): string {
  if (offset >= text.length) return 'more: the text ends too early'
  return text[offset] === '"' ? 'a string without raw control characters or bad escapes' : 'a value'
}

function matchEnd(pattern: RegExp, text: string, offset: number): number | undefined {
  pattern.lastIndex = offset
  return pattern.test(text) ? pattern.lastIndex : undefined
}
