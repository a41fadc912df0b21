import { describe, expect, it } from 'vitest'
import { COMMANDS } from '../../src/cli/commands.ts'
import { TARGETS } from '../../src/cli/forge/forge-flags.ts'
import { formatCommandHelp, formatHelp } from '../../src/cli/help.ts'
import { DEFINITION_TARGETS } from '../../src/codegen/index.ts'
import { OPERATION_STATUSES } from '../../src/extensions/async/index.ts'
import { runMain } from './run-main.ts'

const pages = COMMANDS.flatMap((command) => [
  { page: command.name, text: formatCommandHelp(command) },
  ...Object.keys(command.subcommands ?? {}).map((name) => ({
    page: `${command.name} ${name}`,
    text: formatCommandHelp(command, name.split(' ', 1)[0]),
  })),
])

describe('the help', () => {
  it.each([{ page: 'overview', text: formatHelp(COMMANDS) }, ...pages])(
    'of $page fits 80 columns and breaks no word',
    ({ text }) => {
      expect(
        text.split('\n').filter((line) => line.length > 80 || line !== line.trimEnd()),
      ).toEqual([])
    },
  )

  it('says every word of a summary that needs several lines', () => {
    for (const { name, flags, subcommands = {} } of COMMANDS) {
      const words = pages
        .filter(({ page }) => page.split(' ', 1)[0] === name)
        .map(({ text }) => text.replace(/\s+/g, ' '))
        .join(' ')
      for (const { summary } of Object.values(flags)) expect(words).toContain(summary)
      for (const { summary } of Object.values(subcommands)) expect(words).toContain(summary)
    }
  })

  it('of a subcommand shows its own flags, the common ones, and its own examples', async () => {
    const { out } = await runMain(['forge', 'doctor', '--help'])
    expect(out).toContain('Usage: waymark forge doctor [file…] [options]')
    expect([...out.matchAll(/^ {2}(--[\w-]+)/gm)].map(([, flag]) => flag)).toEqual([
      '--env-file',
      '--online',
      '--format',
      '--json',
    ])
    expect(out.match(/^ {2}waymark .*$/gm)).toEqual([
      '  waymark forge doctor tools/zendesk.tool-spec.yaml --online',
    ])
    expect((await runMain(['help', 'forge', 'auth'])).out).toContain('waymark forge auth login')
  })
})

describe('the grammar', () => {
  it('names subcommands that begin the usage, and flags of subcommands that exist', () => {
    for (const { usage, flags, subcommands } of COMMANDS) {
      if (subcommands === undefined) continue
      const names = Object.keys(subcommands)
      expect(usage.split(' ', 1)[0]?.split('|')).toEqual(names.map((name) => name.split(' ', 1)[0]))
      for (const { of = [] } of Object.values(flags))
        expect(names).toEqual(expect.arrayContaining([...of]))
    }
  })

  it.each([
    ['diff package.json package.json --format', 'diff', 'format'],
    ['diff package.json package.json --fail-on', 'diff', 'fail-on'],
    ['forge tool --spec package.json --target', 'forge', 'target'],
    ['mock package.json --prefer', 'mock', 'prefer'],
    ['check package.json --format', 'check', 'format'],
  ])('knows the choices of %s', async (line, name, flag) => {
    const choices = COMMANDS.find((command) => command.name === name)?.flags[flag]?.value
    const { code, err } = await runMain([...line.split(' '), 'nonsense'])
    expect(code).toBe(2)
    expect(err).toContain(`must be ${choices?.replaceAll('|', ', ')}; got "nonsense"`)
  })

  it('lists what the modules behind it know, which it does not load', () => {
    expect(TARGETS).toEqual(['ts', ...DEFINITION_TARGETS])
    const flags = COMMANDS.find(({ name }) => name === 'operations')?.flags
    const words = flags?.['status']?.summary.replace('only those that are ', '').split(/, | or /)
    expect(words).toEqual([...OPERATION_STATUSES])
  })

  it.each([
    ['operations show http://127.0.0.1:9 op_1 --limit 3', '--limit belongs to "operations list"'],
    ['triggers list http://127.0.0.1:9 --dead', '--dead belongs to "triggers redeliver"'],
    ['forge env a.yaml --pick x', '--pick belongs to "forge tool"'],
  ])('refuses %s: the flag is of another subcommand', async (line, message) => {
    const { code, err } = await runMain(line.split(' '))
    expect({ code, err }).toEqual({ code: 2, err: expect.stringContaining(message) })
  })
})
