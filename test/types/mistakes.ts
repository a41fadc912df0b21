/** A mistake that users make, and the field that the first line of the compiler has to name. */
export interface Mistake {
  readonly title: string
  readonly field: string
  readonly code: string
}

/** A mistake and what a compiler said about it. */
export interface CompiledMistake extends Mistake {
  readonly lines: readonly string[]
}

/** Reads the mistakes of the golden file: `## title: \`field\`` and a block of code each; `## setup` comes first. */
export function readMistakes(text: string): readonly Mistake[] {
  return [...text.matchAll(/^## (.*): `([^`]+)`\n\n```ts\n([\s\S]*?)```/gm)].map(
    ([, title = '', field = '', code = '']) => ({ title, field, code }),
  )
}

const SETUP = `import { createService, defineFunction, defineMiddleware } from 'waymark'
import { createClient } from 'waymark/client'
import { z } from 'zod'

const order = z.object({ id: z.string(), status: z.enum(['pending', 'confirmed']), total: z.number() })
declare function load(id: string): Promise<z.infer<typeof order>>
const withUser = defineMiddleware(({ next }) => next({ user: { id: 'u_1' } }))
const get1 = defineFunction({ name: 'orders.get', version: '1.0.0', input: z.object({ number: z.int() }), output: order, handler: () => load('o') })
const get2 = defineFunction({ name: 'orders.get', version: '2.0.0', input: z.object({ id: z.string() }), output: order, handler: () => load('o') })
const create = defineFunction({ name: 'orders.create', version: '1.0.0', input: z.object({ customer_id: z.string(), status: z.enum(['pending', 'confirmed']).optional() }), output: order, errors: [{ code: 'ORDERS_SOLD_OUT', message: 'Sold out' }], handler: () => load('o') })
const service = createService({ info: { title: 'Orders', version: '1.0.0' }, functions: [get1, get2, create] })
const orders = createClient<typeof service>({ url: 'http://127.0.0.1:4000/forrst' })
`

/** Puts all mistakes into one module, each in a scope of its own. */
export function toSource(mistakes: readonly Mistake[]): string {
  const scopes = mistakes.map(
    ({ code }, index) => `export async function mistake${index}() {\n${code}}\n`,
  )
  return [SETUP, ...scopes].join('')
}

/** Finds what a compiler said about each mistake; places count from the first line of its block. */
export function formatMistakes(
  mistakes: readonly Mistake[],
  output: string,
): readonly CompiledMistake[] {
  let start = SETUP.split('\n').length
  return mistakes.map((mistake) => {
    const length = mistake.code.split('\n').length - 1
    const first = start + 1
    start += length + 2
    return { ...mistake, lines: linesBetween(output, first, mistake.code) }
  })
}

function linesBetween(output: string, first: number, code: string): readonly string[] {
  const length = code.split('\n').length - 1
  const found: string[] = []
  let inside = false
  for (const line of output.split('\n')) {
    const [, row, column, message] = /^mistakes\.ts\((\d+),(\d+)\): error (.*)$/.exec(line) ?? []
    if (row !== undefined) {
      const own = Number(row) - first
      inside = own >= 0 && own < length
      if (inside) found.push(`${own + 1}:${column} ${wordAt(code, own, Number(column))}${message}`)
    } else if (inside && line.startsWith(' ')) found.push(line)
    else inside = false
  }
  return found
}

/** The word that a message points at. */
function wordAt(code: string, row: number, column: number): string {
  const [word] = /^\w+/.exec(code.split('\n')[row]?.slice(column - 1) ?? '') ?? []
  return word === undefined ? '' : `at ${word}: `
}
