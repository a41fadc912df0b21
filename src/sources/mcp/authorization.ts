import type {
  OAuthClientProvider,
  StoredOAuthClientInformation,
  StoredOAuthTokens,
} from '@modelcontextprotocol/client'
import type { Logger } from '../../core/index.ts'
import { askInBrowser } from './browser.ts'

/** How a token for an MCP server is got; what the server says of its authorization server is found out. */
export interface McpAuthorization {
  /** Registered at the authorization server; a client that has none registers itself. */
  readonly clientId?: string
  /** With it and without `browser`, the client asks for a token in its own name (client credentials). */
  readonly clientSecret?: string
  /** Signs the client's own assertions instead of a secret: PEM text, with the `algorithm`. */
  readonly privateKey?: string
  /** ES256 when absent. */
  readonly algorithm?: string
  /** The only authorization server that gets the secret or an assertion; required with either, unless the user is asked. */
  readonly issuer?: string
  /** Scopes to ask for, with spaces between; what the server asks for when absent. */
  readonly scope?: string
  /** HTTPS address of a document that describes the client, for servers that take it for a registration. */
  readonly clientMetadataUrl?: string
  /** Asks the user: a link is printed, and the answer comes to `redirectUrl`. True when there is neither secret nor key. */
  readonly browser?: boolean
  /** Where the browser comes back to; a free port of 127.0.0.1 when absent. */
  readonly redirectUrl?: string
  /** Takes the user to an address and gives the one the browser came back to; a link is printed when absent. */
  readonly authorize?: (url: URL) => Promise<URL>
  /** A provider of the official client, instead of everything above; it does not ask the user. */
  readonly provider?: OAuthClientProvider
}

/** Fetches with a token, which is got when the server asks for one. */
export type AuthorizedFetch = (url: string | URL | Request, init?: RequestInit) => Promise<Response>

type Official = typeof import('@modelcontextprotocol/client')

/** One answer may ask for a token, and the next for more scopes; a server that is never content is not asked for ever. */
const MOST_ATTEMPTS = 3

/** Creates what gives the requests to one server their token. Tokens live as long as it does. */
export function createAuthorizedFetch(
  authorization: McpAuthorization,
  {
    url: serverUrl,
    name,
    log,
    load,
    fetch: send,
  }: {
    readonly url: string
    readonly name: string
    readonly log: Logger
    readonly load: () => Promise<Official>
    readonly fetch: AuthorizedFetch
  },
): AuthorizedFetch {
  let user: Promise<UserFlow> | undefined
  let running: Promise<void> | undefined
  let granted: string | undefined

  function prepare(): Promise<UserFlow> {
    user ??= load().then((official) => createFlow(official, authorization, { name, log }))
    return user
  }

  async function authorize(challenge: Response): Promise<void> {
    const [official, { provider, callback }] = await Promise.all([load(), prepare()])
    const { resourceMetadataUrl, scope } = official.extractWWWAuthenticateParams(challenge)
    const tokens = await provider.tokens()
    // More scopes are asked for besides those that were granted, and never by refreshing the token that lacks them.
    const wanted =
      challenge.status === 403
        ? official.computeScopeUnion(granted, tokens?.scope, scope)
        : (scope ?? authorization.scope)
    granted = wanted
    const asked = {
      serverUrl,
      ...(resourceMetadataUrl && { resourceMetadataUrl }),
      ...(wanted !== undefined && { scope: wanted }),
      fetchFn: fetch,
    }
    const force = challenge.status === 403
    if ((await official.auth(provider, { ...asked, forceReauthorization: force })) !== 'REDIRECT')
      return
    const { searchParams } = await callback()
    const code = searchParams.get('code')
    if (code === null) {
      throw new Error(
        `${name} gave no access: ${searchParams.get('error') ?? 'the answer has no code'}`,
      )
    }
    const iss = searchParams.get('iss')
    await official.auth(provider, {
      ...asked,
      authorizationCode: code,
      ...(iss !== null && { iss }),
    })
  }

  return async (url, init) => {
    for (let attempt = 1; ; attempt += 1) {
      // Whoever sends meanwhile waits for the token that is being got.
      await running?.catch(() => undefined)
      const headers = new Headers(init?.headers)
      const token = (await (await prepare()).provider.tokens())?.access_token
      if (token !== undefined) headers.set('authorization', `Bearer ${token}`)
      const response = await send(url, { ...init, headers })
      if (!asksForToken(response) || attempt === MOST_ATTEMPTS) return response
      void response.body?.cancel().catch(() => undefined)
      running ??= authorize(response).finally(() => {
        running = undefined
      })
      await running
    }
  }
}

function asksForToken({ status, headers }: Response): boolean {
  const challenge = headers.get('www-authenticate') ?? ''
  return status === 401 || (status === 403 && /\berror="?insufficient_scope\b/i.test(challenge))
}

interface UserFlow {
  readonly provider: OAuthClientProvider
  /** Where the browser came back to. */
  readonly callback: () => Promise<URL>
}

/** Client id and tokens of a server; a token belongs to the authorization server that gave it. */
function createFlow(
  official: Official,
  authorization: McpAuthorization,
  { name, log }: { readonly name: string; readonly log: Logger },
): UserFlow | Promise<UserFlow> {
  const { clientId, clientSecret, privateKey, issuer, scope, provider } = authorization
  const nobody = () => Promise.reject(new Error(`the user is not asked for access to ${name}`))
  if (provider !== undefined) return { provider, callback: nobody }
  const asksUser = authorization.browser === true || authorization.authorize !== undefined
  if (!asksUser && clientId !== undefined && (privateKey ?? clientSecret) !== undefined) {
    // The MCP server names the authorization server, so without this a hostile one is sent the credentials.
    if (issuer === undefined) {
      throw new TypeError(
        `auth.issuer of ${name} is missing: name the authorization server that may get its credentials`,
      )
    }
    const own = { clientId, expectedIssuer: issuer, ...(scope !== undefined && { scope }) }
    const algorithm = authorization.algorithm ?? 'ES256'
    const machine =
      privateKey === undefined
        ? new official.ClientCredentialsProvider({ ...own, clientSecret: clientSecret ?? '' })
        : new official.PrivateKeyJwtProvider({ ...own, privateKey, algorithm })
    return { provider: machine, callback: nobody }
  }
  return createUserFlow(authorization, { name, log })
}

async function createUserFlow(
  authorization: McpAuthorization,
  { name, log }: { readonly name: string; readonly log: Logger },
): Promise<UserFlow> {
  const { clientId, clientSecret, issuer, scope, clientMetadataUrl } = authorization
  const browser =
    authorization.authorize === undefined
      ? await askInBrowser(authorization.redirectUrl, (url) =>
          log.warn(`the MCP server ${name} needs your permission: open ${url.href}`, {}),
        )
      : {
          redirectUrl: authorization.redirectUrl ?? 'http://127.0.0.1/callback',
          ask: authorization.authorize,
        }
  const clients = new Map<string | undefined, StoredOAuthClientInformation>()
  const tokens = new Map<string | undefined, StoredOAuthTokens>()
  let latest: StoredOAuthTokens | undefined
  let verifier = ''
  let state = ''
  let answer: Promise<URL> | undefined
  const registered: StoredOAuthClientInformation | undefined =
    clientId === undefined
      ? undefined
      : {
          client_id: clientId,
          ...(clientSecret !== undefined && { client_secret: clientSecret }),
          ...(issuer !== undefined && { issuer }),
        }
  const provider: OAuthClientProvider = {
    redirectUrl: browser.redirectUrl,
    ...(clientMetadataUrl !== undefined && { clientMetadataUrl }),
    clientMetadata: {
      client_name: 'waymark',
      redirect_uris: [browser.redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      ...(scope !== undefined && { scope }),
    },
    state() {
      state = crypto.randomUUID()
      return state
    },
    clientInformation: (context) => registered ?? clients.get(context?.issuer),
    saveClientInformation: (client, context) => void clients.set(context?.issuer, client),
    tokens: (context) => (context === undefined ? latest : tokens.get(context.issuer)),
    saveTokens(saved, context) {
      latest = saved
      tokens.set(context?.issuer, saved)
    },
    saveCodeVerifier(code) {
      verifier = code
    },
    codeVerifier: () => verifier,
    redirectToAuthorization(url) {
      answer = browser.ask(url)
      // Whoever waits for it is told; nobody may be waiting yet.
      answer.catch(() => undefined)
    },
    invalidateCredentials(kind) {
      if (kind === 'all' || kind === 'client') clients.clear()
      if (kind === 'all' || kind === 'tokens') {
        tokens.clear()
        latest = undefined
      }
    },
  }
  return {
    provider,
    async callback() {
      const url = await answer
      if (url === undefined) throw new Error(`the user was not asked for access to ${name}`)
      if ((url.searchParams.get('state') ?? state) !== state) {
        throw new Error(`the answer for ${name} belongs to another request`)
      }
      return url
    },
  }
}
