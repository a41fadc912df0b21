import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { resolve } from 'node:path'
import {
  type AuthContext,
  finishLogin,
  type LoginResult,
  startLogin,
  ToolError,
} from '../../sources/runtime/index.ts'
import { type AuthConfig, authOf, type ToolSpec, waysOf } from '../../sources/tool-spec/index.ts'
import { runInScope } from '../../values/index.ts'
import { type CommandInput, EXIT, RemoteError, UsageError } from '../command.ts'
import { parsePort, readTextFlag } from '../flags.ts'
import { printable } from '../print.ts'
import { quoteEnvValue, readEnvironment, writeEnvVariable } from './env-file.ts'
import { readAnySpec } from './import-source.ts'

/** An address of this machine that a browser is sent back to. */
export interface Landing {
  readonly redirectUri: string
  /** Waits for the answer to the login with this state and gives its code. */
  readonly code: (state: string, signal: AbortSignal) => Promise<string>
  readonly close: () => void
}

/** Opens the landing place of a login: the address that was registered, at a free port unless it has one. */
export async function openLanding(address = 'http://127.0.0.1/callback'): Promise<Landing> {
  const wanted = URL.canParse(address) ? new URL(address) : undefined
  if (wanted?.protocol !== 'http:' || !LOOPBACK.has(wanted.hostname)) {
    throw new UsageError(
      `the redirect URI must be http on this machine, such as http://127.0.0.1:8400/callback; got "${address}"`,
    )
  }
  const server = createServer()
  await listen(server, wanted)
  const isFixed = wanted.port !== ''
  wanted.port = String((server.address() as AddressInfo).port)
  return {
    // To the letter: servers compare it with what was registered.
    redirectUri: isFixed ? address : wanted.href,
    code: (state, signal) => waitForCode(server, { path: wanted.pathname, state, signal }),
    close: () => {
      server.close()
      server.closeAllConnections()
    },
  }
}

const LOOPBACK = new Set(['127.0.0.1', 'localhost', '[::1]'])

function listen(server: Server, { hostname, port }: URL): Promise<void> {
  return new Promise((resolve, reject) => {
    const refuse = ({ message }: Error): void =>
      reject(new UsageError(`the callback address of the login cannot be opened: ${message}`))
    server.once('error', refuse)
    server.listen(Number(port), hostname.replace(/^\[|\]$/g, ''), () => {
      server.off('error', refuse)
      resolve()
    })
  })
}

interface Expected {
  readonly path: string
  readonly state: string
  readonly signal: AbortSignal
}

function waitForCode(server: Server, { path, state, signal }: Expected): Promise<string> {
  return new Promise((resolve, reject) => {
    const giveUp = (): void => reject(new UsageError('the login was not confirmed in time'))
    signal.addEventListener('abort', giveUp, { once: true })
    if (signal.aborted) giveUp()
    server.on('request', (request: IncomingMessage, response: ServerResponse) => {
      const url = new URL(request.url ?? '/', 'http://landing')
      if (request.method !== 'GET' || url.pathname !== path)
        return answer(response, 404, 'Nothing here.')
      // Anybody on this machine can call this address; only the browser we sent knows the state.
      if (url.searchParams.get('state') !== state)
        return answer(response, 400, 'This answer does not belong to the login that is running.')
      const code = url.searchParams.get('code')
      if (code !== null && code !== '') {
        answer(response, 200, 'Logged in. You can close this window.')
        return resolve(code)
      }
      answer(response, 400, 'The login was refused. You can close this window.')
      const said = ['error', 'error_description'].flatMap((key) => url.searchParams.get(key) ?? [])
      reject(
        new RemoteError(
          `the login was refused: ${said.join(': ').slice(0, 300) || 'no reason given'}`,
        ),
      )
    })
  })
}

function answer(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'text/plain; charset=utf-8',
    'cache-control': 'no-store',
    'referrer-policy': 'no-referrer',
    connection: 'close',
  })
  response.end(`${text}\n`)
}

const PATIENCE_MS = 5 * 60_000

/** Logs a person in at the API of a spec and gives the token that its tools need. */
export async function runLogin(input: CommandInput): Promise<number> {
  const [, , reference] = input.positionals
  const { spec } = await readAnySpec(reference ?? '', input)
  const auth = chooseAuth(spec, readTextFlag(input, 'auth-env'))
  const { io } = input
  const envFile = readTextFlag(input, 'env-file')
  const path = envFile === undefined ? undefined : resolve(io.cwd, envFile)
  const env = withoutEmpty(readEnvironment(input))
  const result = await runInScope([io.signal], { afterMs: PATIENCE_MS }, (signal) =>
    logIn(auth, { tool: spec.domain, env, fetch, now: Date.now, signal }, input),
  )
  if (path === undefined) io.out(`${result.variable}=${quoteEnvValue(result.value)}\n`)
  else {
    writeEnvVariable(path, result.variable, result.value)
    io.err(`${result.variable} is written to ${envFile}.\n`)
  }
  if (!result.isRefreshToken)
    io.err('The API issued no refresh token: when this token expires, log in again.\n')
  return EXIT.ok
}

async function logIn(
  auth: AuthConfig,
  context: AuthContext,
  input: CommandInput,
): Promise<LoginResult> {
  const base = (auth.env ?? '').replace(/_CLIENT_ID$/, '')
  const port = readTextFlag(input, 'port')
  const landing = await openLanding(
    port === undefined
      ? context.env[`${base}_REDIRECT_URI`]
      : `http://127.0.0.1:${parsePort(port, '--port')}/callback`,
  )
  try {
    const login = await explain(UsageError, startLogin(auth, landing.redirectUri, context))
    input.io.err(`Open this address in a browser and confirm:\n\n  ${printable(login.url)}\n\n`)
    const code = await landing.code(login.state, context.signal)
    return await explain(RemoteError, finishLogin(auth, { ...login, code }, context))
  } finally {
    landing.close()
  }
}

/** Before the browser is opened a failure is for the person to mend, afterwards it is the other side's. */
async function explain<Value>(
  Failure: new (message: string) => Error,
  work: Promise<Value>,
): Promise<Value> {
  try {
    return await work
  } catch (thrown) {
    if (!(thrown instanceof ToolError)) throw thrown
    const isRemote = thrown.reason === 'network' || thrown.reason === 'timeout'
    throw isRemote ? new RemoteError(thrown.message) : new Failure(thrown.message)
  }
}

function chooseAuth(spec: ToolSpec, env: string | undefined): AuthConfig {
  const all = [
    spec.auth ?? { type: 'none' as const },
    ...spec.tools.map((tool) => authOf(spec, tool)),
  ]
  const parts = all.flatMap((auth) => waysOf(auth).flat())
  const logins = new Map<string, AuthConfig>()
  for (const auth of parts) {
    if (auth.type === 'oauth2' && !logins.has(auth.env ?? '')) logins.set(auth.env ?? '', auth)
  }
  if (logins.size === 0)
    throw new UsageError(`nothing to log in to: no auth of ${spec.domain} is oauth2`)
  const names = [...logins.keys()].join(', ')
  if (env === undefined && logins.size > 1)
    throw new UsageError(`${spec.domain} has several logins; choose one with --auth-env: ${names}`)
  const chosen = env === undefined ? [...logins.values()][0] : logins.get(env)
  if (chosen !== undefined) return chosen
  throw new UsageError(`--auth-env must be ${names}; got "${env}"`)
}

function withoutEmpty(env: CommandInput['io']['env']): CommandInput['io']['env'] {
  return Object.fromEntries(Object.entries(env).filter(([, value]) => value !== ''))
}
