import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import {
  createModelProvider,
  type DraftDocument,
  type DraftResult,
  draftSpec,
  ModelError,
  type ModelProvider,
  type ProviderName,
  readDocuments,
  SKELETON,
} from '../../codegen/index.ts'
import { formatProblems } from '../../sources/tool-spec/index.ts'
import { type CommandInput, EXIT, RemoteError, UsageError } from '../command.ts'
import { readListFlag, readTextFlag } from '../flags.ts'
import { printable } from '../print.ts'
import { writeSpec } from './forge-tool.ts'
import { readDomain } from './import-source.ts'
import { fetchNamed } from './read-source.ts'
import { say } from './report.ts'
import { type Draft, reviewDraft } from './review.ts'

/** Lets a model draft a spec, shows it, and writes it when the person agrees. */
export async function runPrompt(input: CommandInput): Promise<number> {
  const { io, flags } = input
  const prompt = readTextFlag(input, 'prompt')?.trim() ?? ''
  if (prompt === '') throw new UsageError('--prompt is empty; say what the tools should do')
  const writesNothing = flags['dry-run'] === true || flags['stdout'] === true
  if (!io.terminal && flags['yes'] !== true && !writesNothing) {
    throw new UsageError(
      'a draft must be confirmed before it is written: run this in a terminal, or add --yes',
    )
  }
  const domain = readDomain(input)
  const provider = findProvider(input)
  const documents = await readDocs(input)
  if (io.terminal) io.err(`Asking ${provider.name} (${provider.model}) …\n`)
  const drafted = await draft(provider, {
    prompt,
    documents,
    signal: io.signal,
    ...(domain !== undefined && { domain }),
  })
  if (!drafted.ok) return refuse(drafted, input)
  const first: Draft = { spec: drafted.spec, text: drafted.yaml, warnings: drafted.warnings }
  const agreed = flags['yes'] === true || writesNothing ? first : await reviewDraft(first, io)
  if (agreed === undefined) {
    say(input, 'Nothing was written.\n')
    return EXIT.ok
  }
  // What the spec's own reader warns about is told when it is written.
  return writeSpec({ ...agreed, isImport: false, warnings: [] }, input)
}

/** Finds the model to ask; `openai:gpt-4.1` names the API as well, other colons belong to the model. */
export function chooseProvider(input: CommandInput): ModelProvider {
  const name = readTextFlag(input, 'model')
  const [, provider, model] = /^(gemini|openai|anthropic):(.+)$/.exec(name ?? '') ?? []
  return createModelProvider({
    env: input.io.env,
    ...(provider !== undefined && { provider: provider as ProviderName }),
    ...(name !== undefined && { model: model ?? name }),
  })
}

function findProvider(input: CommandInput): ModelProvider {
  try {
    return chooseProvider(input)
  } catch (thrown) {
    if (!(thrown instanceof ModelError)) throw thrown
    input.io.out(SKELETON)
    throw new UsageError(`${thrown.message}; above is a tool spec to fill in by hand`)
  }
}

async function readDocs(input: CommandInput): Promise<DraftDocument[]> {
  const { io } = input
  const sources = readListFlag(input, 'docs').map((source) => {
    if (/^https?:\/\//i.test(source)) return source
    const path = resolve(io.cwd, source)
    if (!existsSync(path)) throw new UsageError(`--docs ${source} does not exist`)
    return path
  })
  return readDocuments(sources, { fetchText: (url) => fetchNamed(url, io) })
}

async function draft(
  provider: ModelProvider,
  options: Parameters<typeof draftSpec>[1],
): Promise<DraftResult> {
  try {
    return await draftSpec(provider, options)
  } catch (thrown) {
    if (thrown instanceof ModelError) throw new RemoteError(thrown.message)
    throw thrown
  }
}

function refuse(drafted: Extract<DraftResult, { readonly ok: false }>, input: CommandInput): never {
  input.io.err(
    `${printable(drafted.yaml)}\n${printable(formatProblems(drafted.problems, 'text'))}\n`,
  )
  throw new RemoteError(
    `after ${drafted.rounds} answers the model still gives no valid tool spec (above); nothing was written`,
  )
}
