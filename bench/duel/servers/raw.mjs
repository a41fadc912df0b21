// The limit: bare node:http, JSON.parse, checks by hand, JSON.stringify. `/out` and `/items` for large answers.
import { createServer } from 'node:http'
import { createOrder, isOrder, listOrders, PLACE, readBody, ready } from '../job.mjs'

const lists = new Map()

function send(response, status, value) {
  const text = JSON.stringify(value)
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': Buffer.byteLength(text),
  })
  response.end(text)
}

function answer(response, text) {
  let document
  try {
    document = JSON.parse(text)
  } catch {
    return send(response, 400, { error: { code: 'parse_error' } })
  }
  const { protocol, id, call } = document ?? {}
  if (call?.function !== 'orders.create' || call.version !== '1.0.0') {
    return send(response, 404, { error: { code: 'not_found' } })
  }
  if (!isOrder(call.arguments)) return send(response, 400, { id, error: { code: 'invalid' } })
  return send(response, 200, { protocol, id, result: createOrder(call.arguments) })
}

function answerList(response, text) {
  const { bytes } = JSON.parse(text)
  if (!lists.has(bytes)) lists.set(bytes, listOrders(bytes))
  send(response, 200, { orders: lists.get(bytes) })
}

async function answerItems(response, text) {
  const { count } = JSON.parse(text)
  response.writeHead(200, { 'content-type': 'application/jsonl' })
  for (let index = 0; index < count; index += 1) {
    if (response.write(`{"item":${JSON.stringify({ index, name: `item ${index}` })}}\n`)) continue
    await new Promise((resolve) => response.once('drain', resolve))
  }
  response.end()
}

const ROUTES = { '/rpc': answer, '/out': answerList, '/items': answerItems }
createServer((request, response) => {
  const route = request.method === 'POST' ? ROUTES[request.url] : undefined
  if (route === undefined) return send(response, 404, { error: { code: 'not_found' } })
  return readBody(request, (text) => route(response, text))
}).listen(PLACE, ready)
