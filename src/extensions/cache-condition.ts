import { invalidOption, type OptionSource, readText } from './options.ts'

/** What the caller of a cached function knows already. */
export interface Condition {
  readonly etag: string | undefined
  readonly since: number
}

/** Reads what the caller knows already. */
export function readCondition(source: OptionSource): Condition {
  const etag = readText(source, 'if_none_match')?.replace(/^W\//, '').replaceAll('"', '')
  const since: unknown = source.options['if_modified_since']
  if (since === undefined) return { etag, since: Number.NEGATIVE_INFINITY }
  const moment = typeof since === 'string' && TIMESTAMP.test(since) ? Date.parse(since) : Number.NaN
  if (Number.isNaN(moment)) {
    throw invalidOption(
      source,
      'if_modified_since',
      'an RFC 3339 timestamp such as "2030-01-15T10:30:00Z"',
    )
  }
  return { etag, since: moment }
}

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)$/i
