// RFC 5646 section 2.1: language, script, region, variants, extensions, private use; or private use alone.
const LANGUAGE_TAG =
  /^(?:(?:[a-z]{2,3}(?:-[a-z]{3}){0,3}|[a-z]{4,8})(?:-[a-z]{4})?(?:-(?:[a-z]{2}|\d{3}))?(?:-(?:[a-z\d]{5,8}|\d[a-z\d]{3}))*(?:-[a-wy-z\d](?:-[a-z\d]{2,8})+)*(?:-x(?:-[a-z\d]{1,8})+)?|x(?:-[a-z\d]{1,8})+)$/i
const MAX_TAG_LENGTH = 100

/** Tells whether a text is a well-formed language tag. */
export function isLanguageTag(text: string): boolean {
  return text.length <= MAX_TAG_LENGTH && LANGUAGE_TAG.test(text)
}

const MAX_HEADER_LENGTH = 1000
const RANGE = /^(\*|[a-z]{1,8}(?:-[a-z\d]{1,8})*)$/i
const QUALITY = /^q=(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/i

/** Reads an `Accept-Language` header into its ranges, most wanted first; what makes no sense is passed over. */
export function parseAcceptLanguage(text: string): readonly string[] {
  if (text.length > MAX_HEADER_LENGTH) return []
  return text
    .split(',')
    .flatMap(parseRange)
    .filter(({ quality }) => quality > 0)
    .sort((left, right) => right.quality - left.quality)
    .map(({ range }) => range)
}

function parseRange(item: string): readonly { readonly range: string; readonly quality: number }[] {
  const [range = '', weight, ...rest] = item.split(';').map((part) => part.trim())
  const quality = weight === undefined ? '1' : QUALITY.exec(weight)?.[1]
  if (rest.length > 0 || quality === undefined || !RANGE.test(range)) return []
  return [{ range, quality: Number(quality) }]
}

/** Finds the language for a range by RFC 4647 lookup: the whole tag, then shorter and shorter. */
export function lookUpLanguage<Value>(
  range: string,
  known: ReadonlyMap<string, Value>,
): Value | undefined {
  for (const tag of shorten(range)) {
    const found = known.get(tag)
    if (found !== undefined) return found
  }
  return undefined
}

function* shorten(range: string): Generator<string> {
  let tag = range.toLowerCase()
  while (tag !== '') {
    yield tag
    tag = tag.slice(0, Math.max(0, tag.lastIndexOf('-')))
    // A single letter only introduces what followed it.
    if (/-[a-z\d]$/.test(tag)) tag = tag.slice(0, -2)
  }
}
