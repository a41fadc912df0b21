/** Makes a function that masks every one of the secrets in a text. */
export function createRedactor(secrets: readonly string[]): (text: string) => string {
  // The longest first: a secret may be part of another, such as a token of its header.
  const values = [...new Set(secrets)]
    .filter((secret) => secret !== '')
    .sort((one, other) => other.length - one.length)
  return (text) => values.reduce((masked, value) => masked.replaceAll(value, '***'), text)
}
