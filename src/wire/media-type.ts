/** Tells whether a Content-Type says JSON; parameters such as a charset are allowed. */
export function isJsonMediaType(mediaType: string | undefined): boolean {
  return mediaType === 'application/json' || toEssence(mediaType) === 'application/json'
}

/** Tells whether a Content-Type says server-sent events. */
export function isEventStream(mediaType: string | undefined): boolean {
  return toEssence(mediaType) === 'text/event-stream'
}

/** Picks the type that an Accept header names with the highest weight; the first of equals, undefined when it names none. */
export function selectMediaType<Type extends string>(
  accept: string | undefined,
  offered: readonly Type[],
): Type | undefined {
  let best: { readonly type: Type; readonly weight: number } | undefined
  for (const part of accept?.split(',') ?? []) {
    const essence = toEssence(part)
    const type = offered.find((one) => one === essence)
    const weight = toWeight(part)
    if (type !== undefined && weight > (best?.weight ?? 0)) best = { type, weight }
  }
  return best?.type
}

function toWeight(part: string): number {
  const text = /;\s*q\s*=\s*([\d.]{1,5})/i.exec(part)?.[1]
  return text === undefined ? 1 : Number(text)
}

function toEssence(mediaType = ''): string {
  const end = mediaType.indexOf(';')
  return (end === -1 ? mediaType : mediaType.slice(0, end)).trim().toLowerCase()
}
