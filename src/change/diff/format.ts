import {
  type Change,
  type ChangeClass,
  CLASSES,
  type DiffReport,
  type VersionStep,
} from './model.ts'

/** Ways to print a report. */
export const DIFF_FORMATS = ['text', 'json', 'github', 'markdown'] as const
/** A way to print a report. */
export type DiffFormat = (typeof DIFF_FORMATS)[number]

/** How a report is printed. */
export interface FormatOptions {
  /** File that annotations point at. */
  readonly file?: string
  /** Makes a heading stand out. */
  readonly paint?: (text: string, kind: ChangeClass) => string
}

/** Prints a report. */
export function formatDiff(
  report: DiffReport,
  format: DiffFormat,
  options: FormatOptions = {},
): string {
  switch (format) {
    case 'json':
      return `${JSON.stringify(report, null, 2)}\n`
    case 'github':
      return formatGithub(report, options)
    case 'markdown':
      return formatMarkdown(report)
    case 'text':
      return formatText(report, options)
  }
}

const HEADINGS: Readonly<Record<ChangeClass, string>> = {
  breaking: 'Breaking for callers',
  implementer: 'Breaking for implementers',
  compatible: 'Compatible',
  docs: 'Documentation only',
}

const MAX_NAMES = 3

function formatText(report: DiffReport, { paint = (text) => text }: FormatOptions): string {
  if (report.changes.length === 0) return 'No differences.\n'
  const sections = CLASSES.flatMap((kind) => {
    const changes = report.changes.filter((change) => change.class === kind)
    if (changes.length === 0) return []
    const lines = changes.flatMap((change) => [
      `  ${describe(change)}`,
      `    ${change.reason} [${change.rule}] ${placeOf(change)}`,
    ])
    return [`${paint(`${HEADINGS[kind]} (${changes.length})`, kind)}\n${lines.join('\n')}\n`]
  })
  const steps = report.steps.filter((step) => !step.enough).map((step) => `  ${formatStep(step)}`)
  const versions = steps.length === 0 ? [] : [`Versions\n${steps.join('\n')}\n`]
  return [...sections, ...versions, `${summarize(report)}\n`].join('\n')
}

function describe(change: Change): string {
  const names = formatNames(change.functions)
  const isNamed = change.functions.some((name) => change.message.includes(name))
  return oneLine(names === '' || isNamed ? change.message : `${names}: ${change.message}`)
}

function formatNames(names: readonly string[]): string {
  if (names.length <= MAX_NAMES) return names.join(', ')
  return `${names.slice(0, MAX_NAMES).join(', ')} and ${names.length - MAX_NAMES} more`
}

function placeOf({ oldPointer, newPointer }: Change): string {
  if (oldPointer === newPointer || oldPointer === undefined) return newPointer ?? ''
  return newPointer === undefined ? `${oldPointer} (old)` : `${oldPointer} -> ${newPointer}`
}

/** Says what a version needs and what it got. */
export function formatStep({
  function: name,
  from,
  to,
  needs,
  declared,
  enough,
}: VersionStep): string {
  const what = name ?? 'the description'
  const path = from === to ? `${from ?? 'no version'}` : `${from ?? 'none'} -> ${to ?? 'none'}`
  return enough
    ? `${what} ${path}: ${needs} step, declared`
    : `${what} ${path}: needs a ${needs} step, ${declared === 'none' ? 'but its version did not change' : `got a ${declared} one`}`
}

function summarize({ counts }: DiffReport): string {
  return `${counts.breaking} breaking for callers, ${counts.implementer} for implementers, ${counts.compatible} compatible, ${counts.docs} documentation only`
}

const LEVELS: Readonly<Record<ChangeClass, string>> = {
  breaking: 'error',
  implementer: 'warning',
  compatible: 'notice',
  docs: 'notice',
}

/** Workflow commands of GitHub; text of documents must not be able to start another one. */
function formatGithub(report: DiffReport, { file }: FormatOptions): string {
  const place = file === undefined ? '' : `file=${escapeProperty(file)},`
  return report.changes
    .filter((change) => change.class !== 'docs')
    .map((change) => {
      const title = escapeProperty(`${HEADINGS[change.class]}: ${change.rule}`)
      const text = `${describe(change)} ${change.reason} (${placeOf(change)})`
      return `::${LEVELS[change.class]} ${place}title=${title}::${escapeMessage(text)}\n`
    })
    .join('')
}

function escapeMessage(text: string): string {
  return text.replaceAll('%', '%25').replaceAll('\r', '%0D').replaceAll('\n', '%0A')
}

function escapeProperty(text: string): string {
  return escapeMessage(text).replaceAll(':', '%3A').replaceAll(',', '%2C')
}

function formatMarkdown(report: DiffReport): string {
  if (report.changes.length === 0) return 'No differences.\n'
  const sections = CLASSES.flatMap((kind) => {
    const changes = report.changes.filter((change) => change.class === kind)
    if (changes.length === 0) return []
    const rows = changes.map(
      (change) =>
        `| ${cell(describe(change))} | ${cell(change.reason)} | \`${change.rule}\` | ${code(placeOf(change))} |`,
    )
    return [
      `### ${HEADINGS[kind]} (${changes.length})\n\n| change | why | rule | where |\n| --- | --- | --- | --- |\n${rows.join('\n')}\n`,
    ]
  })
  const steps = report.steps.map((step) => `- ${cell(formatStep(step))}`)
  const versions = steps.length === 0 ? [] : [`### Versions\n\n${steps.join('\n')}\n`]
  return [`**${summarize(report)}**\n`, ...sections, ...versions].join('\n')
}

/** Text of a document stays text in a table: no markup, no links, no new cells. */
function cell(text: string): string {
  return oneLine(text).replace(/[\\`*_{}[\]<>|#!]/g, '\\$&')
}

function code(text: string): string {
  return `\`${oneLine(text).replaceAll('`', "'").replaceAll('|', '\\|')}\``
}

function oneLine(text: string): string {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these would rewrite a terminal
  return text.replace(/[\u0000-\u001f\u007f-\u009f\u2028\u2029]+/g, ' ')
}
