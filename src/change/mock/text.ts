import { compilePattern, type JsonSchema, Unsatisfiable, writeMatch } from '../../schema/index.ts'
import { isRecord, ownMember } from '../../values/index.ts'
import { numberOf, type Random } from './random.ts'

/** Splits a list of words. */
function words(text: string): readonly [string, ...string[]] {
  const [first = '', ...rest] = text.split(' ')
  return [first, ...rest]
}

const GIVEN = words('Ada Bruno Chidi Dora Emil Fatima Grace Hugo Ines Jun')
const FAMILY = words('Adler Brown Costa Diaz Endo Fischer Garcia Haddad Ito')
const CITIES = words('Accra Bergen Cusco Dublin Essen Florence Geneva Hanoi')
const STATES = words('Bavaria Kerala Ontario Oregon Tuscany Utah Victoria')
const COUNTRIES = words('Brazil Canada Denmark Egypt France Ghana India Japan')
const COUNTRY_CODES = words('BR CA DK EG FR GH IN JP')
const STREETS = ['Birch Road', 'Cedar Lane', 'Harbor Street', 'Mill Lane', 'Station Road'] as const
const COMPANIES = ['Acme', 'Birch & Sons', 'Northwind', 'Quartz Labs', 'Summit Works'] as const
const CURRENCIES = words('EUR USD GBP JPY CHF INR')
const LANGUAGES = words('en de fr ja pt hi')
const LOCALES = words('en-GB de-DE fr-FR ja-JP pt-BR hi-IN')
const ZONES = words('Europe/Berlin America/Lima Asia/Tokyo Africa/Cairo UTC')
const COLOURS = words('amber blue coral green indigo red teal')
const SENTENCES = [
  'A short text that stands for a longer one.',
  'Made up, so that something is here to read.',
  'What people would write in this place.',
] as const

interface Hint {
  /** Matches the name of a member in snake_case. */
  readonly when: RegExp
  readonly make: (random: Random) => string
}

/** What people expect behind a name when nothing else says what it is; the first that fits counts. */
const HINTS: readonly Hint[] = [
  { when: /(^|_)(first|given|fore)_?name$/, make: (random) => random.pick(GIVEN) },
  { when: /(^|_)(last|family|sur)_?name$/, make: (random) => random.pick(FAMILY) },
  {
    when: /(^|_)(full_?name|(customer|contact|user|owner|author|person|holder)_name)$/,
    make: (random) => `${random.pick(GIVEN)} ${random.pick(FAMILY)}`,
  },
  { when: /(^|_)user_?name$|(^|_)login$/, make: (random) => random.pick(GIVEN).toLowerCase() },
  {
    // Numbers that no telephone company gives to anybody.
    when: /(^|_)(phone|mobile|telephone|fax)(_number)?$/,
    make: (random) => `+1-202-555-01${String(random.whole(0, 99)).padStart(2, '0')}`,
  },
  { when: /(^|_)(city|town)$/, make: (random) => random.pick(CITIES) },
  { when: /(^|_)(province|region)$/, make: (random) => random.pick(STATES) },
  { when: /(^|_)country_code$/, make: (random) => random.pick(COUNTRY_CODES) },
  { when: /(^|_)country(_name)?$/, make: (random) => random.pick(COUNTRIES) },
  {
    when: /(^|_)(zip|postal|post)_?code$|(^|_)zip$/,
    make: (random) => String(random.whole(10_000, 99_999)),
  },
  {
    when: /(^|_)(street|address|address_line_?1|line1)$/,
    make: (random) => `${random.whole(1, 120)} ${random.pick(STREETS)}`,
  },
  { when: /(^|_)(company|organi[sz]ation)(_name)?$/, make: (random) => random.pick(COMPANIES) },
  { when: /(^|_)currency(_code)?$/, make: (random) => random.pick(CURRENCIES) },
  { when: /(^|_)(language|lang)(_code)?$/, make: (random) => random.pick(LANGUAGES) },
  { when: /(^|_)locale$/, make: (random) => random.pick(LOCALES) },
  { when: /(^|_)time_?zone$/, make: (random) => random.pick(ZONES) },
  { when: /(^|_)colou?r$/, make: (random) => random.pick(COLOURS) },
  { when: /(^|_)version$/, make: (random) => `${random.whole(1, 4)}.${random.whole(0, 9)}.0` },
  {
    when: /(^|_)(ip|ip_address)$/,
    make: (random) => `192.0.2.${random.whole(1, 254)}`,
  },
  {
    when: /(^|_)(description|summary|comment|comments|note|notes|message|bio|body|text)$/,
    make: (random) => random.pick(SENTENCES),
  },
]

/** Finds what makes a text that looks like the name of its member; undefined for a name that says nothing. */
export function findHint(name: string): Hint['make'] | undefined {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase()
  return HINTS.find(({ when }) => when.test(words))?.make
}

const WORDS = words(
  'amber birch cedar delta ember fjord grove harbor iris juniper kestrel lagoon meadow north opal prairie quartz river summit tundra',
)

const ATTEMPTS = 40

/** Makes a text that a schema accepts; `name` is what the member is called and only makes the text pleasant. */
export function makeText(schema: JsonSchema, random: Random, name: string): string {
  const least = numberOf(schema['minLength'], 0)
  const most = numberOf(schema['maxLength'], Number.POSITIVE_INFINITY)
  if (least > most) throw new Unsatisfiable('minLength is above maxLength')
  const patterns = listPatterns(schema['pattern'])
  const fits = (text: string) => {
    const { length } = [...text]
    return length >= least && length <= most && patterns.every(({ test }) => test(text))
  }
  for (let attempt = 0; attempt < ATTEMPTS; attempt += 1) {
    const text = propose(schema, {
      random,
      name,
      attempt,
      least,
      most,
      pattern: patterns[0]?.source,
    })
    if (fits(text)) return text
    const fitted = fitLength(text, least, most)
    if (fits(fitted)) return fitted
  }
  throw new Unsatisfiable(
    patterns.length === 0
      ? 'no text of the wanted length could be made'
      : `no text could be made for the pattern ${patterns.map(({ source }) => source).join(' and ')}`,
  )
}

interface Proposal {
  readonly random: Random
  readonly name: string
  readonly attempt: number
  readonly least: number
  readonly most: number
  readonly pattern: string | undefined
}

function propose(schema: JsonSchema, proposal: Proposal): string {
  const { random, attempt, least, pattern, name } = proposal
  const { format } = schema
  const make = typeof format === 'string' ? ownMember(FORMATS, format) : undefined
  // A format comes first; where a pattern refuses what it gives, the pattern has the last word.
  if (make !== undefined && (pattern === undefined || attempt < 4)) return make(random)
  if (pattern !== undefined) {
    const extra = Math.max(3, Math.ceil(least / 2)) + attempt * 2
    return writeMatch(pattern, { random, extra }) ?? ''
  }
  const hint = TEXT_HINTS.find(({ when }) => when.test(name))?.make ?? findHint(name)
  return attempt === 0 && hint ? hint(random) : wordsOf(random, 1 + (attempt % 3))
}

function fitLength(text: string, least: number, most: number): string {
  const characters = [...text].slice(0, most)
  const filler = characters.at(-1) ?? 'a'
  while (characters.length < Math.min(least, 100_000)) characters.push(filler)
  return characters.join('')
}

function listPatterns(
  pattern: unknown,
): readonly { source: string; test: (text: string) => boolean }[] {
  const list = Array.isArray(pattern) ? pattern : [pattern]
  return list
    .filter((source) => typeof source === 'string')
    .map((source) => {
      const expression = compilePattern(source)
      return { source, test: (text) => expression.test(text) }
    })
}

function word(random: Random): string {
  return random.pick(WORDS)
}

function wordsOf(random: Random, count: number): string {
  return Array.from({ length: count }, () => word(random)).join(' ')
}

function hex(random: Random, length: number): string {
  return Array.from({ length }, () => random.whole(0, 15).toString(16)).join('')
}

/** A moment in 2026: made-up values must not depend on when they are made. */
function moment(random: Random): Date {
  return new Date(Date.UTC(2026, 0, 1) + random.whole(0, 364 * 86_400) * 1_000)
}

const FORMATS: Readonly<Record<string, (random: Random) => string>> = {
  'date-time': (random) => moment(random).toISOString().replace('.000Z', 'Z'),
  date: (random) => moment(random).toISOString().slice(0, 10),
  time: (random) => moment(random).toISOString().slice(11, 19).concat('Z'),
  duration: (random) => `PT${random.whole(1, 59)}M`,
  email: (random) => `${word(random)}@example.com`,
  'idn-email': (random) => `${word(random)}@example.com`,
  hostname: (random) => `${word(random)}.example.com`,
  'idn-hostname': (random) => `${word(random)}.example.com`,
  ipv4: (random) => `192.0.2.${random.whole(1, 254)}`,
  ipv6: (random) => `2001:db8::${hex(random, 4)}`,
  uri: (random) => `https://example.com/${word(random)}`,
  url: (random) => `https://example.com/${word(random)}`,
  iri: (random) => `https://example.com/${word(random)}`,
  'uri-reference': (random) => `/${word(random)}`,
  'iri-reference': (random) => `/${word(random)}`,
  'uri-template': (random) => `/${word(random)}/{id}`,
  'json-pointer': (random) => `/${word(random)}`,
  'relative-json-pointer': (random) => `0/${word(random)}`,
  regex: () => '^[a-z]+$',
  uuid: (random) =>
    `${hex(random, 8)}-${hex(random, 4)}-4${hex(random, 3)}-a${hex(random, 3)}-${hex(random, 12)}`,
  byte: (random) => Buffer.from(word(random)).toString('base64'),
}

/** Names that stand for a form; what else a name says is in hints. */
const TEXT_HINTS: readonly { readonly when: RegExp; readonly make: (random: Random) => string }[] =
  [
    { when: /(^|_)id$|Id$/, make: (random) => `${word(random)}_${hex(random, 6)}` },
    { when: /email/i, make: (random) => `${word(random)}@example.com` },
    { when: /(_at|At|date|time)$/i, make: (random) => moment(random).toISOString() },
    { when: /(url|uri|link|href)$/i, make: (random) => `https://example.com/${word(random)}` },
  ]

/** Tells whether a schema says anything about texts. */
export function speaksOfText(schema: JsonSchema): boolean {
  return (
    isRecord(schema) && ['pattern', 'format', 'minLength', 'maxLength'].some((key) => key in schema)
  )
}
