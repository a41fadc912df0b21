import type { AuthConfig, FieldDef, FieldLocation, FieldStyle, ToolDef, ToolSpec } from './types.ts'

/** Names the argument that fills a field: `arg`, else the wire name, else `body`. */
export function argumentName(field: FieldDef): string {
  return field.arg ?? field.name ?? 'body'
}

/** Lists the names between braces in a path, in order, each once. */
export function placeholdersOf(path: string): string[] {
  const names = Array.from(path.matchAll(/\{([^{}]*)\}/g), (match) => match[1] ?? '')
  return [...new Set(names)]
}

/** Tells where an entry of `params` travels: `in`, else `path` when the path names it, else `query`. */
export function locationOf(tool: ToolDef, field: FieldDef): FieldLocation {
  if (field.in !== undefined) return field.in
  return placeholdersOf(tool.path ?? '').includes(field.name ?? '') ? 'path' : 'query'
}

/** Tells how a parameter is written: its style and explode with the defaults of OpenAPI filled in. */
export function styleOf(
  field: FieldDef,
  location: FieldLocation,
): { readonly style: FieldStyle; readonly explode: boolean } {
  const usual = location === 'query' || location === 'cookie' ? 'form' : 'simple'
  const style = field.style ?? usual
  return { style, explode: field.explode ?? (style === 'form' || style === 'deepObject') }
}

/** Lists the ways to authenticate, each with all its credentials; a way that needs none is an empty list. */
export function waysOf(auth: AuthConfig): (readonly AuthConfig[])[] {
  return [auth, ...(auth.or ?? [])].map((way) =>
    [way, ...(way.also ?? [])].filter(({ type }) => type !== 'none'),
  )
}

/** Picks the auth of a tool: its own as a whole, else that of the file, else none. */
export function authOf(spec: ToolSpec, tool: ToolDef): AuthConfig {
  return tool.auth ?? spec.auth ?? { type: 'none' }
}

/** Tells whether an integer may be too large for a JSON number, so that it is also taken as a string of digits. */
export function takesDigits(field: FieldDef): boolean {
  if (!isNumeric(field) || (field.enum ?? []).length > 0) return false
  const isBounded = lowest(field) !== undefined && highest(field) !== undefined
  return (field.format === 'int64' || field.format === 'uint64') && !isBounded
}

/** Tells whether a field holds numbers. */
export function isNumeric({ type }: FieldDef): boolean {
  return type === 'integer' || type === 'number'
}

/** Describes the strings of digits that such an integer is taken as; bounds are compared beside it. */
export function digitsPattern(field: FieldDef): string {
  const low = field.format === 'uint64' ? Math.max(lowest(field) ?? 0, 0) : lowest(field)
  const digits = field.format === 'uint64' ? '[1-9][0-9]{0,19}' : '[1-9][0-9]{0,18}'
  if (low === undefined) return `^(0|-?${digits})$`
  return low > 0 ? `^${digits}$` : `^(0|${digits})$`
}

function lowest({ minimum, exclusive_minimum: above }: FieldDef): number | undefined {
  return minimum ?? (above === undefined ? undefined : above + 1)
}

function highest({ maximum, exclusive_maximum: below }: FieldDef): number | undefined {
  return maximum ?? below
}
