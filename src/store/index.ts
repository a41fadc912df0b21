export { refuseArgument, toCursor } from './backend.ts'
export { STORE_CASES } from './conformance/cases.ts'
export { runConformanceTask } from './conformance/time.ts'
export type { ConformanceCase, ConformanceTask, ConformanceTools } from './conformance/types.ts'
export { notApplied, type SweepOptions, toStoreError } from './front.ts'
export { createStoreGuard, isUnavailable, type OnStoreFailure, type StoreGuard } from './guard.ts'
export { toOwner, toSha256 } from './hash.ts'
export type { MachineClock } from './machine-clock.ts'
export { createMemoryStore, type MemoryStore, type MemoryStoreOptions } from './memory/memory.ts'
export { type OpenStoreOptions, openStore } from './open.ts'
export { loadOptional } from './optional-package.ts'
export type {
  PostgresPool,
  PostgresPoolClient,
  PostgresQuery,
  PostgresValue,
} from './postgres/connection.ts'
export { createPostgresStore, type PostgresStoreOptions } from './postgres/postgres.ts'
export type { RedisClient } from './redis/connection.ts'
export { createRedisStore, type RedisStoreOptions } from './redis/redis.ts'
export type { SqliteSync } from './sqlite/database.ts'
export { createSqliteStore, type SqliteStoreOptions } from './sqlite/sqlite.ts'
export {
  type CompareAndSetOptions,
  type CompareAndSetResult,
  type Count,
  type Entry,
  type IncrementOptions,
  type ListOptions,
  newestFirst,
  type OwnerDelete,
  type Page,
  type PutIfAbsentResult,
  type PutOptions,
  type Store,
  type StoreOrigin,
  storeKey,
  storePrefix,
  type Written,
} from './store.ts'
