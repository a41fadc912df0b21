import { CallError } from '../core/error.ts'
import type { HttpRequest } from './http.ts'
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

/** Tells in which coding a body was sent that nobody here undoes; a parser in front of us has undone it already. */
export function findCoding({ header, bodyRewritten }: HttpRequest): string | undefined {
  const coding = header('content-encoding')?.trim().toLowerCase()
  return coding === undefined || coding === '' || coding === 'identity' || bodyRewritten
    ? undefined
    : coding.slice(0, 20)
}

/** Makes the error for a body in a coding that is not taken. */
export function codingNotTaken(coding: string): CallError {
  return new CallError('INVALID_REQUEST', {
    message: `Content-Encoding ${coding} is not supported; send the body as it is`,
    details: { accept_encoding: ['identity'] },
    status: 415,
  })
}
