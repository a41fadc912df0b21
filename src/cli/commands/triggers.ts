import {
  asList,
  asRecord,
  defined,
  formatNear,
  isRecord,
  type JsonObject,
  nearest,
  toText,
} from '../../values/index.ts'
import { type CommandInput, EXIT, formatSuggestion, UsageError } from '../command.ts'
import { readNumber, readTextFlag } from '../flags.ts'
import { createPaint, formatJson } from '../print.ts'
import { createRemoteClient, toRemoteError } from '../remote.ts'
import { formatDeliveries, formatList, formatRuns } from '../triggers/format.ts'
import { readSourceRuns, type UpcomingRuns } from '../triggers/next-runs.ts'
import { exitOfTrial, formatTrial, readTrialOptions, runLocalTrial } from '../triggers/trial.ts'

/** Shows the triggers of a service, and sends deliveries again. */
export async function runTriggersCommand(input: CommandInput): Promise<number> {
  const [name = '', ...positionals] = input.positionals
  const action = ACTIONS.get(name)
  if (action === undefined) {
    const actions = [...ACTIONS.keys()]
    throw new UsageError(
      `which action? One of ${actions.join(', ')}: waymark triggers list <url>.${formatSuggestion(name, actions)}`,
    )
  }
  const { answer, text, code = EXIT.ok } = await action({ ...input, positionals })
  input.io.out(input.flags['json'] ? formatJson(answer) : text)
  return code
}

interface Shown {
  readonly answer: unknown
  readonly text: string
  /** How the program ends; well when absent. */
  readonly code?: number
}

const ACTIONS = new Map<string, (input: CommandInput) => Promise<Shown>>([
  ['list', showList],
  ['deliveries', showDeliveries],
  ['redeliver', redeliver],
  ['next', showNext],
  ['test', test],
])

async function showList(input: CommandInput): Promise<Shown> {
  const answer = await ask(input, 'list', {})
  return { answer, text: formatList(readItems(answer, 'triggers'), createPaint(input.io)) }
}

async function showDeliveries(input: CommandInput): Promise<Shown> {
  const answer = await ask(input, 'deliveries', {
    ...readFilter(input, 'trigger'),
    ...readFilter(input, 'state'),
    ...readFilter(input, 'cursor'),
    ...defined({ limit: readNumber(input, 'limit', { from: 1, to: 100 }) }),
  })
  const { cursor } = asRecord(answer)
  const more = typeof cursor === 'string' ? `\nMore: --cursor ${cursor}\n` : ''
  const items = readItems(answer, 'deliveries')
  return { answer, text: `${formatDeliveries(items, createPaint(input.io))}${more}` }
}

async function redeliver(input: CommandInput): Promise<Shown> {
  const [, id] = input.positionals
  const dead = input.flags['dead'] === true
  if ((id === undefined) !== dead) {
    throw new UsageError('which delivery? Give its id, or --dead for every dead letter')
  }
  const which = id === undefined ? readFilter(input, 'trigger') : { id }
  const answer = await ask(input, 'redeliver', which)
  const { redelivered, refused, more } = asRecord(answer)
  const count = asList(redelivered).length
  const kept = asList(refused).length > 0 ? ` ${asList(refused).length} refused.` : ''
  const rest = more === true ? ' There are more: run it again.' : ''
  return { answer, text: `${count} sent again.${kept}${rest}\n` }
}

async function showNext(input: CommandInput): Promise<Shown> {
  const [source = ''] = input.positionals
  const count = readNumber(input, 'count', { from: 1, to: 100 }) ?? 5
  const runs = isUrl(source)
    ? readRuns(await ask(input, 'list', { runs: count }))
    : await readSourceRuns(source, input.io, count)
  const wanted = readTextFlag(input, 'trigger')
  const shown = wanted === undefined ? runs : [requireSchedule(runs, wanted)]
  return { answer: { triggers: shown }, text: formatRuns(shown) }
}

async function test(input: CommandInput): Promise<Shown> {
  const [source, name] = input.positionals
  if (source === undefined || name === undefined) {
    throw new UsageError(
      'which trigger? Give a module, a tool spec or the URL of a service, and its name',
    )
  }
  const options = readTrialOptions(input)
  const { payload, dryRun } = options
  const answer = isUrl(source)
    ? await ask(input, 'test', {
        trigger: name,
        ...defined({ payload, dry_run: dryRun || undefined }),
      })
    : await runLocalTrial(source, name, { options, io: input.io })
  return { answer, text: formatTrial(answer, createPaint(input.io)), code: exitOfTrial(answer) }
}

function isUrl(source: string): boolean {
  return /^https?:/.test(source)
}

async function ask(input: CommandInput, name: string, args: JsonObject): Promise<unknown> {
  const { signal } = input.io
  const target = `urn:waymark:forrst:ext:triggers:fn:${name}`
  const outcome = await createRemoteClient(input).call(target, args, { signal })
  if (outcome.ok) return outcome.result
  if (outcome.errors[0]?.code === 'FUNCTION_NOT_FOUND') {
    throw new UsageError('the service has no triggers')
  }
  throw toRemoteError(outcome)
}

function readItems(answer: unknown, key: string): readonly Record<string, unknown>[] {
  return asList(asRecord(answer)[key]).filter(isRecord)
}

function readRuns(answer: unknown): readonly UpcomingRuns[] {
  return readItems(answer, 'triggers').flatMap(({ name, next }) =>
    Array.isArray(next) ? [{ name: toText(name), next: next.map(toText) }] : [],
  )
}

function requireSchedule(runs: readonly UpcomingRuns[], wanted: string): UpcomingRuns {
  const found = runs.find(({ name }) => name === wanted)
  if (found !== undefined) return found
  const names = runs.map(({ name }) => name)
  const near = formatNear(nearest(wanted, names, { count: 3 }))
  const rest = names.length === 0 ? '' : `; there is ${names.join(', ')}`
  throw new UsageError(`there is no schedule ${wanted}${near || rest}`)
}

function readFilter(input: CommandInput, flag: string): JsonObject {
  const value = readTextFlag(input, flag)
  return value === undefined ? {} : { [flag]: value }
}
