/** Makes a random id of lower-case hexadecimal digits. */
export function randomHex(bytes: number): string {
  const values = crypto.getRandomValues(new Uint8Array(bytes))
  return Array.from(values, (value) => value.toString(16).padStart(2, '0')).join('')
}

/** Makes the id of an attempt; pages without a secure context have no randomUUID. */
export function randomRequestId(): string {
  return `req_${'randomUUID' in crypto ? crypto.randomUUID() : randomHex(16)}`
}
