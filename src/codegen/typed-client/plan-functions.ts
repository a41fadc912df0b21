import type { ErrorDefinition, Resource } from '../../core/index.ts'
import type { DiscoveryDocument } from '../../discovery/index.ts'
import {
  followReference,
  type MemberNode,
  type RefTarget,
  type TypeNode,
  toSchemaDoc,
  toTypeNode,
} from '../../schema/index.ts'
import { asRecord, isRecord, resolvePointer } from '../../values/index.ts'
import { createResolve, type PlannedType } from '../emit-types.ts'
import { type NamePlan, toPascalCase } from '../names.ts'
import { printType } from '../print-type.ts'
import type { FunctionGroup, FunctionModel } from './model.ts'
import { METHOD_MEMBERS, nameVersions, toTypePrefix } from './names.ts'

/** A function with the names and types its declarations get. */
export interface PlannedFunction {
  readonly model: FunctionModel
  /** Undefined when nothing is known about the arguments, or there are none. */
  readonly arguments: { readonly name: string; readonly members: readonly MemberNode[] } | undefined
  /** How the parameters of the method start: `callArguments: EventsGetArguments`. */
  readonly firstParameter: string
  /** Declared when the result is not simply a type of the document. */
  readonly resultName: string | undefined
  readonly resultNode: TypeNode
  /** What the result is called in code. */
  readonly resultType: string
  readonly errorName: string | undefined
  readonly errors: readonly PlannedError[]
  readonly guardName: string
  readonly codesName: string
  readonly queryName: string | undefined
  /** Type of what one queried resource holds. */
  readonly attributesType: string
  readonly attributeType: (attribute: string) => TypeNode | undefined
  readonly resource: Resource | undefined
}

/** One declared error with the type of its details. */
export interface PlannedError {
  readonly definition: ErrorDefinition
  /** Absent when the document says nothing about the details. */
  readonly details?: { readonly name: string; readonly node: TypeNode }
}

/** A group with the member names of its versions. */
export interface PlannedGroup {
  readonly name: string
  readonly main: PlannedFunction
  readonly others: readonly { readonly member: string; readonly planned: PlannedFunction }[]
}

/** What names and types are planned with. */
export interface PlanContext {
  readonly document: DiscoveryDocument
  readonly names: NamePlan
  readonly types: ReadonlyMap<string, PlannedType>
}

/** Decides what every declaration of a group of versions is called. */
export function planGroup(group: FunctionGroup, context: PlanContext): PlannedGroup {
  const versions = group.versions.map(({ version }) => version)
  const members = nameVersions(versions, METHOD_MEMBERS)
  const [main, ...others] = group.versions
  const prefix = toTypePrefix(group.name)
  return {
    name: group.name,
    main: planFunction(main, prefix, context),
    others: others.map((model, index) => {
      const member = members[index + 1] ?? ''
      return { member, planned: planFunction(model, `${prefix}${toPascalCase(member)}`, context) }
    }),
  }
}

function planFunction(model: FunctionModel, prefix: string, context: PlanContext): PlannedFunction {
  const { names } = context
  const toNode = createConverter(context)
  const members = toMembers(model, toNode)
  const argumentsName = members.length > 0 ? names.take(`${prefix}Arguments`) : undefined
  const schema = model.result?.schema
  const resultNode = toNode(schema)
  const isSimple = resultNode.kind === 'reference' || resultNode.kind === 'keyword'
  const resultName = isSimple ? undefined : names.take(`${prefix}Result`)
  const hasErrors = model.errors.length > 0
  const item = itemOf(schema, context.document)
  return {
    model,
    arguments: argumentsName === undefined ? undefined : { name: argumentsName, members },
    firstParameter: printFirst(model, argumentsName),
    resultName,
    resultNode,
    resultType: resultName ?? printType(resultNode),
    errorName: hasErrors ? names.take(`${prefix}Error`) : undefined,
    errors: model.errors.map((definition) => {
      if (definition.data === undefined) return { definition }
      const name = names.take(`${prefix}${toPascalCase(definition.code.toLowerCase())}Details`)
      return { definition, details: { name, node: toNode(definition.data) } }
    }),
    guardName: hasErrors ? names.take(`is${prefix}Error`) : '',
    codesName: hasErrors ? names.take(`${toConstant(prefix)}_CODES`) : '',
    queryName: model.query ? names.take(`${prefix}Query`) : undefined,
    attributesType:
      item === schema
        ? printAttributes(toNode(item))
        : `${resultName ?? printType(resultNode)}[number]`,
    attributeType: (attribute) => {
      const properties = derefSchema(item, context.document)?.['properties']
      if (!isRecord(properties) || !Object.hasOwn(properties, attribute)) return undefined
      return toNode(properties[attribute])
    },
    resource: resourceOf(model, context.document),
  }
}

function printFirst(model: FunctionModel, name: string | undefined): string {
  if (name === undefined) {
    const type =
      model.arguments === undefined ? 'Readonly<Record<string, unknown>>' : 'Record<string, never>'
    return `callArguments?: ${type}`
  }
  const isNeeded = model.arguments?.some(({ required }) => required === true)
  return `callArguments${isNeeded ? '' : '?'}: ${name}`
}

function printAttributes(item: TypeNode): string {
  return item.kind === 'keyword' ? 'Readonly<Record<string, unknown>>' : printType(item, '  ')
}

type Convert = (schema: unknown) => TypeNode

function createConverter({ document, types }: PlanContext): Convert {
  const shared = createResolve('', types)
  return (schema) => {
    const local = isRecord(schema)
      ? { ...asRecord(schema['definitions']), ...asRecord(schema['$defs']) }
      : {}
    const resolve = (ref: string): RefTarget | undefined => {
      const name = /^#\/(?:definitions|\$defs)\/([^/]+)$/.exec(ref)?.[1]
      if (name !== undefined && Object.hasOwn(local, name)) return { schema: local[name] }
      if (ref.startsWith('#/components/schemas/')) return shared(ref)
      const found = ref.startsWith('#/') ? resolvePointer(document, ref.slice(1)) : undefined
      return found === undefined ? undefined : { schema: found }
    }
    return toTypeNode(schema, { resolve })
  }
}

function toMembers(model: FunctionModel, toNode: Convert): readonly MemberNode[] {
  const members = new Map<string, MemberNode>()
  for (const { name, schema, required, summary, description, deprecated } of model.arguments ??
    []) {
    if (members.has(name)) continue
    const own = toSchemaDoc(schema)
    const text = [description, summary, own.text].find((part) => typeof part === 'string')
    const tags = [...(own.tags ?? [])]
    if (deprecated === true && !tags.some((tag) => tag.name === 'deprecated')) {
      tags.unshift({ name: 'deprecated' })
    }
    members.set(name, {
      key: name,
      type: toNode(schema),
      optional: required !== true,
      doc: { text, tags },
    })
  }
  return [...members.values()]
}

/** The schema of one resource of a list; that of the result itself where it is not a list. */
function itemOf(schema: unknown, document: DiscoveryDocument): unknown {
  const list = derefSchema(schema, document)
  return list?.['type'] === 'array' ? list['items'] : schema
}

function derefSchema(
  schema: unknown,
  document: DiscoveryDocument,
): Record<string, unknown> | undefined {
  const target = followReference(schema, document)
  return isRecord(target) ? target : undefined
}

function resourceOf(
  { name }: FunctionModel,
  { components }: DiscoveryDocument,
): Resource | undefined {
  const [first = ''] = name.split('.')
  const resources: unknown = components?.resources
  if (!isRecord(resources) || !Object.hasOwn(resources, first)) return undefined
  const found = resources[first]
  return isRecord(found) && isRecord(found['attributes'])
    ? (found as unknown as Resource)
    : undefined
}

function toConstant(prefix: string): string {
  return prefix.replace(/([a-z0-9])([A-Z])/g, '$1_$2').toUpperCase()
}
