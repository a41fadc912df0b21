// The one job every server does: orders.create with checked arguments. Same handler code everywhere.
const PRICES = new Map()
for (let id = 0; id < 100; id += 1) PRICES.set(`prd_${String(id).padStart(4, '0')}`, 250 + id * 10)
let last = 100_000

/** What the function does; ids have one width, so that every right answer has the same length. */
export function createOrder({ items }) {
  let total = 0
  for (const item of items) total += item.quantity * (PRICES.get(item.product_id) ?? 1_000)
  last = last === 999_999 ? 100_000 : last + 1
  return { id: `ord_${last}`, status: 'created', total }
}

export const ARGUMENTS = {
  type: 'object',
  properties: {
    customer_id: { type: 'string' },
    items: {
      type: 'array',
      items: {
        type: 'object',
        properties: { product_id: { type: 'string' }, quantity: { type: 'integer', minimum: 1 } },
        required: ['product_id', 'quantity'],
      },
    },
    note: { type: 'string' },
  },
  required: ['customer_id', 'items'],
}

/** The same facts for Zod. */
export const zodArguments = (z) =>
  z.object({
    customer_id: z.string(),
    items: z.array(z.object({ product_id: z.string(), quantity: z.int().min(1) })),
    note: z.string().optional(),
  })

/** The same checks by hand. */
export function isOrder(input) {
  if (typeof input !== 'object' || input === null || typeof input.customer_id !== 'string')
    return false
  if (input.note !== undefined && typeof input.note !== 'string') return false
  if (!Array.isArray(input.items)) return false
  for (const item of input.items) {
    if (typeof item !== 'object' || item === null || typeof item.product_id !== 'string')
      return false
    if (!Number.isInteger(item.quantity) || item.quantity < 1) return false
  }
  return true
}

/** Arguments of the load: 64 different ones of the same length. */
export function toArguments(index, lines = 2) {
  const n = index % 64
  return {
    customer_id: `cus_${100_000 + n}`,
    items: Array.from({ length: lines }, (_, line) => ({
      product_id: `prd_00${10 + ((n + 10 * line) % 60)}`,
      quantity: 13 + ((n + line) % 5),
    })),
    note: `leave at door ${10 + n}`,
  }
}

export function totalOf({ items }) {
  return items.reduce(
    (sum, { product_id, quantity }) => sum + quantity * (250 + Number(product_id.slice(4)) * 10),
    0,
  )
}

/** What every server has to refuse. */
export const WRONG = [
  { customer_id: 'c', items: [{ product_id: 'p', quantity: 0 }] },
  { customer_id: 'c', items: [{ product_id: 'p', quantity: 1.5 }] },
  { customer_id: 'c', items: [{ product_id: 'p', quantity: '2x' }] },
  { items: [{ product_id: 'p', quantity: 1 }] },
  { customer_id: 'c', items: 'x' },
  { customer_id: 'c', items: [{ product_id: 'p', quantity: 1 }], note: { a: 1 } },
]

/** A list of orders that takes about so many bytes as JSON. */
export function listOrders(bytes) {
  const one = () => ({ id: 'ord_123456', status: 'created', total: 15_140, customer: 'cus_100007' })
  return Array.from({ length: Math.round(bytes / (JSON.stringify(one()).length + 1)) }, one)
}

/** Gathers the body of a node:http request. */
export function readBody(request, done) {
  let first
  let chunks
  request.on('data', (chunk) => {
    if (first === undefined) first = chunk
    else {
      chunks ??= [first]
      chunks.push(chunk)
    }
  })
  request.on('end', () => done((chunks ? Buffer.concat(chunks) : first)?.toString() ?? ''))
}

/** Where a server listens, and how it says so. */
export const PLACE = { port: Number(process.env.PORT ?? 0), host: '127.0.0.1' }
export const ready = () => process.stdout.write(`ready ${process.pid}\n`)
// A clean end, so that --cpu-prof writes its file.
process.on('SIGTERM', () => process.exit(0))
