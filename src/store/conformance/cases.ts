import { ENTRY_CASES } from './entries.ts'
import { LISTING_CASES } from './listing.ts'
import { SHARED_CASES } from './shared.ts'
import { TIME_CASES } from './time.ts'
import type { ConformanceCase } from './types.ts'

/** What every store must do: run each case on an open store. */
export const STORE_CASES: readonly ConformanceCase[] = [
  ...ENTRY_CASES,
  ...TIME_CASES,
  ...LISTING_CASES,
  ...SHARED_CASES,
]
