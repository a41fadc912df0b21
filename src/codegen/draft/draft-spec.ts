import {
  formatToolSpec,
  parseToolSpec,
  type SpecProblem,
  type ToolDef,
  type ToolSpec,
} from '../../sources/tool-spec/index.ts'
import {
  type DraftDocument,
  INSTRUCTIONS,
  takeYaml,
  toQuestion,
  toRepairQuestion,
} from './instructions.ts'
import type { ModelProvider, ModelTurn } from './model-provider.ts'

/** What is wished for. */
export interface DraftOptions {
  readonly prompt: string
  readonly documents?: readonly DraftDocument[]
  /** Replaces the domain the model chose. */
  readonly domain?: string
  readonly signal?: AbortSignal
  /** How often the model may correct itself; 2 when absent, and at most. */
  readonly repairs?: number
}

/** What drafting gives; nothing is written before somebody has looked at it. */
export type DraftResult =
  | {
      readonly ok: true
      readonly spec: ToolSpec
      readonly yaml: string
      readonly warnings: readonly SpecProblem[]
      /** How many answers it took. */
      readonly rounds: number
    }
  | {
      readonly ok: false
      readonly problems: readonly SpecProblem[]
      /** The last answer, for whoever wants to mend it. */
      readonly yaml: string
      readonly rounds: number
    }

const MAX_REPAIRS = 2

/** Lets a model draft a tool spec, checks it, and shows the model its mistakes at most twice. */
export async function draftSpec(
  provider: ModelProvider,
  options: DraftOptions,
): Promise<DraftResult> {
  const { signal = new AbortController().signal, documents = [] } = options
  const repairs = Math.min(options.repairs ?? MAX_REPAIRS, MAX_REPAIRS)
  const turns: ModelTurn[] = [{ role: 'user', text: toQuestion(options.prompt, documents) }]
  for (let round = 1; ; round += 1) {
    const answer = await provider.ask({ instructions: INSTRUCTIONS, turns }, signal)
    const yaml = takeYaml(answer)
    const parsed = parseToolSpec(yaml, { file: 'draft.tool-spec.yaml' })
    if (parsed.ok) return toDraft(parsed.spec, parsed.warnings, { domain: options.domain, round })
    if (round > repairs) return { ok: false, problems: parsed.problems, yaml, rounds: round }
    turns.push({ role: 'model', text: answer })
    turns.push({ role: 'user', text: toRepairQuestion(parsed.problems) })
  }
}

/** Prints a draft as a numbered list, for whoever decides about it. */
export function formatDraft(spec: ToolSpec): string {
  const width = Math.max(...spec.tools.map((tool) => tool.name.length), 4)
  const lines = spec.tools.map((tool, index) => {
    const number = String(index + 1).padStart(3)
    const request = tool.method ? `${tool.method} ${tool.path}` : 'own code'
    const fields = argumentsOf(tool)
    return `${number}. ${tool.name.padEnd(width)}  ${request}\n     ${tool.description}${fields && `\n     ${fields}`}`
  })
  return [`${spec.domain}: ${spec.tools.length} tools`, ...lines].join('\n')
}

/** A tool spec to fill in by hand, for when no model can be asked. */
export const SKELETON = `# A tool spec to fill in; see docs/reference/tool-spec.md for every key.
domain: my-api                        # names the files and the variables
base_url: https://api.example.com     # or \${MY_API_BASE_URL}
auth: { type: bearer, env: MY_API_TOKEN }

tools:
  - name: get_thing
    description: Reads one thing by its id.
    method: GET
    path: /things/{id}
    params:
      - { name: id, type: string, required: true, description: Id of the thing. }
`

function toDraft(
  spec: ToolSpec,
  warnings: readonly SpecProblem[],
  { domain, round }: { readonly domain: string | undefined; readonly round: number },
): DraftResult {
  const named = domain === undefined ? spec : { ...spec, domain }
  return { ok: true, spec: named, yaml: formatToolSpec(named), warnings, rounds: round }
}

function argumentsOf(tool: ToolDef): string {
  const fields = [...(tool.params ?? []), ...(tool.body ?? [])]
  return fields
    .map((field) => `${field.name}${field.required ? '' : '?'}: ${field.type}`)
    .join(', ')
}
