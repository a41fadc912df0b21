import { type HttpRequest, IN_PROCESS, type JudgeLocal } from '../wire/index.ts'
import { addressKind } from './address-range.ts'

/** Where a service can be reached; what is not known counts against the caller. */
export interface LocalOptions {
  /**
   * The address the server listens on, such as `127.0.0.1`. `serve` knows it; whoever mounts the app in a server of
   * their own says it here. When absent, no caller is taken to be on this machine.
   */
  readonly bind?: string
  /** Where the world reaches the service, such as `https://api.example.com`. */
  readonly publicUrl?: string
}

/**
 * Creates the judge of who is on this machine; every rule that trusts this machine asks it. A reverse proxy on the same
 * machine connects from a loopback address too, so the address alone proves nothing.
 */
export function createLocalJudge(options: LocalOptions): JudgeLocal {
  const place = judgePlace(options)
  return (request) => {
    const peer = request.peerAddress?.()
    // Code of this process could call the functions themselves; it may still pass on what came from elsewhere.
    const isInside = peer === IN_PROCESS
    return (
      (isInside ? undefined : (place ?? judgePeer(peer))) ??
      judgeHost(readHost(request), isInside) ??
      judgeForwarding(request)
    )
  }
}

/** Says why nobody who reaches a service at this place is taken to be on this machine; undefined when some may be. */
export function judgePlace({ bind, publicUrl }: LocalOptions): string | undefined {
  if (bind === undefined) {
    return 'it is not known which address the server listens on (createApp: bind)'
  }
  if (!isLoopbackHost(bind.includes(':') && !bind.startsWith('[') ? `[${bind}]` : bind)) {
    return `the server listens on ${bind}, which is not a loopback address`
  }
  const url = publicUrl === undefined ? undefined : parsePublicUrl(publicUrl)
  return url === undefined || isLoopbackHost(url.host)
    ? undefined
    : `the service is public at ${url.origin} (publicUrl)`
}

/** Reads the address of a service in the world; throws a TypeError when it is none. */
export function parsePublicUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url
  throw new TypeError(
    `publicUrl: must be an http or https URL such as https://api.example.com, not "${text.slice(0, 200)}"`,
  )
}

/** Reads the name a request was sent to, with its port; HTTP/2 has a field of its own for it. */
export function readHost({ header }: HttpRequest): string | undefined {
  return header('host') ?? header(':authority')
}

/** Gives the name in a Host value: no port, no dot at its end, small letters. */
export function toHostName(host: string): string {
  return host.replace(/:\d*$/, '').replace(/\.$/, '').toLowerCase()
}

/** Tells whether a Host value names this machine, whatever a resolver says; short spellings such as 127.1 do not count. */
export function isLoopbackHost(host: string): boolean {
  const name = toHostName(host)
  if (/^(?:[\w-]+\.)*localhost$/.test(name)) return true
  return addressKind(/^\[(.*)\]$/.exec(name)?.[1] ?? name) === 'loopback'
}

function judgePeer(peer: string | undefined): string | undefined {
  if (peer === undefined) return 'the address of the caller is not known'
  return addressKind(peer) === 'loopback'
    ? undefined
    : `the caller's address ${peer} is not loopback`
}

function judgeHost(host: string | undefined, isInside: boolean): string | undefined {
  if (host === undefined) return isInside ? undefined : 'the request has no Host header'
  if (isLoopbackHost(host)) return undefined
  return `the request was sent to the Host "${host.slice(0, 100)}", which is not a loopback name`
}

function judgeForwarding({ header }: HttpRequest): string | undefined {
  const found = SPELLINGS.find((name) => header(name) !== undefined)
  return found && `the request came through a proxy (it has the header ${found})`
}

/** What proxies, load balancers, tunnels and content networks add to a request they pass on. */
const FORWARDING: readonly string[] = `
  forwarded forwarded-for via cdn-loop x-forwarded x-forwarded-for x-forwarded-host x-forwarded-proto
  x-forwarded-protocol x-forwarded-port x-forwarded-server x-forwarded-scheme x-forwarded-ssl x-forwarded-by
  x-forwarded-prefix x-forwarded-path x-forwarded-uri x-forwarded-method x-forwarded-user x-forwarded-email
  x-forwarded-access-token x-forwarded-client-cert x-original-forwarded-for x-original-host x-original-url
  x-original-uri x-rewrite-url x-real-ip x-client-ip x-client-cert x-remote-addr x-remote-ip x-host
  x-proxyuser-ip x-cluster-client-ip client-ip true-client-ip proxy-client-ip wl-proxy-client-ip
  x-envoy-external-address x-envoy-original-path x-amzn-trace-id x-amz-cf-id x-appengine-user-ip
  x-cloud-trace-context x-azure-clientip x-azure-ref x-arr-log-id x-vercel-id x-vercel-forwarded-for
  x-nf-client-connection-ip x-sucuri-clientip x-varnish ngrok-trace-id akamai-origin-hop cf-connecting-ip
  cf-connecting-ipv6 cf-ray fastly-client-ip fly-client-ip do-connecting-ip tailscale-user-login
`
  .trim()
  .split(/\s+/)

/** CGI and some proxies write underscores, and many servers read both as the same. */
const SPELLINGS: readonly string[] = [
  ...FORWARDING,
  ...FORWARDING.filter((name) => name.includes('-')).map((name) => name.replaceAll('-', '_')),
]
