import type { Command, CommandInput } from '../command.ts'
import { EXIT, UsageError } from '../exit.ts'
import { runAgent } from '../forge/forge-agent.ts'
import { chooseJob, FORGE_FLAGS, type ForgeJob, refuseStrayFlags } from '../forge/forge-flags.ts'
import { runSpec } from '../forge/forge-tool.ts'
import { runList } from '../forge/list.ts'
import { runPrompt } from '../forge/prompt.ts'
import { FoundProblems, readFormat, reportProblems } from '../forge/report.ts'
import { withSettings } from '../forge/settings.ts'
import { runValidate } from '../forge/validate.ts'
import { didYouMean } from '../suggest.ts'

const NOUNS: readonly string[] = ['tool', 'agent']

const JOBS: Readonly<Record<ForgeJob, (input: CommandInput) => Promise<number>>> = {
  spec: runSpec,
  list: runList,
  prompt: runPrompt,
  validate: runValidate,
  agent: runAgent,
}

/** Makes tool specs, TypeScript and agents of API descriptions and of words. */
export const forgeCommand: Command = {
  name: 'forge',
  summary: 'Turn API descriptions or a wish into tool specs, TypeScript and agents',
  usage: 'tool|agent [file…]',
  flags: FORGE_FLAGS,
  examples: [
    'waymark forge tool --list api.yaml',
    'waymark forge tool --spec api.yaml --pick createTicket,listTickets --out tools',
    'waymark forge tool --spec tools/zendesk.tool-spec.yaml --out src/generated',
    'waymark forge tool --validate tools/zendesk.tool-spec.yaml --format github',
    'waymark forge tool --prompt "tools for the weather of a city" --docs https://api.example/docs',
    'waymark forge agent --name ops-bot --tools zendesk.tool-spec.yaml,jira.yaml --standalone',
  ],
  async run(given) {
    const job = readJob(given)
    refuseStrayFlags(given, job)
    refuseStrayWords(given, job)
    const input = withSettings(given, job)
    readFormat(input)
    try {
      return await JOBS[job](input)
    } catch (thrown) {
      if (!(thrown instanceof FoundProblems)) throw thrown
      reportProblems(input, thrown.problems)
      return EXIT.input
    }
  },
}

function readJob(input: CommandInput): ForgeJob {
  const [noun] = input.positionals
  if (noun === 'agent') return 'agent'
  if (noun === 'tool') return chooseJob(input)
  if (noun === undefined) {
    throw new UsageError(
      'what should be forged? Write "waymark forge tool" or "waymark forge agent"',
    )
  }
  throw new UsageError(
    `forge knows tool and agent, not "${noun}".${didYouMean(noun, NOUNS)} Run "waymark forge --help".`,
  )
}

function refuseStrayWords({ positionals }: CommandInput, job: ForgeJob): void {
  const [, word] = positionals
  if (word === undefined || job === 'agent' || job === 'validate') return
  throw new UsageError(
    `"${word}" is one word too many; --${job} takes one value, in quotes if needed`,
  )
}
