import manifest from '../../package.json' with { type: 'json' }
import type { Command } from './command.ts'
import { formatTable } from './print.ts'

/** The version of this package. */
export const VERSION: string = manifest.version

/** The oldest Node that runs it, as `>=20.19`. */
export const NODE_VERSION: string = manifest.engines.node

/** Writes the overview of all commands. */
export function formatHelp(commands: readonly Command[]): string {
  return [
    'waymark: say what a service can do, and call it.\n',
    'Usage: waymark <command> [options]\n',
    'Commands:',
    formatTable(commands.map(({ name, summary }) => [name, summary])),
    'Options of nearly every command:',
    formatTable([
      ['--json', 'write JSON for machines'],
      ['--help', 'explain the command, with examples'],
    ]),
    'Exit codes: 0 done, 1 found (diff, verify, --check), 2 your input, 3 the remote side; else 1, a bug.\n',
    'More about one: waymark help <command>\n',
  ].join('\n')
}

/** Writes the help of one command. */
export function formatCommandHelp(command: Command): string {
  const flags = Object.entries(command.flags).map(([name, { short, type, value, summary }]) => [
    `${short ? `-${short}, ` : ''}--${name}${type === 'string' ? ` <${value ?? 'value'}>` : ''}`,
    summary,
  ])
  return [
    `${command.summary}.\n`,
    `Usage: waymark ${command.name} ${command.usage}${flags.length === 0 ? '' : ' [options]'}\n`,
    ...(flags.length === 0 ? [] : ['Options:', formatTable(flags)]),
    'Examples:',
    command.examples.map((example) => `  ${example}\n`).join(''),
  ].join('\n')
}
