import { isRecord } from '../../../src/values/json.ts'

/** What browsers know of the numbers that JavaScript cannot hold; older ones know nothing. */
interface RawJson {
  readonly rawJSON?: (text: string) => object
  readonly isRawJSON?: (value: unknown) => boolean
}

const { rawJSON, isRawJSON } = JSON as RawJson

/** A number long enough, or written in such a way, that it may not fit. */
const SUSPECT = /(?:^|[[:,\s])-?(?:\d{16}|\d*\.\d{15}|[\d.]+e)/i

/** Parses JSON so that writing it again gives every number as it was: digits are kept, not rounded. */
export function parseExactly(text: string): unknown {
  if (rawJSON === undefined || !SUSPECT.test(text)) return JSON.parse(text)
  const keep = (_key: string, value: unknown, context?: { readonly source?: string }) =>
    typeof value === 'number' && context?.source !== undefined && !fits(context.source, value)
      ? rawJSON(context.source)
      : value
  return JSON.parse(text, keep)
}

/** Tells whether a value is a number that is kept as it was written. */
export function isExactNumber(value: unknown): boolean {
  return isRawJSON?.(value) === true
}

/** Tells whether a value is an object with members, which a kept number only looks like. */
export function hasMembers(value: unknown): value is Record<string, unknown> {
  return isRecord(value) && !isExactNumber(value)
}

function fits(source: string, value: number): boolean {
  return normalise(source) === normalise(String(value))
}

/** Writes a number as its digits and the power of ten they are multiplied with. */
function normalise(text: string): string | undefined {
  const match = /^(-?)(\d+)(?:\.(\d+))?(?:e([+-]?\d+))?$/i.exec(text)
  if (match === null) return undefined
  const [, sign, whole = '', fraction = '', power = '0'] = match
  const digits = `${whole}${fraction}`.replace(/^0+/, '')
  const short = digits.replace(/(?<!0)0+$/, '')
  if (short === '') return '0'
  return `${sign}${short}e${Number(power) - fraction.length + digits.length - short.length}`
}
