import { FAILURE_CASES } from './conformance-failures.ts'
import { PROCESS_CASES } from './conformance-processes.ts'
import { RUN_CASES } from './conformance-runs.ts'
import type { JobCase } from './conformance-types.ts'

/** What every job queue must do: run each case on an open queue. */
export const JOB_CASES: readonly JobCase[] = [...RUN_CASES, ...FAILURE_CASES, ...PROCESS_CASES]
