import { parseSync } from 'oxc-parser'

/** What a file of code consists of, without the values of its literals and the spelling of its keys. */
export interface CodeShape {
  /** One line per node, in order: its depth, type, and name where a name means something. */
  readonly nodes: readonly string[]
  readonly comments: readonly string[]
}

/** Parses code and reduces it to its shape; throws when it does not parse. */
export function readShape(code: string): CodeShape {
  const { program, comments, errors } = parseSync('generated.ts', code)
  if (errors.length > 0) throw new SyntaxError(errors.map((error) => error.message).join('; '))
  const nodes: string[] = []
  walk(program, 0, nodes)
  return { nodes, comments: comments.map((comment) => comment.value) }
}

const KEYED = new Set(['Property', 'TSPropertySignature'])

function walk(node: unknown, depth: number, nodes: string[]): void {
  if (Array.isArray(node)) {
    for (const child of node) walk(child, depth, nodes)
    return
  }
  if (typeof node !== 'object' || node === null) return
  const { type, name } = node as { type?: string; name?: unknown }
  if (typeof type === 'string') {
    nodes.push(
      `${depth} ${type}${type === 'Identifier' && typeof name === 'string' ? ` ${name}` : ''}`,
    )
  }
  const isKeyed = type !== undefined && KEYED.has(type)
  for (const [key, child] of Object.entries(node)) {
    // A key is bare, quoted or in brackets, depending on its spelling.
    if (isKeyed && key === 'key' && isConstant(child)) continue
    walk(child, depth + 1, nodes)
  }
}

function isConstant(key: unknown): boolean {
  const { type, value } = key as { type: string; value?: unknown }
  return type === 'Identifier' || (type === 'Literal' && typeof value === 'string')
}
