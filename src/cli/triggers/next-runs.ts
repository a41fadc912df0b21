import { formatProblems, parseToolSpec, type TriggerDef } from '../../sources/tool-spec/index.ts'
import { createEventBus, listRuns } from '../../triggers/index.ts'
import { type Io, UsageError } from '../command.ts'
import { readTextFile } from '../read-json.ts'
import { loadSources } from '../source/source.ts'

/** The next runs of one schedule. */
export interface UpcomingRuns {
  readonly name: string
  readonly next: readonly string[]
}

/** Computes the next runs of the schedules in a tool spec or a module. */
export async function readSourceRuns(
  reference: string,
  io: Io,
  count: number,
): Promise<readonly UpcomingRuns[]> {
  if (reference === '') {
    throw new UsageError('whose runs? Give a tool spec, a module or the URL of a service')
  }
  const triggers = /\.(?:ya?ml|json)$/i.test(reference)
    ? readSpecTriggers(reference, io)
    : await readModuleTriggers(reference, io)
  return triggers.flatMap((trigger) =>
    trigger.type === 'schedule'
      ? [{ name: trigger.name, next: listNext(trigger, count).map(toTime) }]
      : [],
  )
}

function readSpecTriggers(reference: string, io: Io): readonly TriggerDef[] {
  const parsed = parseToolSpec(readTextFile(reference, io.cwd), { file: reference })
  if (!parsed.ok) throw new UsageError(formatProblems(parsed.problems, 'text'))
  return parsed.spec.triggers ?? []
}

async function readModuleTriggers(reference: string, io: Io): Promise<readonly TriggerDef[]> {
  const events = createEventBus()
  const { triggers, service, close } = await loadSources([reference], io, { events })
  await service.close()
  await close()
  await events.close()
  return triggers
}

function listNext(trigger: TriggerDef & { readonly type: 'schedule' }, count: number) {
  try {
    return listRuns(trigger, Date.now(), count)
  } catch (thrown) {
    if (thrown instanceof TypeError) throw new UsageError(thrown.message)
    throw thrown
  }
}

function toTime(milliseconds: number): string {
  return new Date(milliseconds).toISOString()
}
