import {
  addReplyHeader,
  type CallFacts,
  type Extension,
  type ExtensionCall,
  type Failure,
  invalidOption,
  readText,
  readTexts,
  withFacts,
} from '../../core/index.ts'
import type { CallErrorShape } from '../../errors/index.ts'
import { andThen, extensionUrn } from '../../values/index.ts'

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

/** The text of an error in one language; a function sees the error it replaces the message of. */
export type LocalMessage = string | ((error: CallErrorShape) => string)

/** Which languages a service speaks. */
export interface LocaleExtensionOptions {
  /** Languages of results; those of `messages` and the default one are added. */
  readonly languages?: readonly string[]
  /** Used when nothing else fits; `en` when absent. */
  readonly defaultLanguage?: string
  /** Messages by language and error code: `{ de: { NOT_FOUND: 'Nicht gefunden' } }`. */
  readonly messages?: Readonly<Record<string, Readonly<Record<string, LocalMessage>>>>
}

type Catalogue = ReadonlyMap<string, ReadonlyMap<string, LocalMessage>>

/** Creates the extension that settles language, time zone and currency of an answer. */
export function localeExtension(options: LocaleExtensionOptions = {}): Extension {
  const { defaultLanguage = 'en', messages = {} } = options
  const languages = collectLanguages(
    options.languages ?? [],
    Object.keys(messages),
    defaultLanguage,
  )
  const catalogue: Catalogue = new Map(
    Object.entries(messages).map(([language, texts]) => [
      language.toLowerCase(),
      new Map(Object.entries(texts)),
    ]),
  )
  const isTimezone = createTimezoneCheck()
  const isCurrency = createCurrencyCheck()

  return {
    urn: extensionUrn('locale'),
    version: '1.0.0',
    phase: 'observe',
    order: -40,
    details: {
      supported_languages: [...languages.values()],
      default_language: defaultLanguage,
    },
    around(exchange, next) {
      const { call, declared, answer } = exchange
      const wanted = declared ? readLanguages(exchange) : readHeader(exchange)
      if (wanted.length === 0) return next(call)
      const timezone = readTimezone(exchange, isTimezone)
      const currency = readCurrency(exchange, isCurrency)
      const choice = chooseLanguage(wanted, languages, defaultLanguage)
      const locale: NonNullable<CallFacts['locale']> = {
        language: choice.language,
        timezone,
        ...(currency !== undefined && { currency }),
      }
      return andThen(next(withFacts(call, { locale })), (outcome) => {
        // A caller who only sent a header is answered in a header.
        addReplyHeader(call.reply, 'content-language', choice.language)
        if (declared) {
          const { language, ...rest } = locale
          answer({ language, fallback_used: choice.fallbackUsed, ...rest })
        }
        return outcome.ok ? outcome : translate(outcome, choice.language, catalogue)
      })
    },
  }
}

function readLanguages(exchange: ExtensionCall): readonly string[] {
  const language = readText(exchange, 'language')
  if (language === undefined || !isLanguageTag(language)) {
    throw invalidOption(exchange, 'language', 'a language tag such as "en" or "zh-Hans"')
  }
  const fallback = readTexts(exchange, 'fallback') ?? []
  for (const [index, tag] of fallback.entries()) {
    if (!isLanguageTag(tag)) {
      throw invalidOption(exchange, `fallback/${index}`, 'a language tag such as "en"')
    }
  }
  return [language, ...fallback]
}

function readHeader({ options }: ExtensionCall): readonly string[] {
  const header = options['accept_language']
  const ranges = typeof header === 'string' ? parseAcceptLanguage(header) : []
  // Anything goes, so nothing was asked for.
  return ranges[0] === '*' ? [] : ranges
}

function chooseLanguage(
  wanted: readonly string[],
  languages: ReadonlyMap<string, string>,
  defaultLanguage: string,
): { readonly language: string; readonly fallbackUsed: boolean } {
  for (const [index, tag] of wanted.entries()) {
    const language = lookUpLanguage(tag, languages)
    if (language !== undefined) return { language, fallbackUsed: index > 0 }
  }
  return { language: defaultLanguage, fallbackUsed: true }
}

function readTimezone(exchange: ExtensionCall, isTimezone: (text: string) => boolean): string {
  const timezone = readText(exchange, 'timezone')
  if (timezone === undefined) return 'UTC'
  if (isTimezone(timezone)) return timezone
  throw invalidOption(exchange, 'timezone', 'an IANA time zone such as "Europe/Berlin"')
}

const TIMEZONE = /^[a-z][a-z\d_+-]*(?:\/[a-z\d_+-]+)*$/i
const KNOWN_TIMEZONES = 1000

/** Asking the runtime costs more than the whole call, so good answers are remembered. */
function createTimezoneCheck(): (text: string) => boolean {
  const known = new Set(['UTC'])
  return (text) => {
    if (known.has(text)) return true
    if (!TIMEZONE.test(text)) return false
    try {
      new Intl.DateTimeFormat('en', { timeZone: text })
    } catch {
      return false
    }
    if (known.size < KNOWN_TIMEZONES) known.add(text)
    return true
  }
}

function createCurrencyCheck(): (text: string) => boolean {
  let known: ReadonlySet<string> | undefined
  return (text) => {
    known ??= new Set(Intl.supportedValuesOf('currency'))
    return known.has(text)
  }
}

function readCurrency(
  exchange: ExtensionCall,
  isCurrency: (text: string) => boolean,
): string | undefined {
  const currency = readText(exchange, 'currency')
  if (currency === undefined || isCurrency(currency)) return currency
  throw invalidOption(exchange, 'currency', 'an ISO 4217 code such as "EUR"')
}

function translate(failure: Failure, language: string, catalogue: Catalogue): Failure {
  if (catalogue.size === 0) return failure
  const local = (error: CallErrorShape): CallErrorShape => {
    const text = findMessage(error.code, language, catalogue)
    if (text === undefined) return error
    return { ...error, message: typeof text === 'string' ? text : text(error) }
  }
  const [first, ...rest] = failure.errors
  return { ...failure, errors: [local(first), ...rest.map(local)] }
}

/** A regional catalogue need not repeat what its language already says. */
function findMessage(
  code: string,
  language: string,
  catalogue: Catalogue,
): LocalMessage | undefined {
  const texts = new Map(
    [...catalogue].flatMap(([tag, entries]) => {
      const text = entries.get(code)
      return text === undefined ? [] : [[tag, text] as const]
    }),
  )
  return lookUpLanguage(language, texts)
}

function collectLanguages(
  languages: readonly string[],
  catalogued: readonly string[],
  defaultLanguage: string,
): ReadonlyMap<string, string> {
  const all = [...languages, ...catalogued, defaultLanguage]
  const wrong = all.find((tag) => !isLanguageTag(tag))
  if (wrong !== undefined) throw new TypeError(`locale: "${wrong}" is not a language tag`)
  const byTag = new Map<string, string>()
  for (const tag of all) if (!byTag.has(tag.toLowerCase())) byTag.set(tag.toLowerCase(), tag)
  return byTag
}
