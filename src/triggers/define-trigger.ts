import { type FunctionEntry, findNear, type Principal, type Service } from '../core/index.ts'
import { checkToolSpec, type SpecProblem, type TriggerDef } from '../sources/tool-spec/index.ts'
import { asRecord, formatNear, isRecord, nearest, toMilliseconds, toText } from '../values/index.ts'
import type { TriggerDefinition } from './trigger.ts'

const NAME = /^[a-z][a-z0-9_]{0,63}$/

/**
 * Defines a trigger: what happens outside, and the function it calls.
 *
 * @example
 * defineTrigger({
 *   type: 'schedule',
 *   name: 'nightly_cleanup',
 *   description: 'Removes drafts nobody touched for a month',
 *   cron: '0 2 * * *',
 *   timezone: 'Europe/Berlin',
 *   tool: 'events.cleanup',
 * })
 */
export function defineTrigger<const Definition extends TriggerDefinition>(
  definition: Definition,
): Definition {
  return definition
}

/** Names the function a trigger calls: its `tool`, or the function of its own name. */
export function targetOf({ tool, name }: TriggerDef): string {
  return tool ?? name
}

/** Refuses definitions that cannot work with a TypeError that names the trigger and the field. */
export function checkTriggerDefinitions(
  definitions: readonly TriggerDefinition[],
  { registry }: Service,
): void {
  const names = new Set<string>()
  const paths = new Set<string>()
  for (const [index, definition] of definitions.entries()) {
    if (!isRecord(definition)) {
      throw new TypeError(
        `triggers[${index}] must be a trigger: an object with type, name, description`,
      )
    }
    const { name, version, type } = definition
    const refuse = (field: string, reason: string): never => {
      throw new TypeError(`trigger ${toText(name ?? '(unnamed)')}: ${field} ${reason}`)
    }
    if (typeof name !== 'string' || !NAME.test(name)) {
      refuse('name', 'must be snake_case of at most 64 characters, such as "nightly_cleanup"')
    }
    if (names.has(name)) refuse('name', 'is used by another trigger')
    names.add(name)
    if (type === 'webhook') {
      if (paths.has(definition.path))
        refuse('path', `${definition.path} is used by another webhook`)
      paths.add(definition.path)
    }
    checkNumbers(definition, refuse)
    const { handler } = definition
    if (handler !== undefined && typeof handler !== 'function') {
      refuse('handler', 'must be a function')
    }
    const target = targetOf(definition)
    const entry = registry.find(target)
    if (entry === undefined) {
      if (handler !== undefined && definition.tool === undefined) continue
      const near = typeof target === 'string' ? formatNear(findNear(registry, target)) : ''
      refuse('tool', `names a function that does not exist: ${toText(target)}${near}`)
    } else if (version === undefined ? !entry.latest : !entry.versions.has(version)) {
      refuse('version', `must be one of ${entry.ordered.map((found) => found.version).join(', ')}`)
    } else assertScopes(definition, entry, refuse)
  }
  assertShapes(definitions)
}

/** Says who calls when a trigger does: nobody's token stands behind it, so its scopes are in its definition. */
export function toPrincipal({ name, scopes }: TriggerDefinition): Principal {
  return { id: `trigger:${name}`, ...(scopes && { scopes }) }
}

/** A trigger without the scopes of its function would be refused with each delivery. */
function assertScopes(
  { version, scopes }: TriggerDefinition,
  { latest, versions }: FunctionEntry,
  refuse: (field: string, reason: string) => never,
): void {
  const held: readonly unknown[] = scopes ?? []
  if (!Array.isArray(held)) refuse('scopes', "must be a list such as ['orders:write']")
  const target = version === undefined ? latest : versions.get(version)
  const missing = (target?.scopes ?? []).filter((scope) => !held.includes(scope))
  if (missing.length > 0) {
    refuse('scopes', `must hold what ${target?.name} requires: ${missing.join(', ')}`)
  }
}

/** Lists what triggers pass that their functions refuse: every such delivery would fail. */
export function listRefusedArguments(
  definitions: readonly TriggerDefinition[],
  { registry }: Service,
): readonly string[] {
  return definitions.flatMap((trigger) => {
    const { name, type, version, payload_map: map, arguments: fixed } = trigger
    const entry = registry.find(targetOf(trigger))
    const target = version === undefined ? entry?.latest : entry?.versions.get(version)
    if (target === undefined) return []
    const { properties, additionalProperties, patternProperties } = target.inputSchema
    if (additionalProperties !== false || patternProperties !== undefined) return []
    const known = Object.keys(asRecord(properties))
    const passed = Object.keys({ ...fixed, ...map })
    const warnings = passed
      .filter((argument) => !known.includes(argument))
      .map((argument) => {
        const near = formatNear(nearest(argument, known))
        return `trigger ${name} passes ${toText(argument)}, which is not an argument of ${target.name}${near}`
      })
    if (known.length > 0 || map !== undefined || type === 'schedule') return warnings
    return [
      ...warnings,
      `trigger ${name} passes its payload to ${target.name}, which takes no arguments: a payload with any member is refused. Describe the input of ${target.name}, or set payload_map: {}`,
    ]
  })
}

/** Code without types may say anything: it is held to the rules of a tool spec, except that files may lie anywhere. */
function assertShapes(definitions: readonly TriggerDefinition[]): void {
  const triggers = definitions.map(
    ({ handler: _handler, scopes: _scopes, ...settings }) => settings,
  )
  const spec = { domain: 'code', tools: [], triggers }
  const checked = checkToolSpec(spec, { allowAbsolutePaths: true })
  const problems = checked.ok ? [] : checked.problems
  // Servers for trials speak SQS over http; what no broker speaks is refused at the start.
  const errors = problems.filter(({ severity, code }) => severity === 'error' && code !== 'E074')
  if (errors.length > 0) throw new TypeError(errors.map(formatProblem).join('; '))
}

function formatProblem({ path, message, hint }: SpecProblem): string {
  const [, name, field] = /^triggers\[\d+\]\(([^)]*)\)\.(.+)$/.exec(path) ?? []
  const rest = hint === undefined ? message : `${message}; ${hint}`
  return name === undefined ? `${path} ${rest}` : `trigger ${name}: ${field} ${rest}`
}

function checkNumbers(
  { attempts = 1, concurrency = 1, timeout }: TriggerDef,
  refuse: (field: string, reason: string) => never,
): void {
  if (!Number.isInteger(attempts) || attempts < 1) refuse('attempts', 'must be a whole number')
  if (!Number.isInteger(concurrency) || concurrency < 1) {
    refuse('concurrency', 'must be a whole number')
  }
  const timeoutMs = timeout && toMilliseconds(timeout)
  if (timeout !== undefined && !(timeoutMs && timeoutMs <= MAX_TIMEOUT_MS)) {
    refuse('timeout', "must be a duration of up to a day, such as { value: 30, unit: 'second' }")
  }
}

const MAX_TIMEOUT_MS = 86_400_000
