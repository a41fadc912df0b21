// The one job every server does: orders.create with checked envelope and arguments.

/** The request every server gets: a Forrst envelope with an order of two lines. */
export const REQUEST = JSON.stringify({
  protocol: { name: 'forrst', version: '0.1.0' },
  id: 'req_7Q2',
  call: {
    function: 'orders.create',
    version: '2.0.0',
    arguments: {
      customer_id: 'c_42',
      items: [
        { product_id: 'W-1', quantity: 2 },
        { product_id: 'W-2', quantity: 1 },
      ],
    },
  },
})

/** Schema of the arguments. */
export const ORDER_SCHEMA = {
  type: 'object',
  required: ['customer_id', 'items'],
  properties: {
    customer_id: { type: 'string', minLength: 1 },
    items: {
      type: 'array',
      minItems: 1,
      items: {
        type: 'object',
        required: ['product_id', 'quantity'],
        properties: { product_id: { type: 'string' }, quantity: { type: 'integer', minimum: 1 } },
      },
    },
  },
}

/** Schema of the envelope, for servers that check with a library. */
export const ENVELOPE_SCHEMA = {
  type: 'object',
  required: ['protocol', 'id', 'call'],
  properties: {
    protocol: {
      type: 'object',
      required: ['name', 'version'],
      properties: { name: { const: 'forrst' }, version: { type: 'string' } },
    },
    id: { type: 'string', minLength: 1 },
    call: {
      type: 'object',
      required: ['function'],
      properties: {
        function: { type: 'string', minLength: 1 },
        version: { type: 'string' },
        arguments: ORDER_SCHEMA,
      },
    },
  },
}

/** What the function does. */
export function createOrder(input) {
  let total = 0
  for (const item of input.items) total += item.quantity * 9.5
  return { id: 'ord_1', status: 'pending', total }
}

/** Tells the harness on which port the server listens, and gives CPU time and memory when asked. */
export function report(server) {
  process.send?.({ port: server.address().port })
}

process.on('message', (message) => {
  if (message === 'usage') {
    process.send({ usage: process.cpuUsage(), memory: process.memoryUsage().rss })
  }
})
