/** A TypeScript type, before it is printed. */
export type TypeNode =
  | { readonly kind: 'keyword'; readonly name: Keyword }
  | { readonly kind: 'literal'; readonly value: unknown }
  | { readonly kind: 'array'; readonly items: TypeNode }
  | TupleNode
  | ObjectNode
  | { readonly kind: 'union'; readonly types: readonly TypeNode[] }
  | { readonly kind: 'intersection'; readonly types: readonly TypeNode[] }
  | { readonly kind: 'reference'; readonly name: string }

/** What a doc comment says: free text of the document, and tags that the emitter itself writes. */
export interface Doc {
  readonly text?: string | undefined
  readonly tags?: readonly DocTag[]
}

/** A tag of a doc comment: the name is ours, the text may be the document's. */
export interface DocTag {
  readonly name: 'deprecated' | 'default' | 'example' | 'format' | 'minimum' | 'maximum' | 'pattern'
  readonly text?: string
}

/** A type that TypeScript has a word for. */
export type Keyword = 'string' | 'number' | 'boolean' | 'null' | 'undefined' | 'unknown' | 'never'

/** A list whose places have types of their own. */
export interface TupleNode {
  readonly kind: 'tuple'
  readonly items: readonly TypeNode[]
  /** How many places must be filled. */
  readonly required: number
  /** Type of what may follow; nothing may when absent. */
  readonly rest?: TypeNode
}

/** An object with known members, an index, or both. */
export interface ObjectNode {
  readonly kind: 'object'
  readonly members: readonly MemberNode[]
  /** Type of members that are not known by name. */
  readonly index?: TypeNode
}

/** A member of an object. */
export interface MemberNode {
  readonly key: string
  readonly type: TypeNode
  readonly optional: boolean
  readonly doc: Doc
}

/** Makes the node of a keyword. */
export function keyword(name: Keyword): TypeNode {
  return { kind: 'keyword', name }
}

/** Joins alternatives: nested unions open up, repeated members go, `unknown` takes all. */
export function toUnion(types: readonly TypeNode[]): TypeNode {
  const flat = types.flatMap((type) => (type.kind === 'union' ? type.types : [type]))
  if (flat.some((type) => isKeyword(type, 'unknown'))) return keyword('unknown')
  return join('union', unique(flat.filter((type) => !isKeyword(type, 'never'))), 'never')
}

/** Joins demands that all hold: `unknown` demands nothing. */
export function toIntersection(types: readonly TypeNode[]): TypeNode {
  const flat = types.flatMap((type) => (type.kind === 'intersection' ? type.types : [type]))
  return join('intersection', unique(flat.filter((type) => !isKeyword(type, 'unknown'))), 'unknown')
}

/** Tells whether a node is a certain keyword. */
export function isKeyword(type: TypeNode, name: Keyword): boolean {
  return type.kind === 'keyword' && type.name === name
}

function join(
  kind: 'union' | 'intersection',
  types: readonly TypeNode[],
  empty: Keyword,
): TypeNode {
  const [only] = types
  if (only === undefined) return keyword(empty)
  return types.length === 1 ? only : { kind, types }
}

function unique(types: readonly TypeNode[]): readonly TypeNode[] {
  if (types.length < 2) return types
  const seen = new Set<string>()
  return types.filter((type) => {
    if (type.kind === 'object' || type.kind === 'tuple') return true
    const isText = type.kind === 'literal' && typeof type.value === 'string'
    const key = isText ? `"${type.value}` : JSON.stringify(type)
    return !seen.has(key) && seen.add(key)
  })
}
