import type { JSX } from 'preact'
import {
  describeRules,
  describeType,
  placesOf,
  resolveSchema,
  toFieldKind,
  variantsOf,
} from '../form/schema.ts'
import type { Schema, SchemaObject } from '../model/types.ts'
import { Prose } from './prose.tsx'

const MAX_DEPTH = 8

/** Explains a schema: every member with its type, its rules and its meaning. */
export function SchemaView({
  schema,
  root,
}: {
  readonly schema: Schema
  readonly root: Schema
}): JSX.Element {
  const resolved = resolveSchema(schema, root)
  const members = toMembers(resolved)
  if (members.length > 0) return <MemberList members={members} root={root} depth={0} />
  return (
    <p class="empty">
      {describeType(schema, root)}
      {resolved.description && `: ${resolved.description}`}
    </p>
  )
}

interface Member {
  readonly name: string
  readonly schema: Schema
  readonly required: boolean
}

function MemberList({
  members,
  root,
  depth,
}: {
  readonly members: readonly Member[]
  readonly root: Schema
  readonly depth: number
}): JSX.Element {
  return (
    <ul class="members">
      {members.map((member) => (
        <li key={member.name}>
          <MemberRow member={member} root={root} depth={depth} />
        </li>
      ))}
    </ul>
  )
}

function MemberRow({
  member: { name, schema, required },
  root,
  depth,
}: {
  readonly member: Member
  readonly root: Schema
  readonly depth: number
}): JSX.Element {
  const resolved = resolveSchema(schema, root)
  const inner = toMembers(resolved)
  const rules = describeRules(resolved)
  return (
    <>
      <div class="member-head">
        <code class="member-name">{name}</code>
        <span class="field-type">{describeType(schema, root)}</span>
        {required && <span class="required">required</span>}
        {resolved.deprecated && <span class="badge warn">deprecated</span>}
      </div>
      {resolved.description && <Prose text={resolved.description} class="field-help" />}
      {resolved.enum && <Choices values={resolved.enum} />}
      {rules.length > 0 && <p class="field-rules">{rules.join(' · ')}</p>}
      {inner.length > 0 && depth < MAX_DEPTH && (
        <details open={depth < 1}>
          <summary>
            {inner.length} {inner.length === 1 ? 'member' : 'members'}
          </summary>
          <MemberList members={inner} root={root} depth={depth + 1} />
        </details>
      )}
    </>
  )
}

function Choices({ values }: { readonly values: readonly unknown[] }): JSX.Element {
  return (
    <p class="choices">
      {values.slice(0, 40).map((value) => (
        <code key={JSON.stringify(value)}>{JSON.stringify(value)}</code>
      ))}
      {values.length > 40 && `… and ${values.length - 40} more`}
    </p>
  )
}

function toMembers(schema: SchemaObject): readonly Member[] {
  const required = new Set(schema.required)
  switch (toFieldKind(schema)) {
    case 'object':
      return Object.entries(schema.properties ?? {}).map(([name, property]) => ({
        name,
        schema: property,
        required: required.has(name),
      }))
    case 'map':
      return [{ name: '*', schema: schema.additionalProperties ?? true, required: false }]
    case 'list':
      return schema.items === undefined || isPlain(schema.items as Schema)
        ? []
        : [{ name: 'item', schema: schema.items as Schema, required: false }]
    case 'tuple':
      return placesOf(schema).map((place, at) => ({
        name: `place ${at + 1}`,
        schema: place,
        required: true,
      }))
    case 'variants':
      return variantsOf(schema).map((variant, at) => ({
        name: (typeof variant === 'object' && variant.title) || `alternative ${at + 1}`,
        schema: variant,
        required: false,
      }))
    default:
      return []
  }
}

/** A list of plain values is fully said by its type. */
function isPlain(items: Schema): boolean {
  if (typeof items === 'boolean') return true
  return (
    items.$ref === undefined &&
    ['text', 'number', 'boolean'].includes(toFieldKind(items)) &&
    !items.description
  )
}
