import type { Random } from './random.ts'

const GIVEN = [
  'Ada',
  'Bruno',
  'Chidi',
  'Dora',
  'Emil',
  'Fatima',
  'Grace',
  'Hugo',
  'Ines',
  'Jun',
] as const
const FAMILY = [
  'Adler',
  'Brown',
  'Costa',
  'Diaz',
  'Endo',
  'Fischer',
  'Garcia',
  'Haddad',
  'Ito',
] as const
const CITIES = [
  'Accra',
  'Bergen',
  'Cusco',
  'Dublin',
  'Essen',
  'Florence',
  'Geneva',
  'Hanoi',
] as const
const STATES = ['Bavaria', 'Kerala', 'Ontario', 'Oregon', 'Tuscany', 'Utah', 'Victoria'] as const
const COUNTRIES = [
  'Brazil',
  'Canada',
  'Denmark',
  'Egypt',
  'France',
  'Ghana',
  'India',
  'Japan',
] as const
const COUNTRY_CODES = ['BR', 'CA', 'DK', 'EG', 'FR', 'GH', 'IN', 'JP'] as const
const STREETS = ['Birch Road', 'Cedar Lane', 'Harbor Street', 'Mill Lane', 'Station Road'] as const
const COMPANIES = ['Acme', 'Birch & Sons', 'Northwind', 'Quartz Labs', 'Summit Works'] as const
const CURRENCIES = ['EUR', 'USD', 'GBP', 'JPY', 'CHF', 'INR'] as const
const LANGUAGES = ['en', 'de', 'fr', 'ja', 'pt', 'hi'] as const
const LOCALES = ['en-GB', 'de-DE', 'fr-FR', 'ja-JP', 'pt-BR', 'hi-IN'] as const
const ZONES = ['Europe/Berlin', 'America/Lima', 'Asia/Tokyo', 'Africa/Cairo', 'UTC'] as const
const COLOURS = ['amber', 'blue', 'coral', 'green', 'indigo', 'red', 'teal'] as const
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
