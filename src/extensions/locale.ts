import { addReplyHeader, type CallFacts, type Failure, withFacts } from '../core/call.ts'
import type { CallErrorShape } from '../core/error.ts'
import type { Extension, ExtensionCall } from '../core/extension.ts'
import { andThen } from '../core/maybe.ts'
import { isLanguageTag, lookUpLanguage, parseAcceptLanguage } from './language-tag.ts'
import { invalidOption, readText, readTexts } from './options.ts'

/** The text of an error in one language; a function sees the error it replaces the message of. */
type LocalMessage = string | ((error: CallErrorShape) => string)

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
    urn: 'urn:forrst:ext:locale',
    version: '1.0.0',
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
