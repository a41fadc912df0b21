/** A concert, talk or match. */
export interface Event {
  /**
   * Never changes.
   * @format uuid
   */
  id: string
  kind: 'concert' | 'talk' | 'match'
  /** @format date-time */
  starts_at?: string
  venue: Venue
  parent?: Event | null
  labels?: { [key: string]: string }
  position?: [number, number]
  state?:
    | 'announced'
    | 'on_sale'
    | 'sold_out'
    | 'cancelled'
    | 'postponed'
    | 'running'
    | 'finished'
    | 'archived'
    | 'deleted'
  extra?: unknown
}

export interface Venue {
  name?: string
  /** @minimum 0 */
  capacity?: number | null
  [key: string]: boolean | Event[] | string | number | null | undefined
}

export type Page = {
  next: string | null
} & ({
  events?: Event[]
} | {
  venues?: Venue[]
})

export type Json = string | number | boolean | null | Json[] | { [key: string]: Json }

export type Closed = Record<string, never>

export type Needs = {
  a?: string
  b?: string
} & ({
  a: unknown
} | {
  b: unknown
})

export type Loop = unknown

export interface OddName_ {
  __proto__?: string
  'a-b'?: string
  ''?: null
}
