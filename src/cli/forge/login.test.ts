import { createHash } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createWorkplace, type Run, type Workplace } from '../../../test/cli/run-main.ts'

interface Provider {
  readonly url: string
  /** Forms that the token endpoint got, with who sent them. */
  readonly exchanges: { readonly form: URLSearchParams; readonly authorization: string }[]
}

/** An OAuth 2 server on this machine: codes are bound to challenge and redirect URI, each works once. */
async function startProvider(tokens: object = { refresh_token: 'r-1' }): Promise<Provider> {
  const codes = new Map<string, { challenge: string; redirectUri: string }>()
  const exchanges: Provider['exchanges'][number][] = []
  const server = createServer(async (request, response) => {
    const url = new URL(request.url ?? '/', 'http://provider')
    const ask = url.searchParams
    if (url.pathname === '/authorize') {
      const back = new URL(ask.get('redirect_uri') ?? '')
      back.searchParams.set('state', ask.get('state') ?? '')
      if (ask.get('client_id') === 'denied') back.searchParams.set('error', 'access_denied')
      else {
        const code = `code-${codes.size + 1}`
        codes.set(code, {
          challenge: ask.get('code_challenge') ?? '',
          redirectUri: ask.get('redirect_uri') ?? '',
        })
        back.searchParams.set('code', code)
      }
      return response.writeHead(302, { location: back.href }).end()
    }
    let body = ''
    for await (const chunk of request) body += chunk
    const form = new URLSearchParams(body)
    exchanges.push({ form, authorization: request.headers.authorization ?? '' })
    const known = codes.get(form.get('code') ?? '')
    codes.delete(form.get('code') ?? '')
    const challenge = createHash('sha256')
      .update(form.get('code_verifier') ?? '')
      .digest('base64url')
    const isRight = known?.challenge === challenge && known.redirectUri === form.get('redirect_uri')
    response.writeHead(isRight ? 200 : 400, { 'content-type': 'application/json' })
    response.end(
      JSON.stringify(isRight ? { access_token: 'a-1', ...tokens } : { error: 'invalid_grant' }),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void server.close())
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, exchanges }
}

function workplace({ url }: Provider): Workplace {
  const place = createWorkplace()
  place.write(
    'shop.tool-spec.yaml',
    `domain: shop
base_url: https://api.shop.example
auth:
  type: oauth2
  env: SHOP_CLIENT_ID
  scopes: [orders, "offline access"]
  token_url: ${url}/token
  authorization_url: ${url}/authorize
tools:
  - { name: list_orders, description: Lists orders., method: GET, path: /orders }
`,
  )
  return place
}

/** Runs a login and lets a person at a browser do something with the address it prints. */
async function logIn(
  place: Workplace,
  options: {
    readonly env?: Record<string, string>
    readonly browse?: (url: string) => Promise<unknown>
    readonly args?: readonly string[]
  } = {},
): Promise<Run> {
  const { env = { SHOP_CLIENT_ID: 'me' }, browse = (url) => fetch(url), args = [] } = options
  let printed = ''
  const visits: Promise<unknown>[] = []
  const run = await place.runWith(
    {
      env,
      err: (text) => {
        printed += text
        const url = /http\S+\/authorize\S+/.exec(text)?.[0]
        if (url !== undefined) visits.push(browse(url))
      },
    },
    ...['forge', 'auth', 'login', 'shop.tool-spec.yaml', ...args],
  )
  await Promise.all(visits)
  return { ...run, err: printed }
}

describe('waymark forge auth login', () => {
  it('trades a confirmed login for a refresh token, with PKCE and the client in a header', async () => {
    const provider = await startProvider()
    const env = { SHOP_CLIENT_ID: 'me', SHOP_CLIENT_SECRET: 's3cret:' }
    const asked: URLSearchParams[] = []
    const browse = async (url: string): Promise<void> => {
      asked.push(new URL(url).searchParams)
      const page = await fetch(url)
      expect(await page.text()).toContain('You can close this window')
    }
    const { code, out, err } = await logIn(workplace(provider), { env, browse })
    expect({ code, out }).toEqual({ code: 0, out: 'SHOP_REFRESH_TOKEN=r-1\n' })
    expect(err).not.toContain('s3cret')
    expect(Object.fromEntries(asked[0] ?? [])).toMatchObject({
      response_type: 'code',
      scope: 'orders offline access',
      code_challenge_method: 'S256',
      redirect_uri: expect.stringMatching(/^http:\/\/127\.0\.0\.1:\d+\/callback$/),
    })
    const [exchange] = provider.exchanges
    expect(exchange?.form.get('grant_type')).toBe('authorization_code')
    expect(exchange?.authorization).toBe(`Basic ${btoa('me:s3cret%3A')}`)
  })

  it('ignores answers whose state is not its own, and goes on waiting', async () => {
    const provider = await startProvider()
    const statuses: number[] = []
    const browse = async (url: string): Promise<void> => {
      const back = new URL(url).searchParams.get('redirect_uri') ?? ''
      for (const query of ['?code=stolen&state=guess', '?code=stolen', '?error=x&state=guess'])
        statuses.push((await fetch(`${back}${query}`)).status)
      await fetch(url)
    }
    const { out } = await logIn(workplace(provider), { browse })
    expect(statuses).toEqual([400, 400, 400])
    expect(out).toBe('SHOP_REFRESH_TOKEN=r-1\n')
    expect(provider.exchanges.map(({ form }) => form.get('code'))).toEqual(['code-1'])
  })

  it('writes the token into a file when asked, keeps the rest of it and shows no secret', async () => {
    const provider = await startProvider({ refresh_token: "it's new" })
    const place = workplace(provider)
    place.write('.env', '# mine\nSHOP_CLIENT_ID=me\nSHOP_REFRESH_TOKEN=old\nOTHER=1')
    const { code, out, err } = await logIn(place, { env: {}, args: ['--env-file', '.env'] })
    expect({ code, out }).toEqual({ code: 0, out: '' })
    expect(err).toContain('SHOP_REFRESH_TOKEN is written to .env.')
    expect(err).not.toContain("it's new")
    expect(place.read('.env')).toBe(
      '# mine\nSHOP_CLIENT_ID=me\nSHOP_REFRESH_TOKEN="it\'s new"\nOTHER=1',
    )
  })

  it('gives the access token, and says that it ends, when there is no other', async () => {
    const provider = await startProvider({})
    const { out, err } = await logIn(workplace(provider))
    expect(out).toBe('SHOP_ACCESS_TOKEN=a-1\n')
    expect(err).toContain('no refresh token')
  })

  it('comes back to the redirect URI that was registered', async () => {
    const provider = await startProvider()
    const free = createServer()
    await new Promise<void>((resolve) => free.listen(0, '127.0.0.1', resolve))
    const { port } = free.address() as AddressInfo
    await new Promise((resolve) => free.close(resolve))
    const redirect = `http://127.0.0.1:${port}/back/here`
    const env = { SHOP_CLIENT_ID: 'me', SHOP_REDIRECT_URI: redirect }
    await logIn(workplace(provider), { env })
    expect(provider.exchanges[0]?.form.get('redirect_uri')).toBe(redirect)
  })

  it('ends with exit code 3 when the person or the server refuses', async () => {
    const provider = await startProvider()
    const denied = await logIn(workplace(provider), { env: { SHOP_CLIENT_ID: 'denied' } })
    expect(denied).toMatchObject({ code: 3, err: expect.stringContaining('access_denied') })
    const browse = (url: string) => {
      const { searchParams } = new URL(url)
      return fetch(
        `${searchParams.get('redirect_uri')}?code=wrong&state=${searchParams.get('state')}`,
      )
    }
    const refused = await logIn(workplace(provider), { browse })
    expect(refused).toMatchObject({ code: 3, err: expect.stringContaining('invalid_grant') })
  })

  it('says what is missing before anybody opens a browser', async () => {
    const provider = await startProvider()
    const place = workplace(provider)
    const unset = await logIn(place, { env: {} })
    expect(unset).toMatchObject({ code: 2, err: expect.stringContaining('SHOP_CLIENT_ID') })
    const elsewhere = { SHOP_CLIENT_ID: 'me', SHOP_REDIRECT_URI: 'https://shop.example/back' }
    expect((await logIn(place, { env: elsewhere })).err).toContain('must be http on this machine')
    const plain = { SHOP_CLIENT_ID: 'me', SHOP_TOKEN_URL: 'http://shop.example/token' }
    expect((await logIn(place, { env: plain })).err).toContain('the token URL must be https')
    place.write(
      'plain.tool-spec.yaml',
      'domain: plain\nbase_url: https://x.example\ntools:\n  - { name: a, description: A., method: GET, path: /a }\n',
    )
    const none = await place.run('forge', 'auth', 'login', 'plain.tool-spec.yaml')
    expect(none).toMatchObject({ code: 2, err: expect.stringContaining('nothing to log in to') })
    expect((await place.run('forge', 'auth', 'login')).err).toContain('which spec?')
    expect((await place.run('forge', 'auth', 'logout')).err).toContain('forge auth knows login')
  })
})
