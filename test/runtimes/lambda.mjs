// The checks through events of API Gateway, payload 2.0 and 1.0, as AWS documents them.
import { toLambdaHandler } from 'waymark'
import { runChecks } from './checks.mjs'
import { app } from './service.mjs'

const handler = toLambdaHandler(app)

async function toParts(request) {
  const url = new URL(request.url)
  const headers = { host: url.host, ...Object.fromEntries(request.headers) }
  const body = request.method === 'GET' ? undefined : Buffer.from(await request.arrayBuffer())
  return { url, headers, body, method: request.method }
}

function toResponse({ statusCode, headers, body, isBase64Encoded }) {
  return new Response(isBase64Encoded ? Buffer.from(body, 'base64') : body, {
    status: statusCode,
    headers,
  })
}

async function viaSecond(request) {
  const { url, headers, body, method } = await toParts(request)
  return toResponse(
    await handler({
      version: '2.0',
      rawPath: `/prod${url.pathname}`,
      rawQueryString: url.search.slice(1),
      headers,
      requestContext: {
        stage: 'prod',
        http: { method, path: url.pathname, sourceIp: '203.0.113.9' },
      },
      body: body?.toString('base64'),
      isBase64Encoded: true,
    }),
  )
}

async function viaFirst(request) {
  const { url, headers, body, method } = await toParts(request)
  const names = Object.keys(headers)
  return toResponse(
    await handler({
      version: '1.0',
      httpMethod: method,
      path: url.pathname,
      multiValueQueryStringParameters: null,
      multiValueHeaders: Object.fromEntries(names.map((name) => [name, [headers[name]]])),
      requestContext: { stage: 'prod', identity: { sourceIp: '203.0.113.9' } },
      body: body?.toString() ?? null,
      isBase64Encoded: false,
    }),
  )
}

const count = (await runChecks(viaSecond)) + (await runChecks(viaFirst))
const refused = await handler({ Records: [] }).catch((error) => error.message)
if (!refused.includes('this event has no method')) throw new Error(refused)
console.log(`${count} checks; an event of a queue: says so`)
process.exit(0)
