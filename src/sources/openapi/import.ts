import { asList, defined, groupBy } from '../../values/index.ts'
import {
  type AuthConfig,
  type AuthType,
  checkEnvName,
  createSpecPlace,
  DOMAIN_PATTERN,
  type GroupDef,
  type SpecProblem,
  type ToolDef,
  type ToolSpec,
  toEnvDomain,
  type WebhookTrigger,
} from '../tool-spec/index.ts'
import { cleanText, cutText, MAX_TITLE } from './describe.ts'
import { filterOperations, type OperationFilter } from './list.ts'
import { detectVersion, problem } from './load.ts'
import { chooseDomain } from './names.ts'
import { asFilledText, createWarnings, type ImportWarning, read, type WarningList } from './node.ts'
import { type DocumentOperation, type OpenedDocument, openDocument } from './operations.ts'
import { createResponseReader } from './responses.ts'
import { createAuthChooser } from './security.ts'
import { mostFrequent } from './servers.ts'
import { type ImportContext, type ImportedTool, importTool, readPayload } from './tool.ts'
import { findWebhooks, toTriggers } from './triggers.ts'

/** How a document is imported. */
export interface ImportOptions extends OperationFilter {
  /** Name of the file, for messages and for the domain. */
  readonly file?: string
  /** Where the document came from; relative servers and references are joined to it. */
  readonly url?: string
  /** Instead of the domain chosen from the title. */
  readonly domain?: string
  /** Instead of the detected way to authenticate. */
  readonly authType?: AuthType
  readonly authEnv?: string
  /** Longest tool name; 64 when absent. */
  readonly maxNameLength?: number
  /** Levels of nesting; 6 when absent, 10 at most. */
  readonly maxDepth?: number
  /** Size of one tool's schema in bytes; 8192 when absent. */
  readonly maxSchemaBytes?: number
  /** External documents, by address; `importWithExternals` fetches them. */
  readonly externals?: ReadonlyMap<string, unknown>
  /** What a reference that leads nowhere is; `error` when operations are picked by name. */
  readonly missingReference?: 'warning' | 'error'
  /** Called after each operation. */
  readonly onProgress?: (progress: ImportProgress) => void
}

/** How far an import is. */
export interface ImportProgress {
  readonly done: number
  readonly total: number
  readonly tool: string
}

/** What an import gives. */
export type ImportResult =
  | {
      readonly ok: true
      readonly spec: ToolSpec
      readonly warnings: readonly ImportWarning[]
      /** External documents that were referred to and not there. */
      readonly wanted: readonly string[]
    }
  | {
      readonly ok: false
      readonly problems: readonly SpecProblem[]
      readonly wanted: readonly string[]
    }

/** Imports an API description: a tool spec, and a warning for everything that it cannot say. */
export function importOpenApi(document: unknown, options: ImportOptions = {}): ImportResult {
  const { file = '<openapi>' } = options
  if (detectVersion(document) === undefined) {
    const message = 'expected an OpenAPI document with openapi or swagger; found none we read'
    return { ok: false, problems: [problem('E100', file, message)], wanted: [] }
  }
  const mistakes = checkOptions(options, file)
  if (mistakes.length > 0) return { ok: false, problems: mistakes, wanted: [] }
  const opened = openDocument(document, options)
  const chosen = filterOperations(opened.operations, options)
  const unmatched = chosen.unmatched.map(({ pick, near }) => ({
    ...problem('E084', file, `no operation matches "${pick.slice(0, 100)}"`),
    ...(near.length > 0 && { hint: `did you mean ${near.join(', ')}?` }),
  }))
  if (unmatched.length > 0)
    return { ok: false, problems: unmatched, wanted: [...opened.resolver.wanted] }
  return assemble(opened, chosen.operations, { ...options, file })
}

function assemble(
  opened: OpenedDocument,
  operations: readonly DocumentOperation[],
  options: ImportOptions & { readonly file: string },
): ImportResult {
  const warnings = createWarnings(options.file)
  const domain = options.domain ?? chooseDomain(opened.document, options.file)
  const context: ImportContext = {
    opened,
    domain,
    url: options.url,
    limits: {
      maxDepth: Math.min(Math.max(options.maxDepth ?? 6, 1), 10),
      maxBytes: options.maxSchemaBytes ?? 8192,
    },
    auth: createAuthChooser(opened, domain, warnings.warn),
    responses: createResponseReader(opened),
    warnAll: warnings.warn,
    baseUrls: new Map(),
  }
  for (const { path, reason } of opened.unreadable)
    warnings.warn('W100', `skipped: ${reason.slice(0, 200)}`, path)
  const imported = importAll(operations, context, warnings, options)
  const triggers = importTriggers(imported, context, warnings, options)
  const wanted = [...opened.resolver.wanted]
  if (imported.length === 0 && triggers.length === 0) {
    const message = `no operation is left after the filters: ${whyNone(opened, operations)}`
    const found = problem('E103', options.file, message)
    return { ok: false, problems: [{ ...found, hint: 'list the operations first' }], wanted }
  }
  const spec = {
    ...toSpec(opened, imported, triggers, domain, options),
    ...schemasOf(context),
  }
  warnAboutSize(spec, warnings)
  const all = warnings.list()
  const broken = all.filter(({ code }) => code === 'W112' || code === 'W114')
  const isStrict =
    (options.missingReference ?? (options.pick?.length ? 'error' : 'warning')) === 'error'
  if (isStrict && broken.length > 0) return { ok: false, problems: broken.map(asError), wanted }
  return { ok: true, spec, warnings: all, wanted }
}

function schemasOf({ responses }: ImportContext): Pick<ToolSpec, 'schemas'> {
  const schemas = responses.schemas()
  return Object.keys(schemas).length > 0 ? { schemas } : {}
}

/** Says where the operations of a document went when none became a tool. */
function whyNone(opened: OpenedDocument, chosen: readonly DocumentOperation[]): string {
  const total = opened.operations.length
  const unreadable = opened.unreadable.length
  if (total === 0) {
    return unreadable === 0
      ? 'the document has no operations under paths'
      : `none of its ${unreadable} paths can be read (${opened.unreadable[0]?.reason.slice(0, 200)})`
  }
  const filtered = total - chosen.length
  const reasons = groupBy(chosen, ({ skipped = 'it is skipped' }) => skipped)
  return [
    ...(filtered > 0 ? [`${filtered} of ${total} do not match them`] : []),
    ...[...reasons].map(([reason, same]) => `${same.length} skipped: ${reason}`),
  ].join('; ')
}

function checkOptions({ domain, authEnv }: ImportOptions, file: string): SpecProblem[] {
  const problems: SpecProblem[] = []
  if (domain !== undefined && !DOMAIN_PATTERN.test(domain)) {
    const message = `the domain must be a letter, then letters, digits, "-" and "_"; found "${domain.slice(0, 60)}"`
    problems.push(problem('E011', file, message))
  }
  if (authEnv !== undefined) {
    const place = createSpecPlace(authEnv, ({ code, message }) =>
      problems.push(problem(code, file, message)),
    )
    checkEnvName(authEnv, place)
  }
  return problems
}

function asError(warning: ImportWarning): SpecProblem {
  const isOutside = warning.code === 'W114'
  return {
    ...warning,
    severity: 'error',
    code: isOutside ? 'E102' : 'E101',
    hint: isOutside
      ? 'allow it with --allow-external-refs'
      : 'correct the reference, or leave this operation out',
  }
}

function importAll(
  operations: readonly DocumentOperation[],
  context: ImportContext,
  warnings: WarningList,
  options: ImportOptions,
): ImportedTool[] {
  const imported: ImportedTool[] = []
  for (const [index, operation] of operations.entries()) {
    const warn = warnings.forTool(operation.name)
    if (operation.skipped === undefined) imported.push(importTool(operation, context, warn))
    else warn('W100', `${operation.method} ${operation.rawPath} is skipped: ${operation.skipped}`)
    options.onProgress?.({ done: index + 1, total: operations.length, tool: operation.name })
  }
  return imported
}

function importTriggers(
  imported: readonly ImportedTool[],
  context: ImportContext,
  warnings: WarningList,
  options: ImportOptions,
): WebhookTrigger[] {
  const isFiltered = [options.pick, options.tag, options.pathPrefix, options.method].some(
    (list) => list?.length,
  )
  const calls = [
    ...(isFiltered ? [] : findWebhooks(context.opened, warnings.warn)),
    ...imported.flatMap((tool) => tool.callbacks),
  ]
  return toTriggers(
    calls.map((call) => ({
      ...call,
      payload: readPayload(call, context, warnings.forTool(`on_${call.event}`)),
    })),
    context.domain,
  )
}

function toSpec(
  opened: OpenedDocument,
  imported: readonly ImportedTool[],
  triggers: readonly WebhookTrigger[],
  domain: string,
  options: ImportOptions,
): ToolSpec {
  const baseUrl = mostFrequent(imported.map((tool) => tool.baseUrl))
  const auths = imported.map((tool) => JSON.stringify(forceAuth(tool.auth, domain, options)))
  const common = mostFrequent(auths)
  const auth = common === undefined ? undefined : (JSON.parse(common) as AuthConfig)
  const version = asFilledText(read(read(opened.document, 'info'), 'version'))
  const tools = imported.map((entry, index): ToolDef => {
    const own = auths[index] === common ? undefined : (JSON.parse(auths[index] ?? '') as AuthConfig)
    return {
      ...entry.tool,
      ...(own && { auth: own }),
      ...(entry.baseUrl !== baseUrl && { base_url: entry.baseUrl }),
    }
  })
  const groups = toGroups(opened.document, tools)
  return {
    domain,
    ...defined({ version: version && cleanText(version), base_url: baseUrl }),
    ...(auth && auth.type !== 'none' && { auth }),
    tools,
    ...(triggers.length > 0 && { triggers }),
    ...(groups.length > 0 && { groups }),
  }
}

/** Says what the tags of the tools stand for; a tag about which the document says nothing needs no entry. */
function toGroups(document: unknown, tools: readonly ToolDef[]): readonly GroupDef[] {
  const used = new Set(tools.flatMap(({ tags = [] }) => tags))
  const groups = new Map<string, GroupDef>()
  for (const tag of asList(read(document, 'tags'))) {
    const name = asFilledText(read(tag, 'name'))
    if (name === undefined || !used.has(name) || groups.has(name)) continue
    const shown = ['summary', 'x-displayName'].map((key) => asFilledText(read(tag, key)))
    const title = shown.find((text) => text !== undefined && text !== name)
    const description = asFilledText(read(tag, 'description'))
    groups.set(name, {
      name,
      ...defined({
        title: title && cutText(cleanText(title), MAX_TITLE),
        description: description && cutText(cleanText(description), 500),
      }),
    })
  }
  return [...groups.values()].filter((group) => Object.keys(group).length > 1)
}

const DEFAULT_ENV: Record<AuthType, string> = {
  bearer: 'API_TOKEN',
  api_key: 'API_KEY',
  basic: 'USERNAME',
  oauth2: 'CLIENT_ID',
  none: '',
}

/** The auth a document declares, with what the caller wants instead. */
function forceAuth(
  declared: AuthConfig = { type: 'none' },
  domain: string,
  options: ImportOptions,
): AuthConfig {
  const { authType, authEnv } = options
  if (authType === 'none') return { type: 'none' }
  if (authType !== undefined) {
    return { type: authType, env: authEnv ?? `${toEnvDomain(domain)}_${DEFAULT_ENV[authType]}` }
  }
  return authEnv === undefined || declared.type === 'none'
    ? declared
    : { ...declared, env: authEnv }
}

function warnAboutSize(spec: ToolSpec, warnings: WarningList): void {
  const count = spec.tools.length
  if (count <= 40) return
  const bytes = spec.tools.reduce((sum, { name, description, params, body }) => {
    return (
      sum + name.length + description.length + JSON.stringify([params ?? [], body ?? []]).length
    )
  }, 0)
  const tokens = Math.round(bytes / 4 / 100) * 100
  warnings.warn(
    'W109',
    `${count} tools cost a model about ${tokens} tokens; pick the ones you need`,
    'tools',
  )
}
