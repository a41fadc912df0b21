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

type Make = (random: Random) => string

/** Matches the name of a member in snake_case, and makes a text for it. */
type Hint = readonly [when: RegExp, make: Make]

const pickFrom =
  (items: readonly [string, ...string[]]): Make =>
  (random) =>
    random.pick(items)

const PERSON = /(^|_)(full_?name|(customer|contact|user|owner|author|person|holder)_name)$/
const STREET = /(^|_)(street|address|address_line_?1|line1)$/
const PROSE = /(^|_)(description|summary|comment|comments|note|notes|message|bio|body|text)$/

/** What people expect behind a name when nothing else says what it is; the first that fits counts. */
const HINTS: readonly Hint[] = [
  [/(^|_)(first|given|fore)_?name$/, pickFrom(GIVEN)],
  [/(^|_)(last|family|sur)_?name$/, pickFrom(FAMILY)],
  [PERSON, (random) => `${random.pick(GIVEN)} ${random.pick(FAMILY)}`],
  [/(^|_)user_?name$|(^|_)login$/, (random) => random.pick(GIVEN).toLowerCase()],
  // Numbers that no telephone company gives to anybody.
  [/(^|_)(phone|mobile|telephone|fax)(_number)?$/, (random) => `+1-202-555-01${twoDigits(random)}`],
  [/(^|_)(city|town)$/, pickFrom(CITIES)],
  [/(^|_)(province|region)$/, pickFrom(STATES)],
  [/(^|_)country_code$/, pickFrom(COUNTRY_CODES)],
  [/(^|_)country(_name)?$/, pickFrom(COUNTRIES)],
  [/(^|_)(zip|postal|post)_?code$|(^|_)zip$/, (random) => String(random.whole(10_000, 99_999))],
  [STREET, (random) => `${random.whole(1, 120)} ${random.pick(STREETS)}`],
  [/(^|_)(company|organi[sz]ation)(_name)?$/, pickFrom(COMPANIES)],
  [/(^|_)currency(_code)?$/, pickFrom(CURRENCIES)],
  [/(^|_)(language|lang)(_code)?$/, pickFrom(LANGUAGES)],
  [/(^|_)locale$/, pickFrom(LOCALES)],
  [/(^|_)time_?zone$/, pickFrom(ZONES)],
  [/(^|_)colou?r$/, pickFrom(COLOURS)],
  [/(^|_)version$/, (random) => `${random.whole(1, 4)}.${random.whole(0, 9)}.0`],
  [/(^|_)(ip|ip_address)$/, address],
  [PROSE, pickFrom(SENTENCES)],
]

function twoDigits(random: Random): string {
  return String(random.whole(0, 99)).padStart(2, '0')
}

/** An address of the block that is kept for documentation. */
function address(random: Random): string {
  return `192.0.2.${random.whole(1, 254)}`
}

/** Finds what makes a text that looks like the name of its member; undefined for a name that says nothing. */
export function findHint(name: string): Make | undefined {
  const words = name
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase()
  return HINTS.find(([when]) => when.test(words))?.[1]
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
    const text = propose(schema, random, name, attempt, patterns[0]?.source)
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

function propose(
  { format, minLength }: JsonSchema,
  random: Random,
  name: string,
  attempt: number,
  pattern: string | undefined,
): string {
  const make = typeof format === 'string' ? ownMember(FORMATS, format) : undefined
  // A format comes first; where a pattern refuses what it gives, the pattern has the last word.
  if (make !== undefined && (pattern === undefined || attempt < 4)) return make(random)
  if (pattern !== undefined) {
    const extra = Math.max(3, Math.ceil(numberOf(minLength, 0) / 2)) + attempt * 2
    return writeMatch(pattern, { random, extra }) ?? ''
  }
  const hint = TEXT_HINTS.find(([when]) => when.test(name))?.[1] ?? findHint(name)
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

const email: Make = (random) => `${word(random)}@example.com`
const host: Make = (random) => `${word(random)}.example.com`
const page: Make = (random) => `https://example.com/${word(random)}`
const path: Make = (random) => `/${word(random)}`

const FORMATS: Readonly<Record<string, Make>> = {
  'date-time': (random) => moment(random).toISOString().replace('.000Z', 'Z'),
  date: (random) => moment(random).toISOString().slice(0, 10),
  time: (random) => moment(random).toISOString().slice(11, 19).concat('Z'),
  duration: (random) => `PT${random.whole(1, 59)}M`,
  email,
  'idn-email': email,
  hostname: host,
  'idn-hostname': host,
  ipv4: address,
  ipv6: (random) => `2001:db8::${hex(random, 4)}`,
  uri: page,
  url: page,
  iri: page,
  'uri-reference': path,
  'iri-reference': path,
  'uri-template': (random) => `/${word(random)}/{id}`,
  'json-pointer': path,
  'relative-json-pointer': (random) => `0/${word(random)}`,
  regex: () => '^[a-z]+$',
  uuid: (random) =>
    `${hex(random, 8)}-${hex(random, 4)}-4${hex(random, 3)}-a${hex(random, 3)}-${hex(random, 12)}`,
  byte: (random) => Buffer.from(word(random)).toString('base64'),
}

/** Names that stand for a form; what else a name says is in hints. */
const TEXT_HINTS: readonly Hint[] = [
  [/(^|_)id$|Id$/, (random) => `${word(random)}_${hex(random, 6)}`],
  [/email/i, email],
  [/(_at|At|date|time)$/i, (random) => moment(random).toISOString()],
  [/(url|uri|link|href)$/i, page],
]

/** Tells whether a schema says anything about texts. */
export function speaksOfText(schema: JsonSchema): boolean {
  return (
    isRecord(schema) && ['pattern', 'format', 'minLength', 'maxLength'].some((key) => key in schema)
  )
}
