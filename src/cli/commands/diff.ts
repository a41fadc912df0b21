import {
  CLASSES,
  DIFF_FORMATS,
  type DiffReport,
  type DiffSource,
  diffDescriptions,
  formatDiff,
  listFunctionNames,
  loadExternals,
} from '../../change/diff/index.ts'
import { type CommandInput, EXIT, formatSuggestion, UsageError } from '../command.ts'
import { readChoiceFlag, readTextFlag } from '../flags.ts'
import { createExternalReader, pathToAddress } from '../forge/read-source.ts'
import { createPaint, printable } from '../print.ts'
import {
  type Description,
  isCommitted,
  loadDescription,
  openCommit,
} from '../source/description.ts'

/** From which class on a difference makes the command fail. */
const FAIL_ON: Readonly<Record<string, number>> = {
  none: 0,
  breaking: 1,
  implementer: 2,
  any: CLASSES.length,
}

/** Compares two descriptions and says whom the changes break. */
export async function runDiffCommand(input: CommandInput): Promise<number> {
  const [oldReference, newReference] = input.positionals
  if (oldReference === undefined || newReference === undefined) {
    throw new UsageError('give two descriptions: waymark diff old.json new.json')
  }
  const format =
    readChoiceFlag(input, 'format', DIFF_FORMATS) ?? (input.flags['json'] ? 'json' : 'text')
  const limit = FAIL_ON[readChoiceFlag(input, 'fail-on', Object.keys(FAIL_ON)) ?? 'breaking'] ?? 0
  const [old, now] = await Promise.all([
    loadDescription(oldReference, input),
    loadDescription(newReference, input),
  ])
  requireOneKind(old, now)
  const [from, to] = await Promise.all([readBeside(old, input), readBeside(now, input)])
  const report = compare(from, to, input)
  const paint = createPaint(input.io)
  input.io.out(
    formatDiff(report, format, {
      file: newReference,
      paint: (text, kind) => (kind === 'breaking' ? paint.bad(text) : paint.bold(text)),
    }),
  )
  const hasFailed = CLASSES.slice(0, limit).some((kind) => report.counts[kind] > 0)
  return hasFailed ? EXIT.found : EXIT.ok
}

function requireOneKind(old: Description, now: Description): void {
  if (old.kind === now.kind) return
  throw new UsageError(
    `${old.origin} is a ${NAMES[old.kind]} and ${now.origin} is a ${NAMES[now.kind]}; only two of a kind can be compared`,
  )
}

/** Reads what a description refers to in other documents, as far as it may. */
async function readBeside(description: Description, input: CommandInput): Promise<DiffSource> {
  const { io } = input
  const { origin, url } = description
  if (description.kind === 'tool-spec') return description
  const allowAll = input.flags['allow-external-refs'] === true
  const commit = isCommitted(origin) ? openCommit(origin, io) : undefined
  const place = commit === undefined ? url : pathToAddress(commit.path)
  if (place === undefined) return description
  const reader = createExternalReader(
    { url: place },
    { io, allowAll, ...(commit && { readPath: commit.readPath }) },
  )
  const externals = await loadExternals(description.document, place, reader)
  for (const { address, reason } of externals.failures) {
    io.err(`${printable(`${origin}: ${address} is not read: ${reason}`)}\n`)
  }
  return { ...description, externals }
}

function compare(from: DiffSource, to: DiffSource, input: CommandInput): DiffReport {
  const name = readTextFlag(input, 'function')
  if (name === undefined) return diffDescriptions(from, to)
  const names = [...new Set([...listFunctionNames(from), ...listFunctionNames(to)])]
  if (!names.includes(name)) {
    throw new UsageError(`neither side has a function "${name}".${formatSuggestion(name, names)}`)
  }
  return diffDescriptions(from, to, { function: name })
}

const NAMES: Readonly<Record<Description['kind'], string>> = {
  discovery: 'discovery document',
  openapi: 'OpenAPI document',
  'tool-spec': 'tool spec',
}
