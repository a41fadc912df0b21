import { request as requestHttp } from 'node:http'
import { request as requestHttps } from 'node:https'
import { asRecord, isList, isRecord, toReason } from '../../values/index.ts'
import { type Diagnosis, diagnose, judgeClock } from './diagnosis.ts'
import { toSkew } from './redis.ts'

/** A service somewhere, as its callers reach it. */
export interface Deployment {
  readonly url: URL
  readonly headers: Readonly<Record<string, string>>
  readonly signal: AbortSignal
}

interface Answer {
  readonly status: number
  readonly header: (name: string) => string | undefined
  readonly body: string
}

/** Looks at a service from outside; nothing it sends has an effect. */
export async function checkDeployment(deployment: Deployment): Promise<readonly Diagnosis[]> {
  const asked = Date.now()
  let alive: Answer
  try {
    alive = await ask(deployment, '/health/live')
  } catch (thrown) {
    const next = 'look whether it runs, and whether name, port, firewall and certificate are right'
    return [diagnose.fail('service', `cannot be reached: ${toReason(thrown)}`, next)]
  }
  if (alive.status !== 200) return [judgeLife(alive.status)]
  const told = Date.parse(alive.header('date') ?? '')
  // The header has whole seconds, so on average half of one is missing.
  const clock = Number.isNaN(told) ? [] : [judgeClock('clock', toSkew(asked, told + 500))]
  const parts = [checkReadiness, checkPublicUrl, checkOrigin, checkForwarding, checkExecution]
  const findings = [diagnose.ok('service', 'answers'), ...clock, judgeScheme(deployment)].flat()
  for (const check of [...parts, checkMetrics]) findings.push(await attempt(check, deployment))
  return findings
}

async function attempt(
  check: (deployment: Deployment) => Promise<Diagnosis>,
  deployment: Deployment,
): Promise<Diagnosis> {
  try {
    return await check(deployment)
  } catch (thrown) {
    return diagnose.warn(
      'service',
      `a request failed: ${toReason(thrown)}`,
      'run the command again',
    )
  }
}

function judgeLife(status: number): Diagnosis {
  if (status === 403) {
    const next = 'start it with --public-url, or --allow-host with the name in this URL'
    return diagnose.fail('service', 'it does not know the name it is called by (403)', next)
  }
  const next = 'this URL is not the root of a waymark service, or a proxy answers in its place'
  return diagnose.fail('service', `/health/live answers ${status}`, next)
}

async function checkReadiness(deployment: Deployment): Promise<Diagnosis> {
  const { status } = await ask(deployment, '/health/ready')
  if (status === 200) return diagnose.ok('readiness', 'ready')
  const next = `waymark health ${deployment.url.origin} says which component is not well`
  return diagnose.fail('readiness', `not ready (${status})`, next)
}

function judgeScheme({ url }: Deployment): Diagnosis {
  if (url.protocol === 'https:') return diagnose.ok('transport', 'https')
  if (isLoopback(url)) return diagnose.ok('transport', 'http, on this machine')
  const next = 'put a proxy with TLS in front: tokens and arguments can be read on the way'
  return diagnose.warn('transport', 'http over a network', next)
}

/** The documents of a service name where it is reached; a profile does, where there is one. */
async function checkPublicUrl(deployment: Deployment): Promise<Diagnosis> {
  const { url } = deployment
  const { status, body } = await ask(deployment, '/.well-known/ucp')
  const origins = status === 200 ? listEndpoints(parse(body)) : []
  const wrong = origins.find((origin) => origin !== url.origin)
  if (wrong !== undefined) {
    const next = `start the service with --public-url ${url.origin}`
    const found = `its profile names ${wrong}, and it is reached at ${url.origin}`
    return isLoopback(url)
      ? diagnose.ok('public URL', found)
      : diagnose.fail('public URL', found, next)
  }
  return diagnose.ok('public URL', origins.length > 0 ? url.origin : 'it publishes no profile')
}

function listEndpoints(document: unknown): readonly string[] {
  const { services } = asRecord(asRecord(document)['ucp'])
  return Object.values(asRecord(services))
    .flatMap((entries) => (isList(entries) ? entries : []))
    .flatMap((entry) => (isRecord(entry) ? [entry['endpoint']] : []))
    .flatMap((endpoint) =>
      typeof endpoint === 'string' && URL.canParse(endpoint) ? [new URL(endpoint).origin] : [],
    )
}

/** A page of the service itself must be able to call it: behind a proxy it may not know its scheme. */
async function checkOrigin(deployment: Deployment): Promise<Diagnosis> {
  const { origin } = deployment.url
  const { status } = await ask(deployment, '/health/live', { method: 'POST', headers: { origin } })
  if (status !== 403) return diagnose.ok('own origin', origin)
  const next = `start it with --public-url ${origin}; or --trusted-proxy with the address of the proxy, which sends X-Forwarded-Proto and X-Forwarded-Host`
  return diagnose.fail('own origin', `it refuses pages of ${origin}, its own address`, next)
}

/** The name is reserved and resolves nowhere (RFC 2606). */
const FORGED = { 'x-forwarded-host': 'doctor.invalid', 'x-forwarded-for': '192.0.2.1' }

/** Whoever can say where a request comes from can be anybody. */
async function checkForwarding(deployment: Deployment): Promise<Diagnosis> {
  const { status } = await ask(deployment, '/health/live', { headers: FORGED })
  if (status !== 403) return diagnose.ok('proxy headers', 'those of a caller are not believed')
  const next =
    'let the proxy replace X-Forwarded-Host and X-Forwarded-For instead of passing them on, and give --trusted-proxy only its address; from a trusted address itself this is expected'
  const found = 'X-Forwarded-Host of this caller was believed'
  return isLoopback(deployment.url)
    ? diagnose.warn('proxy headers', found, next)
    : diagnose.fail('proxy headers', found, next)
}

/** No tool has this name, so nothing runs. */
const NO_TOOL = '/explorer/tools/waymark.doctor.no_such_tool/call'

async function checkExecution(deployment: Deployment): Promise<Diagnosis> {
  const { origin } = deployment.url
  const headers = { origin, 'content-type': 'application/json' }
  const bare = { ...deployment, headers: {} }
  const { status, body } = await ask(bare, NO_TOOL, { method: 'POST', headers, body: '{}' })
  const isRefused = status !== 404 || !body.includes('no_such_tool')
  if (isRefused) return diagnose.ok('execution', 'the explorer runs nothing for strangers')
  if (isLoopback(deployment.url)) {
    return diagnose.ok('execution', 'the explorer runs functions, on this machine')
  }
  const next = 'leave --allow-execute out, or give the service an authenticate hook'
  return diagnose.fail('execution', 'anybody who reaches the explorer can run functions', next)
}

async function checkMetrics(deployment: Deployment): Promise<Diagnosis> {
  const { status } = await ask({ ...deployment, headers: {} }, '/metrics')
  if (status === 404) {
    const next = 'leave --no-metrics out: without them nobody sees a fault coming'
    return diagnose.warn('metrics', 'none', next)
  }
  if (status !== 200 || isLoopback(deployment.url)) return diagnose.ok('metrics', 'not public')
  const next = 'set --public-url, so that nobody behind a proxy counts as on this machine'
  return diagnose.fail('metrics', 'everybody can read them', next)
}

function isLoopback({ hostname }: URL): boolean {
  return /^(?:localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)
}

const TIMEOUT_MS = 10_000
const MAX_BYTES = 1024 * 1024

interface Ask {
  readonly method?: string
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

/** With node:http, because fetch sends neither Origin nor a Host of our choice. */
function ask(deployment: Deployment, path: string, sent: Ask = {}): Promise<Answer> {
  const { url, headers, signal } = deployment
  const request = url.protocol === 'https:' ? requestHttps : requestHttp
  return new Promise((resolve, reject) => {
    const options = {
      ...{ method: sent.method ?? 'GET', signal, timeout: TIMEOUT_MS, agent: false },
      headers: { ...headers, ...sent.headers, 'content-length': sent.body?.length ?? 0 },
    }
    const sending = request(new URL(path, url), options, (response) => {
      let body = ''
      response.setEncoding('utf8')
      response.on('data', (chunk: string) => {
        body += chunk
        if (body.length > MAX_BYTES) response.destroy(new Error('the answer is too long'))
      })
      response.on('error', reject)
      response.on('end', () =>
        resolve({
          body,
          status: response.statusCode ?? 0,
          header: (name) => response.headers[name]?.toString(),
        }),
      )
    })
    sending.on('timeout', () => sending.destroy(new Error(`no byte in ${TIMEOUT_MS / 1_000} s`)))
    sending.on('error', reject).end(sent.body)
  })
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}
