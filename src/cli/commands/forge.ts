import { type Command, type CommandInput, didYouMean, EXIT, UsageError } from '../command.ts'
import { runCall } from '../forge/call/call.ts'
import { runDoctor } from '../forge/doctor/doctor.ts'
import { runEnv } from '../forge/env.ts'
import { runAgent } from '../forge/forge-agent.ts'
import {
  chooseJob,
  FORGE_FLAGS,
  type ForgeJob,
  isOwnCommand,
  OWN_COMMANDS,
  refuseStrayFlags,
} from '../forge/forge-flags.ts'
import { runSpec } from '../forge/forge-tool.ts'
import { runList } from '../forge/list.ts'
import { runLogin } from '../forge/login.ts'
import { runMcp } from '../forge/mcp/run-mcp.ts'
import { runPrompt } from '../forge/prompt.ts'
import { FoundProblems, readFormat, reportProblems } from '../forge/report.ts'
import { withSettings } from '../forge/settings.ts'
import { runValidate } from '../forge/validate.ts'

const NOUNS: readonly string[] = ['tool', 'agent', 'env', 'auth', 'call', 'mcp', 'doctor']

/** Jobs that are called like their noun. */
const PLAIN_JOBS = ['agent', 'env', 'call', 'mcp', 'doctor'] as const

const JOBS: Readonly<Record<ForgeJob, (input: CommandInput) => Promise<number>>> = {
  spec: runSpec,
  list: runList,
  prompt: runPrompt,
  validate: runValidate,
  agent: runAgent,
  env: runEnv,
  login: runLogin,
  call: runCall,
  mcp: runMcp,
  doctor: runDoctor,
}

/** Makes tool specs, TypeScript and agents of API descriptions and of words. */
export const forgeCommand: Command = {
  name: 'forge',
  summary: 'Turn API descriptions or a wish into tool specs, TypeScript and agents',
  usage: 'tool|agent|env|auth|call|mcp|doctor [file…]',
  flags: FORGE_FLAGS,
  examples: [
    'waymark forge tool --list api.yaml',
    'waymark forge tool --spec api.yaml --pick createTicket,listTickets --out tools',
    'waymark forge tool --spec tools/zendesk.tool-spec.yaml --out src/generated',
    'waymark forge tool --validate tools/zendesk.tool-spec.yaml --format github',
    'waymark forge tool --prompt "tools for the weather of a city" --docs https://api.example/docs',
    'waymark forge tool --spec api.yaml --target openai --stdout',
    'waymark forge env tools/zendesk.tool-spec.yaml > .env',
    'waymark forge auth login tools/zendesk.tool-spec.yaml --env-file .env',
    'waymark forge call tools/zendesk.tool-spec.yaml create_ticket subject=Printer --dry-run',
    'waymark forge agent --name ops-bot --tools zendesk.tool-spec.yaml,jira.yaml --standalone',
    'waymark forge doctor tools/zendesk.tool-spec.yaml --online',
    'waymark forge mcp --root tools --allow-write',
  ],
  async run(given) {
    const job = readJob(given)
    refuseStrayFlags(given, job)
    checkWords(given, job)
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

function readJob({ positionals, flags }: CommandInput): ForgeJob {
  const [noun, verb] = positionals
  const own = PLAIN_JOBS.find((job) => job === noun)
  if (own !== undefined) return own
  if (noun === 'tool') return chooseJob({ flags })
  if (noun === 'auth' && verb === 'login') return 'login'
  if (noun === 'auth') {
    throw new UsageError('forge auth knows login: waymark forge auth login zendesk.tool-spec.yaml')
  }
  if (noun === undefined) {
    throw new UsageError(
      'what should be forged? Write "waymark forge tool" or "waymark forge agent"',
    )
  }
  throw new UsageError(
    `forge knows ${NOUNS.slice(0, -1).join(', ')} and ${NOUNS.at(-1)}, not "${noun}".${didYouMean(noun, NOUNS)} Run "waymark forge --help".`,
  )
}

/** How many words may follow a job that is not here: none. */
const WORDS: Partial<Record<ForgeJob, { readonly least: number; readonly most: number }>> = {
  agent: { least: 0, most: Number.POSITIVE_INFINITY },
  validate: { least: 0, most: Number.POSITIVE_INFINITY },
  env: { least: 1, most: Number.POSITIVE_INFINITY },
  login: { least: 1, most: 1 },
  call: { least: 1, most: Number.POSITIVE_INFINITY },
  doctor: { least: 0, most: Number.POSITIVE_INFINITY },
}

function checkWords({ positionals }: CommandInput, job: ForgeJob): void {
  const words = positionals.slice(job === 'login' ? 2 : 1)
  const { least, most } = WORDS[job] ?? { least: 0, most: 0 }
  if (isOwnCommand(job) && words.length < least) {
    const command = `waymark forge ${OWN_COMMANDS[job]}`
    throw new UsageError(`which spec? Name a file: ${command} zendesk.tool-spec.yaml`)
  }
  const stray = words[most]
  if (stray === undefined) return
  const takes = isOwnCommand(job)
    ? `"forge ${OWN_COMMANDS[job]}" takes ${most === 0 ? 'no words' : 'one file'}`
    : `--${job} takes one value, in quotes if needed`
  throw new UsageError(`"${stray}" is one word too many; ${takes}`)
}
