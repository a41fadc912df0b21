import {
  type QueryPlan,
  type ResourceDocument,
  type ResourceObject,
  type SqlColumns,
  toDocument,
  toResource,
  toSql,
} from 'waymark/query'
import type { EventRow, EventsDatabase } from './database.ts'

/** What callers may filter and sort by, and where the database keeps it. */
const COLUMNS: SqlColumns = {
  id: 'id',
  name: 'name',
  status: 'status',
  starts_at: 'starts_at',
  venue_id: 'venue_id',
  created_at: 'created_at',
}

/** Answers a query about events from the database: the plan becomes conditions with parameters. */
export function queryEvents(
  database: EventsDatabase,
  plan: QueryPlan,
  status: string | undefined,
): ResourceDocument {
  const sql = toSql(plan, COLUMNS)
  const own = status === undefined ? [] : [status]
  const where = status === undefined ? sql.where : `status = ? and ${sql.where}`
  const rows = database.all<EventRow>(
    `select * from events where ${where} order by ${sql.orderBy} ${sql.limit}`,
    ...own,
    ...sql.parameters,
  )
  const count = database.get<{ total: number }>(
    `select count(*) as total from events where ${where}`,
    ...own,
    ...sql.whereParameters,
  )
  return toDocument(plan, rows.map(toEventResource), { total: count?.total ?? 0 })
}

function toEventResource({ venue_id: venue, ...event }: EventRow): ResourceObject {
  const data = venue === null ? null : { type: 'venue', id: venue }
  return toResource('event', event, { venue: { data } })
}
