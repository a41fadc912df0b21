/** Writes bytes as base64. */
export function toBase64(bytes: Uint8Array): string {
  let binary = ''
  for (let start = 0; start < bytes.length; start += 0x8000) {
    binary += String.fromCharCode(...bytes.subarray(start, start + 0x8000))
  }
  return btoa(binary)
}

/** Reads base64 or base64url; undefined when the text is neither. */
export function fromBase64(text: string): ArrayBuffer | undefined {
  const plain = text.replace(/\s+/g, '').replaceAll('-', '+').replaceAll('_', '/')
  try {
    const binary = atob(plain)
    const buffer = new ArrayBuffer(binary.length)
    const bytes = new Uint8Array(buffer)
    for (let index = 0; index < binary.length; index += 1) bytes[index] = binary.charCodeAt(index)
    return buffer
  } catch {
    return undefined
  }
}
