/** What may be in a file: media types such as `image/png` or `image/*`, and how many bytes. */
export interface FileRule {
  readonly types?: readonly string[]
  readonly minBytes?: number
  readonly maxBytes?: number
}

/** The type of a file whose sender does not say. */
export const ANY_BYTES = 'application/octet-stream'

const MEDIA_TYPE = /^[a-z0-9!#$&^_.+-]{1,100}\/[a-z0-9!#$&^_.+-]{1,100}$/

/** Reads the media type of a header, without parameters; what is not one is nothing but bytes. */
export function toMediaType(text: string | undefined): string {
  const [essence = ''] = (text ?? '').split(';', 1)
  const type = essence.trim().toLowerCase()
  return MEDIA_TYPE.test(type) ? type : ANY_BYTES
}

/** Tells whether a media type is among some that may end in a star. */
export function isOneOf(type: string, allowed: readonly string[]): boolean {
  return allowed.some(
    (one) =>
      one === type ||
      one === '*/*' ||
      (one.endsWith('/*') && type.startsWith(one.slice(0, -1).toLowerCase())) ||
      one.toLowerCase() === type,
  )
}

const LONGEST_NAME = 200
/** Separators, what ends a header, what Windows and shells read as something else, and marks that turn text around. */
const UNSAFE =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: exactly these have no place in a name
  /[\u0000-\u001f\u007f-\u009f"*:<>?|\u200e\u200f\u2028-\u202e\u2066-\u2069\ufffd]|\p{Cs}/gu

/**
 * Makes a name that can be joined to a folder: what a caller calls a file may be `../../etc/passwd`, hold the end of a
 * header, or be a megabyte long. Undefined when nothing is left.
 */
export function toSafeName(name: string | undefined): string | undefined {
  if (name === undefined) return undefined
  const last = name.slice(-10_000).split(/[/\\]/).at(-1) ?? ''
  const plain = trimDots(last.replace(UNSAFE, ''))
  if (plain === '' || DEVICE.test(plain)) return undefined
  if (plain.length <= LONGEST_NAME) return plain
  const ending = /\.[^.]{1,20}$/.exec(plain)?.[0] ?? ''
  return plain.slice(0, LONGEST_NAME - ending.length).replace(UNSAFE, '') + ending
}

/** A loop: an expression for the end of a text tries every place of it, and a name may be ten thousand dots. */
function trimDots(text: string): string {
  let start = 0
  let end = text.length
  while (start < end && /[\s.]/.test(text.charAt(start))) start += 1
  while (end > start && /[\s.]/.test(text.charAt(end - 1))) end -= 1
  return text.slice(start, end)
}

/** Opening these opens a device on Windows, whatever their ending. */
const DEVICE = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?$/i

/** Writes Content-Disposition: the name in plain ASCII, and as it is (RFC 6266). */
export function formatDisposition(kind: 'inline' | 'attachment', name: string | undefined): string {
  const safe = toSafeName(name)
  if (safe === undefined) return kind
  const ascii = safe.replace(/[^\x20-\x7e]|[%\\]/g, '_')
  const exact = ascii === safe ? '' : `; filename*=UTF-8''${encodeExtended(safe)}`
  return `${kind}; filename="${ascii}"${exact}`
}

/** `encodeURIComponent` leaves four characters that RFC 8187 does not. */
function encodeExtended(text: string): string {
  return encodeURIComponent(text).replace(
    /['()*]/g,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  )
}

/** Reads the name out of a Content-Disposition header. */
export function parseDisposition(header: string | undefined): string | undefined {
  if (header === undefined || header.length > 8_192) return undefined
  const extended = /;\s*filename\*\s*=\s*utf-8'[^']*'([^;\s]+)/i.exec(header)?.[1]
  return toSafeName(decode(extended) ?? readParameter(header, 'filename'))
}

/** Reads one parameter of a header such as `multipart/form-data; boundary=x`. */
export function readParameter(header: string, name: string): string | undefined {
  const found = new RegExp(
    `;\\s*${name}\\s*=\\s*(?:"((?:[^"\\\\]|\\\\.)*)"|([^;\\s"]+))`,
    'i',
  ).exec(header)
  // Browsers write a quote as %22 and line ends as %0D and %0A, as HTML says; others put a backslash before.
  const quoted = found?.[1]?.replace(/\\(["\\])/g, '$1').replace(/%(22|0D|0A)/gi, unescapeMark)
  return quoted ?? found?.[2]
}

function unescapeMark(_whole: string, digits: string): string {
  return String.fromCharCode(Number.parseInt(digits, 16))
}

function decode(text: string | undefined): string | undefined {
  try {
    return text === undefined ? undefined : decodeURIComponent(text)
  } catch {
    return undefined
  }
}
