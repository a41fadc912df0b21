import {
  isReference,
  type JsonSchema,
  mergeSchemas,
  requireAll,
  type Subschema,
  schemasOfMember,
  Unsatisfiable,
  writeMatch,
} from '../../schema/index.ts'
import { asList, asRecord, isRecord } from '../../values/index.ts'
import { numberOf } from './random.ts'
import type { MakeContext } from './value.ts'

const BRIEF_DEPTH = 5

/** Makes an object that a plain schema accepts. */
export function makeObject(given: JsonSchema, context: MakeContext): Record<string, unknown> {
  const brief = context.depth >= BRIEF_DEPTH || !context.rich
  const { schema, names, required } = chooseMembers(given, brief)
  const made = new Map<string, unknown>()
  const most = numberOf(schema['maxProperties'], Number.POSITIVE_INFINITY)
  for (const name of names) {
    const needed = required.has(name)
    if (!needed && made.size >= most - countMissing(required, made)) continue
    try {
      made.set(name, makeMember(schema, name, context))
    } catch (thrown) {
      if (needed || !(thrown instanceof Unsatisfiable)) throw thrown
    }
  }
  dropDependents(schema, made)
  addMore(schema, made, context)
  return Object.fromEntries(made)
}

interface Members {
  readonly schema: JsonSchema
  /** Those that must be there first. */
  readonly names: readonly string[]
  readonly required: ReadonlySet<string>
}

/** Members may bring rules for others along, so the list grows until nothing new comes up. */
function chooseMembers(given: JsonSchema, brief: boolean): Members {
  let schema = given
  const applied = new Set<string>()
  for (;;) {
    const required = new Set(textsOf(schema['required']))
    const optional = brief ? [] : Object.keys(asRecord(schema['properties']))
    const names = new Set([...required, ...optional])
    const rules = asRecord(schema['dependentSchemas'])
    const next = Object.keys(rules).find((name) => names.has(name) && !applied.has(name))
    if (next === undefined) return { schema, names: withDependents(schema, names), required }
    applied.add(next)
    const rule = rules[next]
    if (isRecord(rule) && !isReference(rule)) schema = mergeSchemas(schema, rule)
  }
}

function withDependents(schema: JsonSchema, names: Set<string>): readonly string[] {
  const rules = asRecord(schema['dependentRequired'])
  for (const name of names) for (const other of textsOf(rules[name])) names.add(other)
  return [...names]
}

/** A member whose companions could not be made must go as well. */
function dropDependents(schema: JsonSchema, made: Map<string, unknown>): void {
  for (const [name, others] of Object.entries(asRecord(schema['dependentRequired']))) {
    if (made.has(name) && textsOf(others).some((other) => !made.has(other))) made.delete(name)
  }
}

function countMissing(required: ReadonlySet<string>, made: ReadonlyMap<string, unknown>): number {
  return [...required].filter((name) => !made.has(name)).length
}

function makeMember(schema: JsonSchema, name: string, context: MakeContext): unknown {
  const part = requireAll(schemasOfMember(schema, name)) as Subschema
  return context.make(part, { ...context, name, depth: context.depth + 1 })
}

const MOST_TRIES = 200

/** Adds unnamed members until there are as many as the schema requires. */
function addMore(schema: JsonSchema, made: Map<string, unknown>, context: MakeContext): void {
  const least = numberOf(schema['minProperties'], 0)
  const patterns = Object.keys(asRecord(schema['patternProperties']))
  const wanted = Math.max(least, isFreeMap(schema) && context.rich && context.depth < 3 ? 1 : 0)
  for (let index = 0; made.size < wanted && index < MOST_TRIES; index += 1) {
    const name = proposeName(schema, patterns, index, context)
    if (name === undefined || made.has(name)) continue
    try {
      made.set(name, makeMember(schema, name, context))
    } catch (thrown) {
      if (!(thrown instanceof Unsatisfiable)) throw thrown
    }
  }
  if (made.size < least) throw new Unsatisfiable(`fewer than ${least} members could be made`)
}

/** An object with free names and values of one kind: empty it would show nothing. */
function isFreeMap(schema: JsonSchema): boolean {
  const named = Object.keys(asRecord(schema['properties'])).length > 0
  return !named && isRecord(schema['additionalProperties'])
}

function proposeName(
  schema: JsonSchema,
  patterns: readonly string[],
  index: number,
  context: MakeContext,
): string | undefined {
  const optional = Object.keys(asRecord(schema['properties']))
  if (index < optional.length) return optional[index]
  const rules = schema['propertyNames']
  if (isRecord(rules)) {
    const made = context.make(mergeSchemas({ type: 'string' }, rules), { ...context, name: 'key' })
    return typeof made === 'string' ? made : undefined
  }
  const pattern = patterns[index % Math.max(1, patterns.length)]
  if (pattern !== undefined && (index % 2 === 0 || schema['additionalProperties'] === false)) {
    return writeMatch(pattern, { random: context.random, extra: 4 })
  }
  return `key${index + 1}`
}

function textsOf(value: unknown): readonly string[] {
  return asList(value).filter((item) => typeof item === 'string')
}
