/** Tells whether a Content-Type says JSON; parameters such as a charset are allowed. */
export function isJsonMediaType(mediaType: string | undefined): boolean {
  return mediaType === 'application/json' || toEssence(mediaType) === 'application/json'
}

/** Tells whether a Content-Type says server-sent events. */
export function isEventStream(mediaType: string | undefined): boolean {
  return toEssence(mediaType) === 'text/event-stream'
}

function toEssence(mediaType = ''): string {
  const end = mediaType.indexOf(';')
  return (end === -1 ? mediaType : mediaType.slice(0, end)).trim().toLowerCase()
}
