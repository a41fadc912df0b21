import { type CommandInput, EXIT, formatSuggestion, UsageError } from '../command.ts'
import {
  chooseJob,
  type ForgeJob,
  isOwnCommand,
  OWN_COMMANDS,
  refuseStrayFlags,
} from '../forge/forge-flags.ts'
import { FoundProblems, readFormat, reportProblems } from '../forge/report.ts'
import { withSettings } from '../forge/settings.ts'

const NOUNS: readonly string[] = ['tool', 'agent', 'env', 'auth', 'call', 'mcp', 'doctor']

/** Jobs that are called like their noun. */
const PLAIN_JOBS = ['agent', 'env', 'call', 'mcp', 'doctor'] as const

/** Each loads its own code only: a call needs no generator, a generator no server. */
const JOBS: Readonly<Record<ForgeJob, (input: CommandInput) => Promise<number>>> = {
  spec: async (input) => (await import('../forge/forge-tool.ts')).runSpec(input),
  list: async (input) => (await import('../forge/list.ts')).runList(input),
  prompt: async (input) => (await import('../forge/prompt.ts')).runPrompt(input),
  validate: async (input) => (await import('../forge/validate.ts')).runValidate(input),
  agent: async (input) => (await import('../forge/forge-agent.ts')).runAgent(input),
  env: async (input) => (await import('../forge/env.ts')).runEnv(input),
  login: async (input) => (await import('../forge/login.ts')).runLogin(input),
  call: async (input) => (await import('../forge/call/call.ts')).runForgeCall(input),
  mcp: async (input) => (await import('../forge/mcp/run-mcp.ts')).runMcp(input),
  doctor: async (input) => (await import('../forge/doctor/doctor.ts')).runDoctor(input),
}

/** Makes tool specs, TypeScript and agents of API descriptions and of words. */
export async function runForgeCommand(given: CommandInput): Promise<number> {
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
    `forge knows ${NOUNS.slice(0, -1).join(', ')} and ${NOUNS.at(-1)}, not "${noun}".${formatSuggestion(noun, NOUNS)} Run "waymark forge --help".`,
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
  throw new UsageError(`"${stray}" is not expected here; ${takes}`)
}
