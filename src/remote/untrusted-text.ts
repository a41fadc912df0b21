// Characters that people do not see but models read: controls, direction marks, zero-width joiners and tags.
const INVISIBLE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these are taken out
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u206f\ufeff\u{e0000}-\u{e007f}]/gu

const LONGEST = 4_000

/** Takes out of foreign text what only a machine would see, and cuts it to a length people can read. */
export function toVisibleText(text: string): string {
  const visible = text.replace(INVISIBLE, '').trim()
  return visible.length <= LONGEST ? visible : `${visible.slice(0, LONGEST)} …`
}

/** Marks a description that somebody else wrote. */
export function markUntrusted(text: string, origin: string): string {
  return `[Described by the MCP server "${origin}", not checked here] ${text}`
}

/** Marks a question to a user that somebody else asks. */
export function markQuestion(text: string, origin: string): string {
  return `[Asked by the MCP server "${origin}"] ${toVisibleText(text)}`
}
