/** Writes a sensitive text so that its owner recognises it and nobody else learns it. */
export type PartialMask = (text: string) => string

/** What stands for a value nobody may see. */
export const FULL_MASK = '***'

/** The masks for kinds of values, by the names such members usually have. */
export const PARTIAL_MASKS: Readonly<Record<string, PartialMask>> = {
  email: maskEmail,
  phone: (text) => maskDigits(text, '***-***-', 7),
  card_number: (text) => maskDigits(text, '****-****-****-', 12),
  account_number: (text) => maskDigits(text, '****-****-****-', 8),
  ssn: (text) => maskDigits(text, '***-**-', 9),
  tax_id: (text) => maskDigits(text, '***-**-', 9),
  name: maskName,
  first_name: maskName,
  last_name: maskName,
  full_name: maskName,
  cardholder: maskName,
  expiry: () => '**/**',
}

/** Makes names comparable that differ only in how words are joined: `cardNumber`, `card_number`, `card-number`. */
export function normalizeName(name: string): string {
  return name.toLowerCase().replaceAll(/[_-]/g, '')
}

function maskEmail(text: string): string {
  const match = /^([^@\s])[^@\s]*@[^@\s]+(\.[a-z]{2,})$/i.exec(text)
  return match === null ? FULL_MASK : `${match[1]}***@***${match[2]}`
}

/** Shows the last four digits only when that leaves enough of them unknown. */
function maskDigits(text: string, prefix: string, minimum: number): string {
  const digits = text.replaceAll(/\D/g, '')
  return digits.length < minimum ? FULL_MASK : `${prefix}${digits.slice(-4)}`
}

function maskName(text: string): string {
  const words = text.trim().split(/\s+/).filter(Boolean).slice(0, 5)
  if (words.length === 0) return FULL_MASK
  return words.map((word) => `${Array.from(word)[0]}***`).join(' ')
}
