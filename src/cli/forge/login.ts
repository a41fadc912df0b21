import { resolve } from 'node:path'
import type { AuthContext } from '../../runtime/auth.ts'
import { finishLogin, type LoginResult, startLogin } from '../../runtime/login.ts'
import { ToolError } from '../../runtime/tool-error.ts'
import { authOf, waysOf } from '../../spec/fields.ts'
import type { AuthConfig, ToolSpec } from '../../spec/index.ts'
import type { CommandInput } from '../command.ts'
import { EXIT, RemoteError, UsageError } from '../exit.ts'
import { parsePort, readText } from '../flags.ts'
import { printable } from '../print.ts'
import { openLanding } from './await-code.ts'
import { quote, readEnvironment, writeEnvVariable } from './env-file.ts'
import { readAnySpec } from './import-source.ts'

const PATIENCE_MS = 5 * 60_000

/** Logs a person in at the API of a spec and gives the token that its tools need. */
export async function runLogin(input: CommandInput): Promise<number> {
  const [, , reference] = input.positionals
  const { spec } = await readAnySpec(reference ?? '', input)
  const auth = chooseAuth(spec, readText(input, 'auth-env'))
  const { io } = input
  const envFile = readText(input, 'env-file')
  const path = envFile === undefined ? undefined : resolve(io.cwd, envFile)
  const env = withoutEmpty(readEnvironment(input))
  const signal = AbortSignal.any([io.signal, AbortSignal.timeout(PATIENCE_MS)])
  const context = { tool: spec.domain, env, fetch, now: Date.now, signal }
  const result = await logIn(auth, context, input)
  if (path === undefined) io.out(`${result.variable}=${quote(result.value)}\n`)
  else {
    writeEnvVariable(path, result.variable, result.value)
    io.err(`${result.variable} is written to ${envFile}.\n`)
  }
  if (!result.isRefreshToken)
    io.err('The API gave no refresh token: this one ends, and then somebody has to log in again.\n')
  return EXIT.ok
}

async function logIn(
  auth: AuthConfig,
  context: AuthContext,
  input: CommandInput,
): Promise<LoginResult> {
  const base = (auth.env ?? '').replace(/_CLIENT_ID$/, '')
  const port = readText(input, 'port')
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
