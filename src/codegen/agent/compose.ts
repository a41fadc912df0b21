import { shorten } from '../../sources/openapi/index.ts'
import {
  formatPath,
  MAX_NAME_LENGTH,
  NAME_PATTERN,
  parseYaml,
  type SpecProblem,
  type ToolSpec,
  toSnakeDomain,
} from '../../sources/tool-spec/index.ts'
import { pushTo } from '../../values/index.ts'

/** A checked spec that is to become part of an agent. */
export interface AgentSource {
  /** Name of the file, for messages. */
  readonly file: string
  readonly spec: ToolSpec
  /** Text of the file, so that messages can name lines. */
  readonly text?: string
}

/** A tool that gets another name. */
export interface Rename {
  readonly domain: string
  readonly from: string
  readonly to: string
}

/** How names that clash between specs are told apart. */
export interface ComposeOptions {
  /** `domain` puts the domain before every tool name, `clash` only before those that clash. */
  readonly prefix?: 'domain' | 'clash'
  readonly renames?: readonly Rename[]
}

/** What composing gives: specs whose names differ, or what is wrong. */
export type ComposeResult =
  | { readonly ok: true; readonly specs: readonly ToolSpec[] }
  | { readonly ok: false; readonly problems: readonly SpecProblem[] }

/** Parses `zendesk:create_ticket=create_support_ticket`; undefined when it is not of that form. */
export function parseRename(text: string): Rename | undefined {
  const [, domain, from, to] = /^([^:=]+):([^:=]+)=([^:=]+)$/.exec(text) ?? []
  return domain && from && to ? { domain, from, to } : undefined
}

/** Brings specs together: every tool, trigger and webhook path of the result is there once. */
export function composeSpecs(
  sources: readonly AgentSource[],
  options: ComposeOptions = {},
): ComposeResult {
  const problems = [...findSharedDomains(sources), ...findBadRenames(sources, options)]
  if (problems.length > 0) return { ok: false, problems }
  const renamed = sources.map((source) => ({ ...source, spec: applyRenames(source.spec, options) }))
  const clashing = new Set(findClashes(renamed, 'tools').map((clash) => clash.name))
  const specs = renamed.map(({ spec }) => applyPrefix(spec, options, clashing))
  const composed = sources.map((source, index) => ({
    ...source,
    spec: specs[index] ?? source.spec,
  }))
  const original = new Set(findClashes(sources, 'tools').map((clash) => clash.name))
  const left = [
    ...findClashes(composed, 'tools').map((clash) => {
      return toClashProblem(clash, original.has(clash.name) ? 'E080' : 'E083')
    }),
    ...findClashes(composed, 'triggers').map((clash) => toClashProblem(clash, 'E080')),
    ...findSharedPaths(composed),
  ]
  return left.length > 0 ? { ok: false, problems: left } : { ok: true, specs }
}

function applyRenames(spec: ToolSpec, { renames = [] }: ComposeOptions): ToolSpec {
  const names = new Map(
    renames.filter((rename) => rename.domain === spec.domain).map(({ from, to }) => [from, to]),
  )
  return renameTools(spec, (name) => names.get(name) ?? name)
}

function applyPrefix(
  spec: ToolSpec,
  { prefix }: ComposeOptions,
  clashing: ReadonlySet<string>,
): ToolSpec {
  if (prefix === undefined) return spec
  const start = `${toSnakeDomain(spec.domain)}_`
  return renameTools(spec, (name) => {
    // The limit comes last: a prefix must not make a name too long again.
    return prefix === 'domain' || clashing.has(name) ? shorten(start + name, MAX_NAME_LENGTH) : name
  })
}

function renameTools(spec: ToolSpec, rename: (name: string) => string): ToolSpec {
  const names = new Map(spec.tools.map((tool) => [tool.name, rename(tool.name)]))
  return {
    ...spec,
    tools: spec.tools.map((tool) => ({ ...tool, name: names.get(tool.name) ?? tool.name })),
    ...(spec.triggers && {
      triggers: spec.triggers.map((trigger) => {
        // A trigger that says no tool calls the one of its own name.
        const called = trigger.tool ?? trigger.name
        const tool = names.get(called) ?? called
        return tool === called ? trigger : { ...trigger, tool }
      }),
    }),
  }
}

function findSharedDomains(sources: readonly AgentSource[]): SpecProblem[] {
  return sources.flatMap((source, index) => {
    const first = sources.slice(0, index).find((other) => isSameDomain(other.spec, source.spec))
    if (first === undefined) return []
    const message = `the domain "${source.spec.domain}" is also that of ${first.file}`
    return [problem('E081', source, ['domain'], message, 'give one of the two another domain')]
  })
}

// Prefixes, file names and variables are made from the domain, so spelling it differently does not help.
function isSameDomain(one: ToolSpec, other: ToolSpec): boolean {
  return toSnakeDomain(one.domain) === toSnakeDomain(other.domain)
}

function findBadRenames(
  sources: readonly AgentSource[],
  { renames = [] }: ComposeOptions,
): SpecProblem[] {
  return renames.flatMap((rename) => {
    const flag = `${rename.domain}:${rename.from}=${rename.to}`
    const source = sources.find(({ spec }) => spec.domain === rename.domain)
    const isThere = source?.spec.tools.some((tool) => tool.name === rename.from)
    if (source === undefined || !isThere) {
      const message = `the rename "${flag}" names a tool that is not there`
      const known =
        source?.spec.tools.map((tool) => tool.name) ?? sources.map(({ spec }) => spec.domain)
      const hint = `there is ${known.slice(0, 10).join(', ')}`
      return [problem('E082', source ?? sources[0], [], message, hint)]
    }
    const isName = NAME_PATTERN.test(rename.to) && rename.to.length <= MAX_NAME_LENGTH
    const message = `the rename "${flag}" gives a name that is not snake_case of at most 64 characters`
    return isName
      ? []
      : [problem('E020', source, [], message, 'use lower-case letters, digits and _')]
  })
}

interface Clash {
  readonly kind: 'tools' | 'triggers'
  readonly name: string
  readonly places: readonly { readonly source: AgentSource; readonly index: number }[]
}

function findClashes(sources: readonly AgentSource[], kind: Clash['kind']): Clash[] {
  const places = new Map<string, Clash['places'][number][]>()
  for (const source of sources) {
    for (const [index, { name }] of (source.spec[kind] ?? []).entries()) {
      pushTo(places, name, { source, index })
    }
  }
  return [...places]
    .filter(([, all]) => all.length > 1)
    .map(([name, all]) => ({ kind, name, places: all }))
}

function toClashProblem({ kind, name, places }: Clash, code: 'E080' | 'E083'): SpecProblem {
  const where = places.map(({ source, index }) => {
    const { line } = locate(source, [kind, index, 'name'])
    return line > 0 ? `${source.file}:${line}` : source.file
  })
  const noun = kind === 'tools' ? 'tool' : 'trigger'
  const [first] = places
  const domains = places.map(({ source }) => source.spec.domain)
  const hint =
    kind === 'tools'
      ? `add --prefix clash, or --rename "${domains.at(-1)}:${name}=<new name>"`
      : 'rename one of them in its file'
  const message = `the ${noun} "${name}" is defined in ${where.join(' and ')}`
  return problem(code, first?.source, [kind, first?.index ?? 0, 'name'], message, hint)
}

function findSharedPaths(sources: readonly AgentSource[]): SpecProblem[] {
  const owners = new Map<string, string>()
  return sources.flatMap((source) => {
    return (source.spec.triggers ?? []).flatMap((trigger, index) => {
      if (trigger.type !== 'webhook') return []
      const owner = owners.get(trigger.path)
      owners.set(trigger.path, owner ?? source.file)
      if (owner === undefined) return []
      const message = `the webhook path "${trigger.path}" is already used in ${owner}`
      return [
        problem('E070', source, ['triggers', index, 'path'], message, 'give it a path of its own'),
      ]
    })
  })
}

type Path = readonly (string | number)[]

function problem(
  code: string,
  source: AgentSource | undefined,
  path: Path,
  message: string,
  hint: string,
): SpecProblem {
  const place = source ? locate(source, path) : { line: 0, column: 0 }
  return {
    severity: 'error',
    code,
    file: source?.file ?? '',
    ...place,
    path: formatPath(path, undefined),
    message,
    hint,
  }
}

function locate(
  source: AgentSource,
  path: Path,
): { readonly line: number; readonly column: number } {
  const parsed = source.text === undefined ? undefined : parseYaml(source.text)
  return parsed?.ok ? parsed.source.locate(path) : { line: 0, column: 0 }
}
