import { lstatSync } from 'node:fs'
import {
  type AgentSource,
  draftSpec,
  listVariables,
  ModelError,
  readDocuments,
} from '../../../codegen/index.ts'
import type { FunctionDefinition } from '../../../core/index.ts'
import { CallError } from '../../../errors/index.ts'
import type { TypedJsonSchema } from '../../../schema/index.ts'
import {
  formatToolSpec,
  hasErrors,
  parseToolSpec,
  type ToolSpec,
} from '../../../sources/tool-spec/index.ts'
import type { JsonObject } from '../../../values/index.ts'
import { type CommandInput, RemoteError, UsageError } from '../../command.ts'
import { planAgent } from '../forge-agent.ts'
import { importIncoming, planSpec, type SpecPlan } from '../forge-tool.ts'
import { importSource, openSource, readDomain, readSpec } from '../import-source.ts'
import { examine, toPlainListing } from '../list.ts'
import { chooseProvider } from '../prompt.ts'
import { FoundProblems } from '../report.ts'
import { generateTarget } from '../target.ts'
import { COMPOSE, GENERATE, LIST, PROPOSE, toFlags, VALIDATE } from './arguments.ts'
import {
  assertMayWrite,
  readGivenDocument,
  runForCaller,
  toCommandInput,
  toPlainProblems,
  type Workshop,
  writeForCaller,
} from './workshop.ts'

/** Makes the five functions with which an agent makes tools in a conversation. */
export function createForgeFunctions(workshop: Workshop): FunctionDefinition[] {
  return [
    createPropose(workshop),
    createGenerate(workshop),
    createList(workshop),
    createCompose(workshop),
    createValidate(workshop),
  ]
}

/** What writing files means for those who look before they call. */
function effectsOf({ allowWrite }: Workshop): Pick<FunctionDefinition, 'readOnly' | 'sideEffects'> {
  return allowWrite ? { sideEffects: ['create', 'update'] } : { readOnly: true }
}

/** Makes a function that works as the command line does: what a person would be told becomes an error of the call. */
function define<Args extends object>(
  workshop: Workshop,
  input: TypedJsonSchema<Args>,
  about: Pick<FunctionDefinition, 'name' | 'summary' | 'description' | 'readOnly' | 'sideEffects'>,
  run: (args: Args, input: CommandInput) => Promise<unknown>,
): FunctionDefinition {
  return {
    version: '1.0.0',
    input,
    ...about,
    handler: ({ input: given, signal }) => {
      const args = given as Args
      return runForCaller(() => run(args, toCommandInput(toFlags(args), workshop, signal)))
    },
  }
}

function createPropose(workshop: Workshop): FunctionDefinition {
  const about = {
    name: 'forge.propose_tools',
    summary: 'Drafts a tool spec from a prompt',
    description:
      'Lets a model draft a tool spec from words and documentation. Nothing is written: show the tools to the user, change the spec as they like, then give it to forge_generate_tools.',
    readOnly: true as const,
  }
  return define(workshop, PROPOSE, about, (args, input) => runPropose(args, input, workshop))
}

async function runPropose(
  { prompt, docs = [] }: { readonly prompt: string; readonly docs?: readonly string[] },
  input: CommandInput,
  { fence }: Workshop,
): Promise<JsonObject> {
  const domain = readDomain(input)
  try {
    const provider = chooseProvider(input)
    const documents = await readDocuments(
      docs.map((path) => requireReadable(fence.place(path), path)),
      { fetchText: async (url) => Promise.reject(new UsageError(`${url} is an address`)) },
    )
    const drafted = await draftSpec(provider, {
      prompt,
      documents,
      signal: input.io.signal,
      ...(domain !== undefined && { domain }),
    })
    if (!drafted.ok) throw new FoundProblems(drafted.problems)
    const { spec, yaml, warnings } = drafted
    return {
      ...toOutline(spec),
      spec: yaml,
      model: provider.model,
      problems: toPlainProblems(warnings),
    }
  } catch (thrown) {
    if (!(thrown instanceof ModelError)) throw thrown
    if (thrown.reason !== 'no_key') throw new RemoteError(thrown.message)
    throw new CallError('UNAVAILABLE', {
      message: `${thrown.message} of the server; without a model, write a tool spec yourself and give it to forge_validate`,
    })
  }
}

/** A pipe or a device would make the reader wait for ever. */
function requireReadable(place: string, name: string): string {
  const stats = lstatSync(place, { throwIfNoEntry: false })
  if (stats?.isFile() || stats?.isDirectory()) return place
  throw new UsageError(`${name} is neither a file nor a folder`)
}

function toOutline({ domain, tools }: ToolSpec): JsonObject {
  return {
    domain,
    tools: tools.map(({ name, description, method, path }) => ({
      name,
      description,
      ...(method !== undefined && { request: `${method} ${path}` }),
    })),
  }
}

function createGenerate(workshop: Workshop): FunctionDefinition {
  const about = {
    name: 'forge.generate_tools',
    summary: 'Makes a tool spec and code of an API description or a tool spec',
    description:
      'Imports an API description (Swagger 2.0, OpenAPI 3.x) into a tool spec, or takes a tool spec, and generates TypeScript or tool definitions. Gives the text of the files back; writes them only when asked. Pick a few operations: large files cost a lot to read.',
    ...effectsOf(workshop),
  }
  return define(workshop, GENERATE, about, async (args, input) => {
    const { write = false, out = '.', show } = args
    assertMayWrite(write, workshop)
    const plan = await planTools(args, workshop, input, workshop.fence.place(out))
    const variables = listVariables([plan.spec]).flatMap(({ variables }) => variables)
    return {
      ...toOutline(plan.spec),
      variables: variables.map(({ name }) => name),
      problems: toPlainProblems(plan.problems),
      ...(await writeForCaller(plan, { out, write, show }, { workshop, input })),
    }
  })
}

async function planTools(
  given: Parameters<typeof readGivenDocument>[0],
  workshop: Workshop,
  input: CommandInput,
  folder: string,
): Promise<SpecPlan> {
  const read = (path: string): string | undefined => workshop.fence.readIfThere(folder, path)
  const opened = openSource(readGivenDocument(given, workshop))
  if (opened.kind === 'openapi') return planSpec(await importIncoming(opened, input), read, input)
  const found = readSpec(opened.source)
  const domain = readDomain(input)
  const spec = domain === undefined ? found.spec : { ...found.spec, domain }
  // A spec that is not a file yet becomes one beside its code.
  if (given.spec !== undefined) {
    const text = domain === undefined ? given.spec : formatToolSpec(spec)
    return planSpec({ spec, text, isImport: false, warnings: [] }, read, input)
  }
  return { spec, problems: found.warnings, taken: [], ...generateTarget(spec, read, input) }
}

function createList(workshop: Workshop): FunctionDefinition {
  const about = {
    name: 'forge.list_operations',
    summary: 'Lists the operations of an API description',
    description:
      'Gives name, method, path, tags and summary of each operation, and what an import would lose. Use it before forge_generate_tools to pick.',
    readOnly: true as const,
  }
  return define(workshop, LIST, about, async ({ file }, input) => {
    const opened = openSource(readGivenDocument({ file }, workshop))
    if (opened.kind === 'openapi') return toPlainListing(file, await examine(opened, input))
    throw new UsageError(`${file} is not an API description (openapi, swagger)`)
  })
}

function createCompose(workshop: Workshop): FunctionDefinition {
  const about = {
    name: 'forge.compose',
    summary: 'Puts several specs together into one agent',
    description:
      'Composes tool specs and API descriptions into an agent: code for an application, or a project that installs and starts. Gives the text of the files back; writes them only when asked.',
    ...effectsOf(workshop),
  }
  return define(workshop, COMPOSE, about, async (args, input) => {
    const { write = false, name, out = name, show } = args
    assertMayWrite(write, workshop)
    const folder = workshop.fence.place(out)
    const sources: AgentSource[] = []
    for (const file of args.files) sources.push(await readAgentSource(file, workshop, input))
    const read = (path: string): string | undefined => workshop.fence.readIfThere(folder, path)
    const made = planAgent(sources, { name, read, input })
    return {
      name,
      description: made.plan.description,
      domains: made.plan.specs.map(toOutline),
      ...(await writeForCaller(made, { out, write, show }, { workshop, input })),
    }
  })
}

async function readAgentSource(
  file: string,
  workshop: Workshop,
  input: CommandInput,
): Promise<AgentSource> {
  const opened = openSource(readGivenDocument({ file }, workshop))
  if (opened.kind === 'openapi') return { file, spec: (await importSource(opened, input)).spec }
  return { file, spec: readSpec(opened.source).spec, text: opened.source.text }
}

function createValidate(workshop: Workshop): FunctionDefinition {
  const about = {
    name: 'forge.validate',
    summary: 'Checks a tool spec',
    description:
      'Says everything that is wrong with a tool spec, with line and what to write instead.',
    readOnly: true as const,
  }
  return define(workshop, VALIDATE, about, async (args) => {
    const { file, text } = readGivenDocument(args, workshop)
    const parsed = parseToolSpec(text, { file, strictSeed: args.strict_seed === true })
    const problems = parsed.ok ? parsed.warnings : parsed.problems
    return { ok: !hasErrors(problems), problems: toPlainProblems(problems) }
  })
}
