const DIGITS = '0123456789ABCDEFGHJKMNPQRSTVWXYZ'
const TIME_LENGTH = 10
const RANDOM_LENGTH = 16

/** Makes a ULID: sorts by its moment (epoch milliseconds), with 80 random bits behind it. */
export function createUlid(now: number): string {
  let time = ''
  for (let rest = Math.floor(now), place = 0; place < TIME_LENGTH; place += 1) {
    time = `${DIGITS[rest % DIGITS.length]}${time}`
    rest = Math.floor(rest / DIGITS.length)
  }
  // 256 is a multiple of 32, so every digit is as likely as any other.
  const bytes = crypto.getRandomValues(new Uint8Array(RANDOM_LENGTH))
  return time + Array.from(bytes, (byte) => DIGITS[byte % DIGITS.length]).join('')
}
