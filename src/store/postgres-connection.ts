import { notApplied } from './failure.ts'

/** A query with numbered parameters; a name makes the server prepare it once per connection. */
export interface PostgresQuery {
  readonly name?: string
  readonly text: string
  readonly values?: readonly (string | number | boolean | null)[]
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
  query(query: {
    name?: string
    text: string
    values?: unknown[]
    rowMode: 'array'
    query_timeout: number
  }): Promise<{ rows: unknown[][] }>
  release(reason?: Error | boolean): void
  on(event: 'error', listener: (reason: Error) => void): unknown
  off(event: 'error', listener: (reason: Error) => void): unknown
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
  // The pool replaces connections that break; without listeners the process would end. A connection
  // in use reports the same failure through its query.
  const ignore = (): void => {}
  pool.on('error', ignore)

  function release(client: PostgresPoolClient, broken: boolean): void {
    client.off('error', ignore)
    client.release(broken)
  }

  async function using<Result>(work: (client: PostgresClient) => Promise<Result>): Promise<Result> {
    const client = await acquire(pool, timeout)
    client.on('error', ignore)
    try {
      const result = await work({ query: (query) => runQuery(client, query, timeout) })
      release(client, false)
      return result
    } catch (thrown) {
      // A connection in an unknown state must not serve the next operation.
      release(client, true)
      throw isRefusal(thrown) ? notApplied('postgres', 'it refused the command', thrown) : thrown
    }
  }

  return {
    using,
    query: (query) => using((client) => client.query(query)),
    detach: () => void pool.off('error', ignore),
  }
}

async function runQuery(client: PostgresPoolClient, query: PostgresQuery, timeout: number) {
  const { text, values = [], name } = query
  return client.query({
    text,
    values: [...values],
    rowMode: 'array',
    query_timeout: timeout,
    ...(name !== undefined && { name }),
  })
}

/** A pool that was handed in may wait for ever; a connection that comes too late goes straight back. */
function acquire(pool: PostgresPool, timeout: number): Promise<PostgresPoolClient> {
  return new Promise((resolve, reject) => {
    let late = false
    const timer = setTimeout(() => {
      late = true
      reject(notApplied('postgres', `there is no free connection within ${timeout} ms`))
    }, timeout)
    pool.connect().then(
      (client) => {
        clearTimeout(timer)
        if (late) client.release()
        else resolve(client)
      },
      (reason) => {
        clearTimeout(timer)
        reject(notApplied('postgres', 'there is no connection', reason))
      },
    )
  })
}

/** Tells whether the server itself answered with an error about the statement: then it has done nothing. */
function isRefusal(thrown: unknown): boolean {
  if (!(thrown instanceof Error && 'severity' in thrown && 'code' in thrown)) return false
  // Classes 08 and 57 mean that the connection or the server was going away meanwhile.
  return typeof thrown.code === 'string' && !/^(08|57)/.test(thrown.code)
}
