/** Tells whether a Content-Type says JSON; parameters such as a charset are allowed. */
export function isJsonMediaType(mediaType: string | undefined): boolean {
  if (mediaType === 'application/json') return true
  if (mediaType === undefined) return false
  const end = mediaType.indexOf(';')
  const essence = end === -1 ? mediaType : mediaType.slice(0, end)
  return essence.trim().toLowerCase() === 'application/json'
}
