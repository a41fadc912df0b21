import type { DefinitionTarget } from '../../codegen/index.ts'
import { type CommandFlag, type CommandInput, UsageError } from '../command.ts'
import { JSON_FLAG, listFlag, readListFlag, readTextFlag, textFlag, toggleFlag } from '../flags.ts'

/** What a run of forge is about: one of the four sources of `forge tool`, or a command of its own. */
export type ForgeJob = ToolJob | keyof typeof OWN_COMMANDS

type ToolJob = 'spec' | 'list' | 'prompt' | 'validate'

/** Jobs that have a subcommand of their own, as a person types them. */
export const OWN_COMMANDS = {
  agent: 'agent',
  env: 'env',
  login: 'auth login',
  call: 'call',
  mcp: 'mcp',
  doctor: 'doctor',
} as const

/** What can be generated from a spec. */
export const TARGETS: readonly ('ts' | DefinitionTarget)[] = [
  'ts',
  'mcp',
  'json-schema',
  'openai',
  'anthropic',
]

interface ForgeFlag extends CommandFlag {
  readonly jobs: readonly ForgeJob[]
}

const READING: readonly ForgeJob[] = ['spec', 'list']
const WRITING: readonly ForgeJob[] = ['spec', 'prompt']
const EVERY_JOB: readonly ForgeJob[] = [
  ...(['spec', 'list', 'prompt', 'validate'] as const),
  ...(['agent', 'env', 'login', 'call', 'mcp', 'doctor'] as const),
]

const text = (jobs: readonly ForgeJob[], value: string, summary: string): ForgeFlag => ({
  ...textFlag(value, summary),
  jobs,
})
const list = (jobs: readonly ForgeJob[], value: string, summary: string): ForgeFlag => ({
  ...listFlag(value, summary),
  jobs,
})
const yesNo = (jobs: readonly ForgeJob[], summary: string): ForgeFlag => ({
  ...toggleFlag(summary),
  jobs,
})

const FLAGS: Readonly<Record<string, ForgeFlag>> = {
  spec: text(['spec', 'agent'], 'file', 'API description or tool spec: a file, a URL, or -'),
  list: text(['list'], 'file', 'show the operations of an API description; nothing is written'),
  prompt: text(['prompt'], 'text', 'let a model draft a tool spec from your words'),
  validate: text(['validate'], 'file', 'check a tool spec; nothing is written'),
  docs: list(['prompt'], 'url|path', 'documentation for the model: address, file or directory'),
  model: text(['prompt', 'mcp'], 'name', 'such as openai:gpt-4.1; default: WAYMARK_MODEL'),
  yes: yesNo(['prompt'], 'write the draft without asking'),
  pick: list(READING, 'a,b', 'only these: tool names, operation ids, patterns with *, /paths'),
  tag: list(READING, 'name', 'only operations with this tag'),
  'path-prefix': list(READING, 'path', 'only paths under this one'),
  method: list(READING, 'GET', 'only these methods'),
  exclude: list(READING, 'a,b', 'without these, written as for --pick'),
  'read-only': yesNo(READING, 'only GET and HEAD'),
  'no-deprecated': yesNo(READING, 'without deprecated operations'),
  'max-name-length': text(READING, 'number', 'longest tool name, 16 to 64; 64 when absent'),
  'max-depth': text(READING, 'number', 'levels of nesting, 1 to 10; 6 when absent'),
  'allow-external-refs': yesNo(READING, 'follow references to other folders and URLs'),
  domain: text(['spec', 'list', 'prompt'], 'name', 'names the files; from the title when absent'),
  'auth-type': text(['spec'], 'type', 'bearer, api_key, basic, oauth2 or none; default: detected'),
  'auth-env': text(['spec', 'login'], 'NAME', 'variable with the credential'),
  strict: yesNo(['spec', 'prompt', 'validate'], 'warnings and conflicts count as errors'),
  'strict-seed': yesNo(
    ['spec', 'prompt', 'validate'],
    'a tool spec may use nothing beyond the original format',
  ),
  target: text(
    WRITING,
    TARGETS.join('|'),
    'what is generated: TypeScript, or tool definitions as JSON; ts when absent',
  ),
  runtime: text(
    WRITING,
    'inline|package',
    'include the runtime in the file, without dependencies (inline), or import waymark/runtime',
  ),
  watch: yesNo(['spec'], 'generate again whenever the file changes, until interrupted'),
  'dry-run': yesNo(
    [...WRITING, 'call'],
    'say what would be written; of a call, print it as a curl command without secrets',
  ),
  stdout: yesNo(
    WRITING,
    'print the tool spec, or the code or definitions of one, instead of writing files',
  ),
  name: text(['agent'], 'name', 'name of the agent'),
  tools: list(['agent'], 'a.yaml,b.yaml', 'tool specs and API descriptions'),
  standalone: yesNo(['agent'], 'a whole project: server, package, Dockerfile'),
  description: text(['agent'], 'text', 'what the agent is for; made from its tools when absent'),
  port: text(['agent', 'login'], 'number', 'port of its server; 4000, or any when logging in'),
  prefix: text(['agent'], 'domain|clash', 'put the domain before all tool names, or clashing ones'),
  rename: list(['agent'], 'dom:old=new', 'another name for one tool'),
  'no-docker': yesNo(['agent'], 'without Dockerfile'),
  waymark: text(['agent'], 'range', 'range or file of the waymark package; default: this version'),
  args: text(['call'], 'json', 'the arguments as one JSON object, or a file that holds it'),
  'env-file': text(
    ['login', 'call', 'doctor'],
    'file',
    'read variables there, too; a login writes its token there',
  ),
  root: text(['mcp'], 'dir', 'folder that is read and written under; here when absent'),
  'allow-write': yesNo(['mcp'], 'let callers have generated files written'),
  online: yesNo(['doctor'], 'also check that the hosts of base URLs respond'),
  out: text(
    [...WRITING, 'agent', 'env'],
    'dir',
    'where files go; here, or a folder named like the agent',
  ),
  check: yesNo(['spec', 'agent', 'env'], 'write nothing; exit code 2 when files would change'),
  force: yesNo([...WRITING, 'agent', 'env'], 'overwrite generated files that were changed by hand'),
  format: text(EVERY_JOB, 'text|json|github', 'how problems are printed'),
  json: {
    ...JSON_FLAG,
    summary: 'the same as --format json',
    jobs: EVERY_JOB,
  },
}

/** All flags of `waymark forge`, as the program reads them. */
export const FORGE_FLAGS: Readonly<Record<string, CommandFlag>> = Object.fromEntries(
  Object.entries(FLAGS).map(([name, { jobs, ...flag }]) => {
    const of = [...new Set(jobs.map((job) => (isOwnCommand(job) ? OWN_COMMANDS[job] : 'tool')))]
    return [name, jobs === EVERY_JOB ? flag : { ...flag, of }]
  }),
)

/** Finds out which of the four sources of `forge tool` is meant. */
export function chooseJob({ flags }: Pick<CommandInput, 'flags'>): ToolJob {
  const sources = ['spec', 'list', 'prompt', 'validate'] as const
  const [first, second] = sources.filter((name) => flags[name] !== undefined)
  if (first === undefined) {
    throw new UsageError(
      'what should be forged? Give --spec, --list, --prompt or --validate: waymark forge tool --list api.yaml',
    )
  }
  if (second === undefined) return first
  throw new UsageError(`--${first} and --${second} exclude each other; give one of them`)
}

/** Refuses flags that mean nothing for a job: ignoring them would surprise. */
export function refuseStrayFlags({ flags }: CommandInput, job: ForgeJob): void {
  for (const name of Object.keys(flags)) {
    const jobs = FLAGS[name]?.jobs ?? []
    if (jobs.includes(job)) continue
    const places = jobs.map(nameOf).join(', ')
    throw new UsageError(`--${name} belongs to ${places}; it has no effect on ${nameOf(job)}`)
  }
}

function nameOf(job: ForgeJob): string {
  return isOwnCommand(job) ? `"forge ${OWN_COMMANDS[job]}"` : `--${job}`
}

/** Tells the commands of their own from the sources of `forge tool`. */
export function isOwnCommand(job: ForgeJob): job is keyof typeof OWN_COMMANDS {
  return Object.hasOwn(OWN_COMMANDS, job)
}

/** Reads a flag whose values may be repeated or separated by commas. */
export function readWords(input: CommandInput, name: string): readonly string[] {
  return readListFlag(input, name)
    .flatMap((value) => value.split(','))
    .map((word) => word.trim())
    .filter((word) => word !== '')
}

/** Reads a flag whose text must have a form. */
export function readPattern(
  input: CommandInput,
  name: string,
  form: { readonly pattern: RegExp; readonly expected: string },
): string | undefined {
  const value = readTextFlag(input, name)
  if (value === undefined || form.pattern.test(value)) return value
  throw new UsageError(`--${name} must be ${form.expected}; got "${value}"`)
}
