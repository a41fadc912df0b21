import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { RemoteError, UsageError } from '../exit.ts'

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
      reject(new UsageError(`the landing place of the login cannot be opened: ${message}`))
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
