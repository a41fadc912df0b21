import { CallError } from '../../errors/index.ts'
import {
  createEventBus,
  createTriggers,
  type EventBus,
  encodeTrial,
  type TrialOptions,
  type Triggers,
} from '../../triggers/index.ts'
import { fromJson, isRecord, type Json, type JsonObject } from '../../values/index.ts'
import { type CommandInput, EXIT, type Io, UsageError } from '../command.ts'
import { readTextFlag } from '../flags.ts'
import { formatJson, type Paint, printable, printableCell as text } from '../print.ts'
import { readTextFile } from '../read-json.ts'
import { type LoadedSource, loadSources } from '../source/source.ts'

/** Reads what a trigger is tried with: --payload as JSON, `@file` or `-`, and --dry-run. */
export function readTrialOptions(input: CommandInput): TrialOptions {
  const payload = readPayload(input)
  return {
    dryRun: input.flags['dry-run'] === true,
    ...(payload !== undefined && { payload }),
  }
}

function readPayload(input: CommandInput): Json | undefined {
  const given = readTextFlag(input, 'payload')
  if (given === undefined) return undefined
  const file = given === '-' ? given : /^@(.+)$/s.exec(given)?.[1]
  const text = file === undefined ? given : readTextFile(file, input.io.cwd)
  try {
    return fromJson(text)
  } catch (thrown) {
    throw new UsageError(
      `--payload must be JSON, @file or -; a text needs quotes of its own: '"text"'. ${(thrown as Error).message}`,
    )
  }
}

/** Tries a trigger of a source in this process: nothing listens, nothing is kept. */
export async function runLocalTrial(
  source: string,
  name: string,
  { options, io }: { readonly options: TrialOptions; readonly io: Io },
): Promise<JsonObject> {
  const events = createEventBus()
  const loaded = await loadSources([source], io, { events })
  const { service, notes } = loaded
  for (const note of notes) io.err(`${note}\n`)
  try {
    const triggers = createOf(source, loaded, { events, io })
    const trial = await triggers.test(name, options).catch(toThrownUsage)
    await triggers.stop(0)
    return encodeTrial(trial)
  } finally {
    await service.close()
    await loaded.close()
    await events.close()
  }
}

function createOf(
  source: string,
  { service, triggers }: LoadedSource,
  { events, io: { env, cwd } }: { readonly events: EventBus; readonly io: Io },
): Triggers {
  if (triggers.length === 0) throw new UsageError(`${source} has no triggers`)
  try {
    return createTriggers({ service, triggers, bus: events, env, cwd })
  } catch (thrown) {
    if (thrown instanceof TypeError) throw new UsageError(thrown.message)
    throw thrown
  }
}

function toThrownUsage(thrown: unknown): never {
  throw thrown instanceof CallError ? new UsageError(thrown.message) : thrown
}

/** Tells how a script is to take a trial: arguments that do not fit are its own, a failure is the other side's. */
export function exitOfTrial(trial: unknown): number {
  const { fits, outcome } = isRecord(trial) ? trial : {}
  if (fits !== true) return EXIT.input
  return isRecord(outcome) && outcome['ok'] !== true ? EXIT.remote : EXIT.ok
}

/** Writes a trial: the arguments, whether they fit, and what came of the call. */
export function formatTrial(answer: unknown, paint: Paint): string {
  const trial = isRecord(answer) ? answer : {}
  const { trigger, type, tool, version, arguments: args, prompt, outcome } = trial
  const head = `${paint.bold(text(trigger))} (${text(type)})`
  // Only a trigger without a function has no version.
  if (version === undefined) {
    return [`${head} runs its own code\n`, ...formatOutcome(outcome, true, paint)].join('')
  }
  return [
    `${head} calls ${text(tool)} ${text(version)} with\n`,
    args === undefined ? '' : printable(formatJson(args)),
    prompt === undefined ? '' : `\nand the prompt\n${text(prompt)}\n`,
    trial['fits'] === true
      ? `\n${paint.good('The arguments fit the function.')}\n`
      : `\n${paint.bad('The arguments do not fit the function:')}\n${formatErrors(trial['problems'])}`,
    ...formatOutcome(outcome, trial['fits'] === true, paint),
  ].join('')
}

function formatOutcome(outcome: unknown, fits: boolean, paint: Paint): readonly string[] {
  if (!isRecord(outcome)) return fits ? ['Nothing was called.\n'] : []
  if (outcome['ok'] !== true) {
    return [`\n${paint.bad('The run failed:')}\n`, formatErrors(outcome['errors'])]
  }
  return [`\n${paint.good('The run gave')}\n`, printable(formatJson(outcome['result']))]
}

function formatErrors(errors: unknown): string {
  return (Array.isArray(errors) ? errors : [])
    .map((error: unknown) => (isRecord(error) ? error : {}))
    .map(({ code, message }) => `  ${text(code)}: ${text(message)}\n`)
    .join('')
}
