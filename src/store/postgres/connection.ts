import { createDeadlines } from '../deadlines.ts'
import { notApplied } from '../front.ts'

/** A value of a parameter. */
export type PostgresValue = string | number | boolean | null

/** A query with numbered parameters; a name makes the server prepare it once per connection. */
export interface PostgresQuery {
  readonly name?: string
  readonly text: string
  readonly values?: PostgresValue[]
}

/** Answers of a query, each row as an array. */
export interface PostgresRows {
  readonly rows: readonly (readonly unknown[])[]
}

/** One connection. */
export interface PostgresClient {
  query(query: PostgresQuery): Promise<PostgresRows>
}

/** The members of a connection of a pg pool that are called here. */
export interface PostgresPoolClient {
  query(query: PostgresQuery & { rowMode: 'array' }): Promise<{ rows: unknown[][] }>
  release(reason?: Error | boolean): void
  on(event: 'error', listener: (reason: Error) => void): unknown
}

/** The members of a pg `Pool` that are called here. */
export interface PostgresPool {
  connect(): Promise<PostgresPoolClient>
  on(event: 'error', listener: (reason: Error) => void): unknown
  off(event: 'error', listener: (reason: Error) => void): unknown
}

/** Runs queries on a pool, and fails within a bounded time while the server is away. */
export interface PostgresConnection extends PostgresClient {
  /** Runs several queries on one connection. */
  using<Result>(work: (client: PostgresClient) => Promise<Result>): Promise<Result>
  detach(): void
}

/** Watches a pool. */
export function createPostgresConnection(pool: PostgresPool, timeout: number): PostgresConnection {
  const deadlines = createDeadlines({ timeout, onLate: () => {} })
  // The pool replaces connections that break; without listeners the process would end. A connection
  // in use reports the same failure through its query.
  const ignore = (): void => {}
  pool.on('error', ignore)
  // Once per connection, not per query.
  const heard = new WeakSet<PostgresPoolClient>()

  async function acquire(): Promise<PostgresPoolClient> {
    const arriving = pool.connect()
    try {
      const client = await deadlines.bind(arriving)
      if (!heard.has(client)) {
        heard.add(client)
        client.on('error', ignore)
      }
      return client
    } catch (thrown) {
      // A connection that comes too late goes straight back.
      arriving.then((client) => client.release(), ignore)
      throw notApplied('postgres', 'there is no connection', thrown)
    }
  }

  async function using<Result>(work: (client: PostgresClient) => Promise<Result>): Promise<Result> {
    const client = await acquire()
    try {
      const result = await work({
        query: (query) => deadlines.bind(client.query({ ...query, rowMode: 'array' })),
      })
      client.release(false)
      return result
    } catch (thrown) {
      // A connection in an unknown state must not serve the next operation.
      client.release(true)
      throw toFailure(thrown)
    }
  }

  /** Hands the connection on as soon as its answer is here; the caller may be behind many others in this turn. */
  async function query(query: PostgresQuery): Promise<PostgresRows> {
    const client = await acquire()
    let held = true
    const release = (broken: boolean): void => {
      if (held) client.release(broken)
      held = false
    }
    try {
      const answering = client.query({ ...query, rowMode: 'array' }).then((answer) => {
        release(false)
        return answer
      })
      return await deadlines.bind(answering)
    } catch (thrown) {
      release(true)
      throw toFailure(thrown)
    }
  }

  return {
    using,
    query,
    detach: () => void pool.off('error', ignore),
  }
}

function toFailure(thrown: unknown): unknown {
  return isRefusal(thrown) ? notApplied('postgres', 'it refused the command', thrown) : thrown
}

/** Tells whether the server itself answered with an error about the statement: then it has done nothing. */
function isRefusal(thrown: unknown): boolean {
  if (!(thrown instanceof Error && 'severity' in thrown && 'code' in thrown)) return false
  // Classes 08 and 57 mean that the connection or the server was going away meanwhile.
  return typeof thrown.code === 'string' && !/^(08|57)/.test(thrown.code)
}
