import { ENTRY_CASES } from './conformance-entries.ts'
import { LISTING_CASES } from './conformance-listing.ts'
import { SHARED_CASES } from './conformance-shared.ts'
import { TIME_CASES } from './conformance-time.ts'
import type { ConformanceCase } from './conformance-types.ts'

/** What every store must do: run each case on an open store. */
export const STORE_CASES: readonly ConformanceCase[] = [
  ...ENTRY_CASES,
  ...TIME_CASES,
  ...LISTING_CASES,
  ...SHARED_CASES,
]
