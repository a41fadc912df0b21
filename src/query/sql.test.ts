import fc from 'fast-check'
import Database from 'libsql'
import { describe, expect, it } from 'vitest'
import type { QueryCapabilities } from '../core/description.ts'
import type { JsonObject } from '../core/json.ts'
import {
  createQueryParser,
  type QueryPlan,
  type ResourceDocument,
  type ResourceObject,
  runQuery,
  type SqlColumns,
  type SqlRelation,
  toDocument,
  toResource,
  toSql,
} from './index.ts'

const ALLOWED = ['id', 'name', 'score', 'active', 'created_at']
const QUERY: QueryCapabilities = {
  filters: { allowed: ALLOWED, related: { notes: ['id', 'text', 'stars'] }, maxConditions: 20 },
  sorts: { allowed: ALLOWED, default: { field: 'created_at', direction: 'desc' } },
  fields: { allowed: ['name', 'score', 'active', 'created_at'] },
  relationships: { allowed: ['notes'] },
  pagination: { strategies: ['cursor', 'offset', 'page', 'keyset'], maxSize: 50 },
}
const COLUMNS: SqlColumns = {
  id: 'items.id',
  name: 'items.name',
  score: { sql: 'items.score', type: 'number' },
  active: { sql: 'items.active', type: 'boolean' },
  created_at: 'items.created_at',
}
const NOTES: SqlRelation = {
  from: 'notes',
  on: 'notes.item_id = items.id',
  columns: { id: 'notes.id', text: 'notes.text', stars: { sql: 'notes.stars', type: 'number' } },
}

interface Item {
  readonly id: string
  readonly name: string | null
  readonly score: number | null
  readonly active: boolean | null
  readonly created_at: string
  readonly notes: readonly { readonly text: string; readonly stars: number | null }[]
}

const parser = createQueryParser(QUERY, { name: 'items.list@1.0.0', cursorSecret: 'test' })

// Few and colliding values, with everything that a pattern, a collation or a quote could trip over.
const text = fc.constantFrom(
  '',
  'a',
  'A',
  'ab',
  'a%b',
  'a_b',
  'a*b',
  '[x]',
  "o'b",
  'é',
  '\ue000',
  '😀',
  '5',
  '\\',
)
const number = fc.constantFrom(-1.5, 0, 1, 2, 5, 1e12)
const time = fc.constantFrom('2024-01-01T00:00:00Z', '2024-01-02T00:00:00Z', '2024-02-01T12:00:00Z')
const note = fc.record({ text, stars: fc.option(number) })
const items: fc.Arbitrary<readonly Item[]> = fc.uniqueArray(
  fc.record({
    id: fc.stringMatching(/^[a-c][0-9]{1,2}$/),
    name: fc.option(text),
    score: fc.option(number),
    active: fc.option(fc.boolean()),
    created_at: time,
    notes: fc.array(note, { maxLength: 2 }),
  }),
  { selector: ({ id }) => id, maxLength: 12 },
)

const pattern = fc.array(fc.constantFrom('a', 'b', '%', '_', '*', '[', '😀'), { maxLength: 5 })
const scalar = fc.oneof(text, number, fc.boolean())
const filterOf = (...attributes: string[]) =>
  fc
    .record({ attribute: fc.constantFrom(...attributes), boolean: fc.constantFrom('and', 'or') })
    .chain((start) =>
      fc
        .oneof(
          operands(['equals', 'neq'], scalar),
          operands(['gt', 'gte', 'lt', 'less_than_or_equal_to'], fc.oneof(text, number, time)),
          operands(
            ['like', 'not_like'],
            pattern.map((pieces) => pieces.join('')),
          ),
          operands(['in', 'not_in'], fc.array(scalar, { maxLength: 3 })),
          operands(
            ['between', 'not_between'],
            fc.oneof(fc.tuple(text, text), fc.tuple(number, number)),
          ),
          fc.record({ operator: fc.constantFrom('is_null', 'is_not_null') }),
        )
        .map((rest) => ({ ...start, ...rest })),
    )
function operands(names: readonly string[], value: fc.Arbitrary<unknown>) {
  return fc.record({ operator: fc.constantFrom(...names), value })
}

const limit = fc.integer({ min: 1, max: 5 })
const pagination = fc.oneof(
  fc.record({ limit, offset: fc.integer({ min: 0, max: 6 }) }),
  fc.record({ limit }),
  fc.record({ per_page: limit, page: fc.integer({ min: 1, max: 3 }) }),
)
const keyset = fc.record(
  {
    limit,
    after_id: fc.constantFrom('a5', 'b'),
    before_id: fc.constantFrom('b5', 'c'),
    since: time,
    until: time,
  },
  { requiredKeys: ['limit', 'after_id'] },
)
const sorts = fc.array(
  fc.record({ attribute: fc.constantFrom(...ALLOWED), direction: fc.constantFrom('asc', 'desc') }),
  { maxLength: 3 },
)
const filters = fc.record(
  {
    self: fc.array(filterOf(...ALLOWED), { maxLength: 5 }),
    notes: fc.array(filterOf('text', 'stars'), { maxLength: 2 }),
  },
  { requiredKeys: [] },
)
const options = fc.oneof(
  fc.record({ filters, sorts, pagination }, { requiredKeys: [] }),
  fc.record({ filters, pagination: keyset }),
)

function toNotes({ id, notes }: Item): readonly ResourceObject[] {
  return notes.map((one, index) => toResource('note', { id: `${id}-${index}`, ...one }))
}

function toItem({ notes: _notes, ...item }: Item, all: readonly ResourceObject[]): ResourceObject {
  return toResource('item', item, {
    notes: { data: all.map(({ type, id }) => ({ type, id })) },
  })
}

/** Gives both ways to run a plan over the same data. */
function setUp(data: readonly Item[]) {
  const database = new Database(':memory:')
  database.exec(`create table items (id text primary key, name text, score real, active integer, created_at text);
    create table notes (id text primary key, item_id text, text text, stars real)`)
  const addItem = database.prepare('insert into items values (?, ?, ?, ?, ?)')
  const addNote = database.prepare('insert into notes values (?, ?, ?, ?)')
  for (const item of data) {
    const active = item.active === null ? null : Number(item.active)
    addItem.run([item.id, item.name, item.score, active, item.created_at])
    for (const [index, { text: words, stars }] of item.notes.entries()) {
      addNote.run([`${item.id}-${index}`, item.id, words, stars])
    }
  }
  const notesOf = new Map(data.map((item) => [item.id, toNotes(item)]))
  const resources = data.map((item) => toItem(item, notesOf.get(item.id) ?? []))
  const related = [...notesOf.values()].flat()
  return {
    overArray: (plan: QueryPlan) => runQuery(plan, resources, { related }),
    overSql(plan: QueryPlan): ResourceDocument {
      const sql = toSql(plan, COLUMNS, { related: { notes: NOTES } })
      const rows = database
        .prepare(`select * from items ${sql.text}`)
        .all(sql.parameters as unknown[]) as { id: string; active: number | null }[]
      const counted = database
        .prepare(`select count(*) as total from items where ${sql.where}`)
        .get(sql.whereParameters as unknown[]) as { total: number }
      const found = rows.map(({ active, ...row }) =>
        toResource(
          'item',
          { ...row, active: active === null ? null : active === 1 },
          { notes: { data: (notesOf.get(row.id) ?? []).map(({ type, id }) => ({ type, id })) } },
        ),
      )
      return toDocument(plan, found, { related, total: counted.total })
    },
  }
}

describe('a query written as SQL', () => {
  it('[F-239][F-241][F-242][F-243] gives what the same query gives over a list, for any data and any options', () => {
    fc.assert(
      fc.property(items, options, (data, wanted) => {
        const { overArray, overSql } = setUp(data)
        const plan = parser.parse(wanted as unknown as JsonObject)
        expect(overSql(plan)).toEqual(overArray(plan))
      }),
      { numRuns: 400 },
    )
  })

  it('[F-249] visits every resource once by cursors, forwards and back, whatever the order', () => {
    fc.assert(
      fc.property(items, filters, sorts, limit, (data, conditions, order, size) => {
        const { overArray, overSql } = setUp(data)
        const start = { filters: conditions, sorts: order, pagination: { limit: size } }
        const all = parser.parse({
          filters: conditions,
          sorts: order,
          pagination: { limit: 50 },
        } as never)
        const wanted = idsOf(overArray(all))
        for (const run of [overArray, overSql]) {
          const forwards = follow(run, start as never, 'next_cursor')
          expect(forwards.pages.flat()).toEqual(wanted)
          const back = follow(run, start as never, 'prev_cursor', forwards.last)
          expect(back.pages.toReversed().flat()).toEqual(wanted)
        }
      }),
      { numRuns: 150 },
    )
  })

  it('holds no text of the caller', () => {
    const hostile = "x'; drop table items; --"
    const plan = parser.parse({
      filters: {
        self: ['equals', 'like', 'not_like', 'gt'].map((operator) => ({
          attribute: 'name',
          operator,
          value: hostile,
        })),
        notes: [{ attribute: 'text', operator: 'in', value: [hostile] }],
      },
      pagination: { limit: 1, after_id: hostile, since: '2024-01-01T00:00:00Z' },
    })
    const sql = toSql(plan, COLUMNS, { related: { notes: NOTES } })
    expect(sql.text).not.toContain('drop')
    expect(sql.parameters).toContain(hostile)
    expect(sql.text.split('?')).toHaveLength(sql.parameters.length + 1)
  })

  it('writes the numbered parameters, the nulls and the patterns of PostgreSQL', () => {
    const plan = parser.parse({
      filters: { self: [{ attribute: 'name', operator: 'like', value: 'a_%' }] },
      sorts: [{ attribute: 'name', direction: 'desc' }],
      pagination: { limit: 2, offset: 4 },
    })
    expect(toSql(plan, COLUMNS, { dialect: 'postgres', firstParameter: 3 })).toEqual({
      where: "(items.name like $3 escape '\\')",
      whereParameters: ['a\\_%'],
      orderBy: 'items.name desc nulls last, items.id asc nulls first',
      limit: 'limit $4 offset $5',
      text: "where (items.name like $3 escape '\\') order by items.name desc nulls last, items.id asc nulls first limit $4 offset $5",
      parameters: ['a\\_%', 3, 4],
    })
  })

  it('takes the ids of a numbered table as numbers', () => {
    const plan = parser.parse({
      filters: { self: [{ attribute: 'id', operator: 'in', value: ['12', 'x'] }] },
    })
    const sql = toSql(plan, { ...COLUMNS, id: { sql: 'items.id', type: 'number' } })
    expect(sql.whereParameters).toEqual([12])
  })

  it('refuses to guess a column or a relation', () => {
    const plan = parser.parse({ sorts: [{ attribute: 'score', direction: 'asc' }] })
    expect(() => toSql(plan, { id: 'id' })).toThrow('no column for "score"')
    const related = parser.parse({
      filters: { notes: [{ attribute: 'text', operator: 'is_null' }] },
    })
    expect(() => toSql(related, COLUMNS)).toThrow('relationship "notes"')
  })
})

function idsOf({ data }: ResourceDocument): readonly string[] {
  return (data as readonly ResourceObject[]).map(({ id }) => id)
}

function follow(
  run: (plan: QueryPlan) => ResourceDocument,
  start: JsonObject & { readonly pagination: JsonObject },
  member: 'next_cursor' | 'prev_cursor',
  from?: string | null,
): { readonly pages: readonly (readonly string[])[]; readonly last: string | null } {
  const pages: (readonly string[])[] = []
  let cursor: string | null = from ?? null
  let last: string | null = null
  do {
    const pagination = { ...start.pagination, ...(cursor !== null && { cursor }) }
    const document = run(parser.parse({ ...start, pagination }))
    pages.push(idsOf(document))
    last = cursor
    const meta = document.meta?.['pagination'] as Record<string, string | null>
    cursor = meta[member] ?? null
    if (pages.length > 60) throw new Error('the chain does not end')
  } while (cursor !== null)
  return { pages, last }
}
