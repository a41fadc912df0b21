import { formatProblems, parseToolSpec } from '../../spec/index.ts'
import { listRuns } from '../../triggers/index.ts'
import type { Io } from '../command.ts'
import { UsageError } from '../exit.ts'
import { readTextFile } from '../read-json.ts'

/** The next runs of one schedule. */
export interface ScheduleRuns {
  readonly name: string
  readonly next: readonly string[]
}

/** Computes the next runs of the schedules in a tool spec. */
export function readSpecRuns(reference: string, io: Io, count: number): readonly ScheduleRuns[] {
  if (reference === '') throw new UsageError('whose runs? Give a tool spec or the URL of a service')
  const parsed = parseToolSpec(readTextFile(reference, io.cwd), { file: reference })
  if (!parsed.ok) throw new UsageError(formatProblems(parsed.problems, 'text'))
  return (parsed.spec.triggers ?? []).flatMap((trigger) =>
    trigger.type === 'schedule'
      ? [{ name: trigger.name, next: listRuns(trigger, Date.now(), count).map(toTime) }]
      : [],
  )
}

function toTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}
