import Database from 'libsql'
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { findPostgres } from '../../../test/faults/store-servers.ts'
import { fc } from '../../../test/support/property.ts'
import type { QueryCapabilities } from '../../core/description.ts'
import {
  createQueryParser,
  type QueryPlan,
  type ResourceDocument,
  type ResourceObject,
  runQuery,
  type SqlColumns,
  type SqlDialect,
  type SqlRelation,
  toDocument,
  toResource,
  toSql,
} from '../../entries/query.ts'
import type { JsonObject } from '../../values/json.ts'

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

/** A database that plans are run on. */
interface TestDatabase {
  readonly name: string
  readonly dialect: SqlDialect
  readonly run: (text: string, parameters: readonly unknown[]) => Promise<readonly Row[]>
}

type Row = Record<string, unknown> & { readonly id: string }

/** Texts compare by code point only where the database or the column says so. */
const TYPES = {
  sqlite: { text: 'text', number: 'real' },
  postgres: { text: 'text collate "C"', number: 'float8' },
}

async function createTables({ dialect, run }: TestDatabase): Promise<void> {
  const { text: words, number: digits } = TYPES[dialect]
  await run(
    `create temp table items (id ${words} primary key, name ${words}, score ${digits}, active boolean, created_at ${words})`,
    [],
  )
  await run(
    `create temp table notes (id ${words} primary key, item_id ${words}, text ${words}, stars ${digits})`,
    [],
  )
}

function insert({ dialect, run }: TestDatabase, table: string, values: readonly unknown[]) {
  const places = values.map((_, index) => (dialect === 'sqlite' ? '?' : `$${index + 1}`))
  return run(`insert into ${table} values (${places.join(', ')})`, values)
}

function openSqlite(): TestDatabase {
  const database = new Database(':memory:')
  return {
    name: 'sqlite',
    dialect: 'sqlite',
    async run(text, parameters) {
      const statement = database.prepare(text)
      if (statement.reader) return statement.all(parameters as unknown[]) as Row[]
      statement.run(parameters as unknown[])
      return []
    },
  }
}

async function openPostgres(): Promise<TestDatabase | undefined> {
  if (server === undefined) return undefined
  const client = new Client({ connectionString: server.url })
  await client.connect()
  closing.push(() => client.end())
  return {
    name: 'postgres',
    dialect: 'postgres',
    run: async (text, parameters) => (await client.query<Row>(text, parameters as unknown[])).rows,
  }
}

const closing: (() => Promise<void>)[] = []
const server = await findPostgres()
afterAll(async () => {
  for (const close of closing) await close()
  await server?.stop()
})

/** Gives both ways to run a plan over the same data. */
async function setUp(database: TestDatabase, data: readonly Item[]) {
  await database.run('delete from items', [])
  await database.run('delete from notes', [])
  const isSqlite = database.dialect === 'sqlite'
  for (const { id, name, score, active, created_at, notes } of data) {
    const flag = isSqlite && active !== null ? Number(active) : active
    await insert(database, 'items', [id, name, score, flag, created_at])
    for (const [index, { text: words, stars }] of notes.entries()) {
      await insert(database, 'notes', [`${id}-${index}`, id, words, stars])
    }
  }
  const notesOf = new Map(data.map((item) => [item.id, toNotes(item)]))
  const resources = data.map((item) => toItem(item, notesOf.get(item.id) ?? []))
  const related = [...notesOf.values()].flat()
  return {
    overArray: async (plan: QueryPlan) => runQuery(plan, resources, { related }),
    async overSql(plan: QueryPlan): Promise<ResourceDocument> {
      const { dialect } = database
      const sql = toSql(plan, COLUMNS, { dialect, related: { notes: NOTES } })
      const rows = await database.run(`select * from items ${sql.text}`, sql.parameters)
      const count = `select count(*) as total, '' as id from items where ${sql.where}`
      const [counted] = await database.run(count, sql.whereParameters)
      const found = rows.map((row) => {
        const active = row['active'] === null ? null : Boolean(row['active'])
        return toItem({ ...row, active } as never, notesOf.get(row.id) ?? [])
      })
      return toDocument(plan, found, { related, total: Number(counted?.['total']) })
    },
  }
}

const DATABASES = [openSqlite(), (await openPostgres()) ?? { name: 'postgres', missing: true }]

describe.each(DATABASES)('a query written for $name', (database) => {
  if ('missing' in database) {
    it.skip('needs a PostgreSQL server')
    return
  }
  beforeAll(() => createTables(database))

  it('[F-239][F-241][F-242][F-243] gives what the same query gives over a list, for any data and any options', async () => {
    await fc.assert(
      fc.asyncProperty(items, options, async (data, wanted) => {
        const { overArray, overSql } = await setUp(database, data)
        const plan = parser.parse(wanted as unknown as JsonObject)
        expect(await overSql(plan)).toEqual(await overArray(plan))
      }),
      { numRuns: 300 },
    )
  })

  it('[F-241] matches patterns as a list does', async () => {
    const names = ['', 'a', 'A', 'ab', 'ba', 'a_b', 'a%b', 'a*b', 'a?b', '[a]', ']', 'a\\b', 'aéb']
    const { overArray, overSql } = await setUp(
      database,
      names.map((name, index) => ({ ...EMPTY, id: `i${index}`, name })),
    )
    const signs = ['a', 'A', 'b', '%', '_', '*', '?', '[', ']', '\\']
    const pairs = signs.flatMap((first) => signs.map((second) => `${first}${second}`))
    for (const value of ['', ...signs, ...pairs, 'a%b', '%a%', '%[%', '[a]', '[a-z]', 'a__b']) {
      for (const operator of ['like', 'not_like']) {
        const plan = parser.parse({ filters: { self: [{ attribute: 'name', operator, value }] } })
        expect(idsOf(await overSql(plan)), value).toEqual(idsOf(await overArray(plan)))
      }
    }
  })

  it('[F-249] visits every resource once by cursors, forwards and back, whatever the order', async () => {
    await fc.assert(
      fc.asyncProperty(items, filters, sorts, limit, async (data, conditions, order, size) => {
        const { overArray, overSql } = await setUp(database, data)
        const start = { filters: conditions, sorts: order } as unknown as JsonObject
        const wanted = idsOf(await overArray(parser.parse({ ...start, pagination: { limit: 50 } })))
        for (const run of [overArray, overSql]) {
          const forwards = await follow(run, start, { limit: size, member: 'next_cursor' })
          expect(forwards.pages.flat()).toEqual(wanted)
          const from = forwards.last
          const back = await follow(run, start, { limit: size, member: 'prev_cursor', from })
          expect(back.pages.toReversed().flat()).toEqual(wanted)
        }
      }),
      { numRuns: 100 },
    )
  })
})

const EMPTY: Omit<Item, 'id' | 'name'> = {
  score: null,
  active: null,
  created_at: '2024-01-01T00:00:00Z',
  notes: [],
}

describe('a query written as SQL', () => {
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

async function follow(
  run: (plan: QueryPlan) => Promise<ResourceDocument>,
  start: JsonObject,
  {
    limit: size,
    member,
    from = null,
  }: { limit: number; member: 'next_cursor' | 'prev_cursor'; from?: string | null },
): Promise<{ readonly pages: readonly (readonly string[])[]; readonly last: string | null }> {
  const pages: (readonly string[])[] = []
  let cursor = from
  let last: string | null = null
  do {
    const document = await run(parser.parse({ ...start, pagination: { limit: size, cursor } }))
    pages.push(idsOf(document))
    last = cursor
    const meta = document.meta?.['pagination'] as Record<string, string | null>
    cursor = meta[member] ?? null
    if (pages.length > 60) throw new Error('the chain does not end')
  } while (cursor !== null)
  return { pages, last }
}
