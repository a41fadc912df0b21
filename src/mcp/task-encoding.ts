import type { Era } from './protocol.ts'
import type { TaskRecord, TaskStatus } from './task-records.ts'

/** Writes the members of a task, without braces; before 2026-07-28 its outcome is asked for separately. */
export function encodeTask(record: TaskRecord, pollIntervalMs: number, era: Era): string {
  const { status, isError, ttlMs, inputRequests, result, error } = record
  if (era === 'legacy') {
    const failed = isError === true ? 'failed' : status
    return encodeHead(record, failed, { ttl: ttlMs, pollInterval: pollIntervalMs })
  }
  const head = encodeHead(record, status, { ttlMs, pollIntervalMs })
  if (status === 'input_required') return `${head},"inputRequests":${JSON.stringify(inputRequests)}`
  if (status === 'completed') return `${head},"result":${result}`
  return status === 'failed' ? `${head},"error":${error}` : head
}

function encodeHead(
  { id, statusMessage, createdAt, updatedAt }: TaskRecord,
  status: TaskStatus,
  times: Readonly<Record<string, number>>,
): string {
  return JSON.stringify({
    taskId: id,
    status,
    ...(statusMessage !== undefined && { statusMessage }),
    createdAt: new Date(createdAt).toISOString(),
    lastUpdatedAt: new Date(updatedAt).toISOString(),
    ...times,
  }).slice(1, -1)
}
