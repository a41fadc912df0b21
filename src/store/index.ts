export { STORE_CASES } from './conformance.ts'
export { runConformanceTask } from './conformance-tasks.ts'
export type { ConformanceCase, ConformanceTask, ConformanceTools } from './conformance-types.ts'
export { newestFirst, storeKey, storePrefix } from './keys.ts'
export type { MachineClock } from './machine-clock.ts'
export { createMemoryStore, type MemoryStore, type MemoryStoreOptions } from './memory.ts'
export { type OpenStoreOptions, openStore } from './open.ts'
export { createPostgresStore, type PostgresStoreOptions } from './postgres.ts'
export type { PostgresPool, PostgresPoolClient } from './postgres-connection.ts'
export { createRedisStore, type RedisStoreOptions } from './redis.ts'
export type { RedisClient } from './redis-connection.ts'
export { createSqliteStore, type SqliteStoreOptions } from './sqlite.ts'
export type {
  CompareAndSetOptions,
  CompareAndSetResult,
  Count,
  Entry,
  IncrementOptions,
  ListOptions,
  OwnerDelete,
  Page,
  PutIfAbsentResult,
  PutOptions,
  Store,
  Written,
} from './store.ts'
export type { SweepOptions } from './sweep.ts'
