import {
  type ChangeClass,
  CLASSES,
  DIFF_FORMATS,
  type DiffFormat,
  type DiffReport,
  type DiffSource,
  diffDescriptions,
  formatReport,
  listFunctionNames,
} from '../../diff/index.ts'
import type { Command, CommandInput } from '../command.ts'
import { EXIT, UsageError } from '../exit.ts'
import { JSON_FLAG, readChoice, readText } from '../flags.ts'
import { type Description, loadDescription } from '../load-description.ts'
import { createPaint } from '../print.ts'
import { HEADER_FLAG } from '../remote.ts'
import { didYouMean } from '../suggest.ts'

/** From which class on a difference makes the command fail. */
const FAIL_ON: Readonly<Record<string, number>> = {
  none: 0,
  breaking: 1,
  implementer: 2,
  any: CLASSES.length,
}

/** Compares two descriptions and says whom the changes break. */
export const diffCommand: Command = {
  name: 'diff',
  summary: 'Say what changed between two descriptions, and whom it breaks',
  usage: '<old> <new>',
  flags: {
    format: { type: 'string', value: DIFF_FORMATS.join('|'), summary: 'how changes are printed' },
    'fail-on': {
      type: 'string',
      value: Object.keys(FAIL_ON).join('|'),
      summary: 'exit 1 when there are such changes or worse; breaking when absent',
    },
    function: { type: 'string', value: 'name', summary: 'only this function' },
    header: HEADER_FLAG,
    json: { ...JSON_FLAG, summary: 'the same as --format json' },
  },
  examples: [
    'waymark diff released.json http://127.0.0.1:4000',
    'waymark diff git:main:openapi.yaml openapi.yaml --format github',
    'waymark diff old.tool-spec.yaml new.tool-spec.yaml --fail-on implementer',
  ],
  async run(input) {
    const [oldReference, newReference] = input.positionals
    if (oldReference === undefined || newReference === undefined) {
      throw new UsageError('give two descriptions: waymark diff old.json new.json')
    }
    const format = readFormat(input)
    const limit = readFailOn(input)
    const [old, now] = await Promise.all([
      loadDescription(oldReference, input),
      loadDescription(newReference, input),
    ])
    const report = compare(old, now, input)
    const paint = createPaint(input.io)
    input.io.out(
      formatReport(report, format, {
        file: newReference,
        paint: (text, kind) => (kind === 'breaking' ? paint.bad(text) : paint.bold(text)),
      }),
    )
    return hasFailed(report, limit) ? EXIT.found : EXIT.ok
  },
}

function compare(old: Description, now: Description, input: CommandInput): DiffReport {
  const [from, to]: readonly DiffSource[] = [old, now]
  if (from === undefined || to === undefined || from.kind !== to.kind) {
    throw new UsageError(
      `${old.origin} is a ${NAMES[old.kind]} and ${now.origin} is a ${NAMES[now.kind]}; only two of a kind can be compared`,
    )
  }
  const name = readText(input, 'function')
  if (name === undefined) return diffDescriptions(from, to)
  const names = [...new Set([...listFunctionNames(from), ...listFunctionNames(to)])]
  if (!names.includes(name)) {
    throw new UsageError(`neither side has a function "${name}".${didYouMean(name, names)}`)
  }
  return diffDescriptions(from, to, { function: name })
}

const NAMES: Readonly<Record<Description['kind'], string>> = {
  discovery: 'discovery document',
  openapi: 'OpenAPI document',
  'tool-spec': 'tool spec',
}

function hasFailed({ counts }: DiffReport, limit: number): boolean {
  return CLASSES.slice(0, limit).some((kind: ChangeClass) => counts[kind] > 0)
}

function readFormat(input: CommandInput): DiffFormat {
  return readChoice(input, 'format', DIFF_FORMATS) ?? (input.flags['json'] ? 'json' : 'text')
}

function readFailOn(input: CommandInput): number {
  return FAIL_ON[readChoice(input, 'fail-on', Object.keys(FAIL_ON)) ?? 'breaking'] ?? 0
}
