import manifest from '../../package.json' with { type: 'json' }
import type { Command, CommandFlag } from './command.ts'

/** The version of this package. */
export const VERSION: string = manifest.version

/** The oldest Node that runs it, as `>=20.19`. */
export const NODE_VERSION: string = manifest.engines.node

const WIDTH = 80
/** A longer term stands on a line of its own. */
const LONGEST_TERM = 27

/** Writes the overview of all commands. */
export function formatHelp(commands: readonly Command[]): string {
  return [
    'waymark: say what a service can do, and call it.\n',
    'Usage: waymark <command> [options]\n',
    'Commands:',
    formatTerms(commands.map(({ name, summary }) => [name, summary])),
    'Options of nearly every command:',
    formatTerms([
      ['--json', 'write JSON for machines'],
      ['--help', 'explain the command, with examples'],
    ]),
    wrap(
      'Exit codes: 0 done, 1 found (diff, verify, doctor, --check), 2 your input, 3 the remote side; else 1, a bug.\n',
    ),
    'More about one: waymark help <command>\n',
  ].join('\n')
}

/** Writes the help of a command, or of the subcommand that a word begins. */
export function formatCommandHelp(command: Command, word?: string): string {
  const name = findSubcommand(command, word)
  const subcommands = Object.entries(command.subcommands ?? {})
  const { summary, usage } = command.subcommands?.[name ?? ''] ?? command
  const call = `waymark ${command.name}${name === undefined ? '' : ` ${name}`}`
  const flags = Object.entries(command.flags).filter(([, flag]) => isFlagOf(flag, name))
  const examples = command.examples.filter((example) => example.includes(call))
  const sections: readonly (readonly [string, string])[] = [
    ['Subcommands:', name === undefined ? formatTerms(subcommands.map(toTerm)) : ''],
    [
      'Options:',
      formatTerms(flags.map(([flag, about]) => [formatFlag(flag, about), about.summary])),
    ],
    ['Examples:', examples.map((example) => `  ${example}\n`).join('')],
  ]
  return [
    wrap(`${summary}.\n`),
    wrap(`Usage: ${call} ${usage}${flags.length === 0 ? '' : ' [options]'}`, '  ').concat('\n'),
    ...sections.flatMap(([title, text]) => (text === '' ? [] : [title, text])),
    ...(name === undefined && subcommands.length > 0
      ? [`Options of a subcommand: ${call} <subcommand> --help\n`]
      : []),
  ].join('\n')
}

/** Finds the subcommand that begins with a word. */
export function findSubcommand({ subcommands = {} }: Command, word?: string): string | undefined {
  return Object.keys(subcommands).find((name) => name.split(' ', 1)[0] === word)
}

/** Tells whether a flag means something for a subcommand; without one, whether it does for all of them. */
export function isFlagOf({ of }: CommandFlag, subcommand: string | undefined): boolean {
  return of === undefined || (subcommand !== undefined && of.includes(subcommand))
}

function toTerm([name, { summary }]: readonly [string, { readonly summary: string }]): Term {
  return [name, summary]
}

function formatFlag(name: string, { short, type, value }: CommandFlag): string {
  return `${short ? `-${short}, ` : ''}--${name}${type === 'string' ? ` <${value ?? 'value'}>` : ''}`
}

type Term = readonly [term: string, explanation: string]

/** Writes terms beside what they mean. */
function formatTerms(terms: readonly Term[]): string {
  const width = Math.min(LONGEST_TERM, Math.max(0, ...terms.map(([term]) => term.length)))
  const margin = ' '.repeat(width + 4)
  return terms
    .map(([term, explanation]) => {
      const text = wrap(`${margin}${explanation}`, margin)
      return term.length > width
        ? `  ${term}\n${text}\n`
        : `  ${term}${text.slice(term.length + 2)}\n`
    })
    .join('')
}

/** Breaks a text between words so that it fits the page; `margin` begins each further line. */
function wrap(text: string, margin = ''): string {
  const lines: string[] = []
  for (const word of text.split(/(?<=\S) /)) {
    const line = lines.at(-1)
    if (line === undefined) lines.push(word)
    else if (line.length + 1 + word.trimEnd().length <= WIDTH)
      lines.splice(-1, 1, `${line} ${word}`)
    else lines.push(`${margin}${word}`)
  }
  return lines.join('\n')
}
