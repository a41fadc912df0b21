import { FAILURE_CASES } from './failures.ts'
import { PROCESS_CASES } from './processes.ts'
import { RUN_CASES } from './runs.ts'
import type { JobCase } from './types.ts'

/** What every job queue must do: run each case on an open queue. */
export const JOB_CASES: readonly JobCase[] = [...RUN_CASES, ...FAILURE_CASES, ...PROCESS_CASES]
