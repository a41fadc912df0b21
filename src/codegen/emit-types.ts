import {
  decodeFragment,
  type JsonSchema,
  keyword,
  type RefTarget,
  referenceLabel,
  type TypeNode,
  toIntersection,
  toSchemaDoc,
  toTypeNode,
  toUnion,
} from '../schema/index.ts'
import { unescapeSegment } from '../values/index.ts'
import { createNamePlan, type NamePlan, toPascalCase } from './names.ts'
import { afterColon, printMembers, printType } from './print-type.ts'
import { createWriter, type Writer } from './writer.ts'

/** How the types of a set of schemas are emitted. */
export interface EmitTypesOptions {
  /** Names that are taken already in the file the types go to. */
  readonly names?: NamePlan
  /** Says which schema a reference means, by its name in the set; the usual places are known. */
  readonly refName?: (ref: string) => string | undefined
}

/** A schema with the identifier its type gets. */
export interface PlannedType {
  readonly schema: JsonSchema | boolean
  readonly identifier: string
}

/** Names the types of a set of schemas: one identifier each, safe whatever the schemas are called. */
export function planTypes(
  schemas: Readonly<Record<string, JsonSchema | boolean>>,
  options: EmitTypesOptions = {},
): ReadonlyMap<string, PlannedType> {
  const names = options.names ?? createNamePlan()
  const entries = Object.entries(schemas).flatMap(([name, schema]) => {
    return [[name, schema] as const, ...nestedDefinitions(name, schema)]
  })
  return new Map(
    entries.map(([name, schema]) => {
      return [name, { schema, identifier: names.take(toPascalCase(name)) }]
    }),
  )
}

/** Emits one exported type per schema of a set, such as the components of a discovery document. */
export function emitTypes(
  schemas: Readonly<Record<string, JsonSchema | boolean>>,
  options: EmitTypesOptions = {},
): string {
  const writer = createWriter()
  writeTypes(writer, planTypes(schemas, options), options)
  return writer.toString()
}

/** Writes planned types; a type that would only mean itself becomes `unknown`. */
export function writeTypes(
  writer: Writer,
  plan: ReadonlyMap<string, PlannedType>,
  options: EmitTypesOptions = {},
): void {
  const nodes = new Map<string, TypeNode>()
  for (const [name, { schema, identifier }] of plan) {
    nodes.set(identifier, toTypeNode(schema, { resolve: createResolve(name, plan, options) }))
  }
  for (const { schema, identifier } of plan.values()) {
    const node = nodes.get(identifier) ?? keyword('unknown')
    writer.gap()
    writer.doc(toSchemaDoc(schema))
    writeType(writer, identifier, breakCycle(node, identifier, nodes))
  }
}

/** Writes one exported type: an interface where that is possible. */
export function writeType(writer: Writer, identifier: string, node: TypeNode): void {
  if (node.kind === 'object' && node.members.length > 0) {
    writer.line(`export interface ${identifier} ${printMembers(node, writer.indent())}`)
  } else {
    writer.line(`export type ${identifier} =${afterColon(printType(node, writer.indent()))}`)
  }
}

/** Finds types by reference: definitions of the schema itself first, then schemas of the set. */
export function createResolve(
  owner: string,
  plan: ReadonlyMap<string, PlannedType>,
  options: EmitTypesOptions = {},
): (ref: string) => RefTarget | undefined {
  return (ref) => {
    if (ref === '#') return targetOf(plan.get(owner))
    const name = options.refName?.(ref) ?? decodeFragment(unescapeSegment(referenceLabel(ref)))
    return targetOf(
      plan.get(nestedName(owner, name)) ??
        plan.get(nestedName(rootOf(owner), name)) ??
        plan.get(name),
    )
  }
}

function targetOf(planned: PlannedType | undefined): RefTarget | undefined {
  return planned && { name: planned.identifier }
}

function nestedDefinitions(
  owner: string,
  schema: JsonSchema | boolean,
): [string, JsonSchema | boolean][] {
  if (typeof schema === 'boolean') return []
  const found = ['$defs', 'definitions'].flatMap((key) => Object.entries(schema[key] ?? {}))
  return found.map(([name, definition]) => [nestedName(owner, name), definition as JsonSchema])
}

function nestedName(owner: string, name: string): string {
  return `${owner}\u0000${name}`
}

function rootOf(owner: string): string {
  return owner.split('\u0000', 1)[0] ?? owner
}

// `type A = A | string` is an error; through an object or a list it is not.
function breakCycle(node: TypeNode, start: string, nodes: ReadonlyMap<string, TypeNode>): TypeNode {
  if (node.kind === 'reference') {
    return leadsTo(node.name, start, nodes) ? keyword('unknown') : node
  }
  if (node.kind !== 'union' && node.kind !== 'intersection') return node
  const parts = node.types.map((type) => breakCycle(type, start, nodes))
  return node.kind === 'union' ? toUnion(parts) : toIntersection(parts)
}

function leadsTo(
  name: string,
  start: string,
  nodes: ReadonlyMap<string, TypeNode>,
  path: readonly string[] = [],
): boolean {
  if (name === start) return true
  if (path.includes(name)) return false
  return directNames(nodes.get(name)).some((next) => leadsTo(next, start, nodes, [...path, name]))
}

function directNames(node: TypeNode | undefined): readonly string[] {
  if (node?.kind === 'reference') return [node.name]
  if (node?.kind === 'union' || node?.kind === 'intersection')
    return node.types.flatMap(directNames)
  return []
}
