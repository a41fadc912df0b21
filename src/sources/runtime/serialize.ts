import { isRecord } from '../../values/index.ts'
import type { ParamRule } from './operation.ts'

/** A name and a value as they stand in a query or form, both escaped. */
export type Pair = readonly [name: string, value: string]

/** Turns a text into its spelling on the wire. */
export type Escape = (text: string) => string

/** Writes a scalar as parameters carry it: no exponent where the number is exact without one. */
export function toScalarText(value: unknown): string {
  if (typeof value === 'string') return value
  if (typeof value === 'number') return numberText(value)
  return JSON.stringify(value) ?? ''
}

/** Tells whether a value is sent at all. */
export function isPresent(value: unknown): boolean {
  return value !== undefined && value !== null
}

/** Escapes a text for a path, query or cookie; half a surrogate pair becomes U+FFFD. */
export function escapeText(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'))
}

/** Escapes a query value but for the reserved characters that cannot end it. */
export function escapeReserved(text: string): string {
  return escapeText(text).replace(/%(?:3A|2F|3F|40|24|2C|3B|3D)/g, decodeURIComponent)
}

/** Names the style and explode of a parameter with the defaults of OpenAPI. */
export function styleOfRule(rule: ParamRule): {
  readonly style: string
  readonly explode: boolean
} {
  const usual = rule.in === 'query' || rule.in === 'cookie' ? 'form' : 'simple'
  const style = rule.style ?? usual
  return { style, explode: rule.explode ?? (style === 'form' || style === 'deepObject') }
}

/** Writes a value for a path or header: `simple`, `label` and `matrix` of RFC 6570. */
export function toSegment(rule: ParamRule, value: unknown, encode: Escape): string {
  const { style, explode } = styleOfRule(rule)
  const name = encode(rule.name ?? rule.arg)
  const items = Array.isArray(value) ? arrayItems(value) : isRecord(value) ? undefined : [value]
  const parts = items
    ? items.map((item) => encode(toScalarText(item)))
    : presentEntries(value).map(([key, item]) => {
        return encode(key) + (explode ? '=' : ',') + encode(toScalarText(item))
      })
  if (style === 'label') return `.${parts.join(explode ? '.' : ',')}`
  if (style !== 'matrix') return parts.join(',')
  if (!explode) return `;${name}=${parts.join(',')}`
  return parts.map((part) => (items ? `;${name}=${part}` : `;${part}`)).join('')
}

/** Writes a value for a query, form or cookie as pairs, by style and explode. */
export function toPairs(
  name: string,
  value: unknown,
  format: { readonly style: string; readonly explode: boolean; readonly encode: Escape },
): readonly Pair[] {
  const { style, explode, encode } = format
  if (!isPresent(value)) return []
  if (style === 'deepObject') return toBracketPairs(name, value, encode)
  if (!Array.isArray(value) && !isRecord(value))
    return [[escapeText(name), encode(toScalarText(value))]]
  const entries = Array.isArray(value) ? undefined : presentEntries(value)
  if (entries && explode) return entries.flatMap(([key, item]) => toPairs(key, item, format))
  const items = (entries?.flat() ?? arrayItems(value)).map((item) => encode(toScalarText(item)))
  if (explode) return items.map((item) => [escapeText(name), item])
  return items.length === 0 ? [] : [[escapeText(name), items.join(delimiterOf(style))]]
}

/** Writes nested values with brackets: `site[row]=1`, `lines[0][sku]=a`. */
export function toBracketPairs(
  name: string,
  value: unknown,
  encode: Escape = escapeText,
): readonly Pair[] {
  if (!isPresent(value)) return []
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => toBracketPairs(`${name}[${index}]`, item, encode))
  }
  if (!isRecord(value)) return [[escapeText(name), encode(toScalarText(value))]]
  return presentEntries(value).flatMap(([key, item]) => {
    return toBracketPairs(`${name}[${key}]`, item, encode)
  })
}

/** Lists the entries of an object that are sent. */
export function presentEntries(value: unknown): readonly (readonly [string, unknown])[] {
  return isRecord(value) ? Object.entries(value).filter(([, item]) => isPresent(item)) : []
}

function arrayItems(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value.filter(isPresent) : []
}

function delimiterOf(style: string): string {
  return style === 'spaceDelimited' ? '%20' : style === 'pipeDelimited' ? '%7C' : ','
}

function numberText(value: number): string {
  const text = String(value)
  if (!text.includes('e')) return text
  if (Number.isInteger(value)) return BigInt(value).toString()
  const plain = value.toFixed(20).replace(/0+$/, '')
  return Number(plain) === value ? plain : text
}
