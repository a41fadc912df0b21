import manifest from '../../../package.json' with { type: 'json' }
import { formatToolSpec, type SpecProblem, type ToolSpec } from '../../sources/tool-spec/index.ts'
import { type GeneratedFile, type GenerateOptions, generateCode, toFileName } from '../generate.ts'
import { type AgentSource, type ComposeOptions, composeSpecs } from './compose.ts'
import {
  emitDockerfile,
  emitDockerIgnore,
  emitPackage,
  emitReadme,
  emitTsconfig,
} from './emit-project.ts'
import { emitServer } from './emit-server.ts'
import { formatEnvTemplate, listVariables, type Variable } from './variables.ts'

/** What an agent is made of. */
export interface AgentOptions extends ComposeOptions {
  readonly name: string
  /** Made from the tools when absent. */
  readonly description?: string
  /** 4000 when absent. */
  readonly port?: number
  /** A whole project instead of the code files alone. */
  readonly standalone?: boolean
  /** Version range or file of the `waymark` package that a project runs on; this version when absent. */
  readonly waymark?: string
  /** Text of a file that was generated before, whose custom regions are kept. */
  readonly previous?: GenerateOptions['previous']
}

/** An agent with everything that its files say. */
export interface AgentPlan {
  readonly name: string
  readonly description: string
  readonly port: number
  /** Version range or file of the `waymark` package. */
  readonly waymark: string
  readonly specs: readonly ToolSpec[]
}

/** What generating an agent gives. */
export type AgentResult =
  | { readonly ok: true; readonly files: readonly GeneratedFile[]; readonly plan: AgentPlan }
  | { readonly ok: false; readonly problems: readonly SpecProblem[] }

/** Generates an agent of one or more specs: their code, or a project that installs and starts. */
export function generateAgent(sources: readonly AgentSource[], options: AgentOptions): AgentResult {
  const refused = refuseName(options.name)
  if (refused) return { ok: false, problems: [refused] }
  const composed = composeSpecs(sources, options)
  if (!composed.ok) return composed
  const { specs } = composed
  const { name, port = 4000, description = describeAgent(options.name, specs) } = options
  const { waymark = `^${manifest.version}` } = options
  const plan: AgentPlan = { name, description, port, waymark, specs }
  const code = specs.flatMap((spec) =>
    generateCode(spec, {
      fileName: (domain, kind) => `${kind}/${toFileName(domain)}.ts`,
      ...(options.standalone && { runtime: 'package' }),
      ...(options.previous && { previous: options.previous }),
    }),
  )
  return { ok: true, plan, files: options.standalone ? [...code, ...projectFiles(plan)] : code }
}

/** Says what an agent can do, from its tools. */
export function describeAgent(name: string, specs: readonly ToolSpec[]): string {
  const tools = specs.flatMap((spec) => spec.tools.map((tool) => tool.name))
  const shown = tools.slice(0, 8).join(', ')
  const rest = tools.length > 8 ? ` and ${tools.length - 8} more` : ''
  const domains = specs.map((spec) => spec.domain).join(', ')
  return `${name} works with ${domains}. Tools: ${shown}${rest}.`
}

function projectFiles(plan: AgentPlan): GeneratedFile[] {
  return [
    { path: 'server.ts', text: emitServer(plan) },
    ...plan.specs.map((spec) => ({
      path: `specs/${toFileName(spec.domain)}.tool-spec.yaml`,
      text: formatToolSpec(spec),
    })),
    { path: 'package.json', text: emitPackage(plan) },
    { path: 'tsconfig.json', text: emitTsconfig() },
    { path: 'Dockerfile', text: emitDockerfile(plan) },
    { path: '.dockerignore', text: emitDockerIgnore() },
    { path: '.gitignore', text: 'node_modules\ndist\n.env\n' },
    { path: '.env.template', text: formatEnvTemplate(listVariables(plan.specs), OWN_VARIABLES) },
    { path: 'README.md', text: emitReadme(plan) },
  ]
}

/** Variables that every agent reads. */
export const OWN_VARIABLES: readonly Variable[] = [
  { name: 'PORT', uses: ['port to listen on'], optional: true },
  { name: 'HOST', uses: ['address to listen on; 127.0.0.1 when not set'], optional: true },
  {
    name: 'AGENT_TOKEN',
    uses: ['bearer token that callers must send; needed for any other HOST'],
    optional: true,
  },
  {
    name: 'WAYMARK_STORE',
    uses: ['where deliveries are kept, such as sqlite:state.db; memory when not set'],
    optional: true,
  },
]

function refuseName(name: string): SpecProblem | undefined {
  if (/^[A-Za-z][A-Za-z0-9_-]{0,63}$/.test(name)) return undefined
  return {
    severity: 'error',
    code: 'E011',
    file: '--name',
    line: 0,
    column: 0,
    path: 'name',
    message: `must be letters, digits, - and _ and start with a letter; found ${JSON.stringify(name.slice(0, 60))}`,
    hint: 'the name becomes a directory and a package, for example ops-bot',
  }
}
