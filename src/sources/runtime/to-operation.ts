import { formatPointer } from '../../values/index.ts'
import {
  type AuthConfig,
  argumentName,
  authOf,
  type FieldDef,
  locationOf,
  styleOf,
  type ToolDef,
  type ToolSpec,
  takesDigits,
} from '../tool-spec/index.ts'
import type { ApiOperation, AuthRule, BodyField, BodyRule, ParamRule } from './operation.ts'

/** Reduces a tool to the request it stands for; undefined when it is not an HTTP tool. */
export function toApiOperation(spec: ToolSpec, tool: ToolDef): ApiOperation | undefined {
  const { method, path } = tool
  if (method === undefined || path === undefined) return undefined
  const params = (tool.params ?? []).map((field) => toParamRule(tool, field))
  const body = toBodyRule(tool)
  const auth = toAuthRule(authOf(spec, tool))
  return {
    tool: tool.name,
    method,
    base_url: tool.base_url ?? spec.base_url ?? '',
    path,
    ...(params.length > 0 && { params }),
    ...(body && { body }),
    ...(auth && { auth }),
    ...(tool.response && { response: keep(tool.response, ['pick', 'max_bytes', 'max_items']) }),
    ...(tool.paginate && {
      paginate: keep(tool.paginate, ['style', 'cursor', 'limit', 'items', 'next']),
    }),
  }
}

// Defaults are left out: the rules are printed into generated code, where every line is read.
function toParamRule(tool: ToolDef, field: FieldDef): ParamRule {
  const location = locationOf(tool, field)
  const usual = styleOf({ type: field.type }, location)
  const { style, explode } = styleOf(field, location)
  const digits = field.content_type?.includes('json') ? digitPointers(field) : []
  const usualExplode = styleOf({ type: field.type, style }, location).explode
  return {
    ...namesOf(field),
    in: location,
    ...(field.const !== undefined && { value: field.const }),
    ...(style !== usual.style && { style }),
    ...(explode !== usualExplode && { explode }),
    ...(field.allow_reserved && { allow_reserved: true }),
    ...(field.content_type !== undefined && { content_type: field.content_type }),
    ...(digits.length > 0 && { digits }),
  }
}

function toBodyRule(tool: ToolDef): BodyRule | undefined {
  const type = tool.content_type ?? 'json'
  const fields = (tool.body ?? []).map((field) => toBodyField(field, type))
  const root = tool.body_root && toBodyField(tool.body_root, type)
  if (fields.length === 0 && root === undefined) return undefined
  return {
    type,
    ...(tool.media_type !== undefined && { media_type: tool.media_type }),
    ...(root ? { root } : { fields }),
  }
}

function toBodyField(field: FieldDef, type: BodyRule['type']): BodyField {
  const format = field.format ?? field.items?.format
  const isBinary = format === 'binary' && (type === 'multipart' || type === 'raw')
  const digits = type === 'raw' ? [] : digitPointers(field)
  return {
    ...namesOf(field),
    ...(field.rest && { rest: true }),
    ...(admitsNull(field) && { nullable: true }),
    ...(isBinary && { binary: true }),
    ...(field.style !== undefined && { style: field.style }),
    ...(field.explode !== undefined && { explode: field.explode }),
    ...(field.content_type !== undefined && { content_type: field.content_type }),
    ...(digits.length > 0 && { digits }),
  }
}

function namesOf(field: FieldDef): { readonly arg: string; readonly name?: string } {
  const arg = argumentName(field)
  return field.name === undefined || field.name === arg ? { arg } : { arg, name: field.name }
}

function admitsNull(field: FieldDef): boolean {
  return field.nullable === true || (field.any_of ?? []).some(admitsNull)
}

function digitPointers(field: FieldDef, path = ''): string[] {
  const own = field.wire_type === 'integer' || takesDigits(field) ? [path] : []
  const items = field.items ? digitPointers(field.items, `${path}/*`) : []
  const values = field.values ? digitPointers(field.values, `${path}/~*`) : []
  const properties = (field.properties ?? []).flatMap((property) => {
    const at = path + formatPointer([property.name ?? ''])
    const inner = digitPointers(property, at)
    // A member with a name of its own is none of the others, even when it holds no digits.
    return inner.length === 0 && values.length > 0 ? [`${at}/~`] : inner
  })
  const alternatives = (field.any_of ?? []).flatMap((one) => digitPointers(one, path))
  return [...new Set([...own, ...items, ...properties, ...values, ...alternatives])]
}

function toAuthRule(auth: AuthConfig): AuthRule | undefined {
  if (auth.type === 'none' && auth.or === undefined) return undefined
  const also = (auth.also ?? []).map(toAuthRule).filter((rule) => rule !== undefined)
  const or = (auth.or ?? []).map((way) => toAuthRule(way) ?? { type: 'none' })
  return {
    ...keep(auth, [
      'type',
      'env',
      'header',
      'in',
      'name',
      'prefix',
      'scopes',
      'token_url',
      'discovery_url',
    ]),
    ...(also.length > 0 && { also }),
    ...(or.length > 0 && { or }),
  }
}

function keep<Value extends object, Key extends keyof Value>(
  value: Value,
  keys: readonly Key[],
): Pick<Value, Key> {
  const entries = keys.flatMap((key) => (value[key] === undefined ? [] : [[key, value[key]]]))
  return Object.fromEntries(entries) as Pick<Value, Key>
}
