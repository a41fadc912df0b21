import { X509Certificate } from 'node:crypto'
import type { Principal } from '../core/index.ts'
import { type Clock, systemClock } from '../values/index.ts'
import { type Authenticate, NothingShown, refuseCredentials } from './authenticator.ts'

/** What a proxy tells of the certificate that a client proved to hold. */
export interface ClientCertificate {
  /** SHA-256 of the certificate, in lower-case hexadecimal digits. */
  readonly fingerprint: string
  /** The name as the proxy or Node writes it; absent where the proxy does not send it. */
  readonly subject?: string
  /** Alternative names: `URI:spiffe://…`, `DNS:…`. */
  readonly names: readonly string[]
}

/** How the certificates of clients are recognised. */
export interface ClientCertificatesOptions {
  /**
   * What the proxy sends: `client-cert` (RFC 9440), `x-forwarded-client-cert` (Envoy), or for nginx the names of two
   * headers, for `$ssl_client_escaped_cert` and `$ssl_client_verify`. Only this is read.
   */
  readonly from:
    | 'client-cert'
    | 'x-forwarded-client-cert'
    | { readonly certificate: string; readonly verify: string }
  /** Makes the principal of a certificate; one that gives undefined is refused. */
  readonly principal: (certificate: ClientCertificate) => Principal | undefined
  readonly clock?: Clock
}

const LONGEST = 16_384

/**
 * Knows callers by the certificate they showed to a trusted proxy (mutual TLS). The headers of everybody who is not one
 * of `trustedProxies` are ignored. The proxy verifies certificates, and must replace the headers that clients send.
 */
export function clientCertificates(options: ClientCertificatesOptions): Authenticate {
  const { from, principal: toPrincipal, clock = systemClock } = options
  return ({ header, fromProxy }) => {
    if (fromProxy !== true) throw new NothingShown()
    const read = (name: string): string | undefined => {
      const value = header(name.toLowerCase())
      if (value === undefined || value === '') return undefined
      if (value.length > LONGEST) throw refuseCredentials(`the ${name} header is too long`)
      return value
    }
    const certificate = readCertificate(from, read, clock.now())
    if (certificate === undefined) throw new NothingShown()
    const principal = toPrincipal(certificate)
    if (principal !== undefined) return principal
    throw refuseCredentials(`the certificate ${certificate.fingerprint} belongs to nobody`)
  }
}

type Read = (name: string) => string | undefined

function readCertificate(
  from: ClientCertificatesOptions['from'],
  read: Read,
  now: number,
): ClientCertificate | undefined {
  if (from === 'x-forwarded-client-cert') {
    const text = read(from)
    return text === undefined ? undefined : parseForwarded(text)
  }
  if (from === 'client-cert') {
    const text = read(from)
    if (text === undefined) return undefined
    // One byte sequence (RFC 8941); of two headers in one, either may be the client's own.
    const base64 = /^:([A-Za-z0-9+/]+={0,2}):$/.exec(text.trim())?.[1]
    if (base64 === undefined) throw refuseCredentials('Client-Cert must be one byte sequence')
    return toCertificate(Buffer.from(base64, 'base64'), now)
  }
  const verdict = read(from.verify)
  const text = read(from.certificate)
  // nginx says NONE for a client without a certificate.
  if (verdict === undefined || verdict === 'NONE') {
    if (text === undefined) return undefined
    throw refuseCredentials('a certificate came without the verdict of the proxy')
  }
  if (verdict !== 'SUCCESS') {
    throw refuseCredentials(`the proxy did not accept the certificate: ${verdict.slice(0, 100)}`)
  }
  const pem = text === undefined ? undefined : decodeEscaped(text)
  if (pem === undefined || !PEM.test(pem)) throw refuseCredentials('there must be one certificate')
  return toCertificate(pem, now)
}

const PEM = /^\s*-----BEGIN CERTIFICATE-----[A-Za-z0-9+/=\s]+-----END CERTIFICATE-----\s*$/

function toCertificate(encoded: Buffer | string, now: number): ClientCertificate {
  let parsed: X509Certificate
  try {
    parsed = new X509Certificate(encoded)
  } catch (error) {
    throw refuseCredentials('the certificate cannot be read', error)
  }
  if (!(Date.parse(parsed.validFrom) <= now && now <= Date.parse(parsed.validTo))) {
    throw refuseCredentials('the certificate is not valid now')
  }
  return {
    fingerprint: parsed.fingerprint256.replaceAll(':', '').toLowerCase(),
    subject: parsed.subject,
    names: splitNames(parsed.subjectAltName),
  }
}

/** Node quotes a name that holds a comma or a quote as JSON, so that nobody can put a second name into one. */
function splitNames(text = ''): readonly string[] {
  return [...text.matchAll(/([\w ]+:)(?:"((?:[^"\\]|\\.)*)"|([^,"]*))(?:, |$)/gy)].map(
    ([, kind = '', quoted, plain = '']) =>
      kind + (quoted === undefined ? plain : String(JSON.parse(`"${quoted}"`))),
  )
}

const PAIR = /([A-Za-z]+)=(?:"((?:[^"\\]|\\.)*)"|([^";,]*))(;|,|$)/y

/** Reads the one element of `X-Forwarded-Client-Cert`: of several, the first ones may be what a client made up. */
function parseForwarded(text: string): ClientCertificate {
  const refuse = (): never => {
    throw refuseCredentials('X-Forwarded-Client-Cert must have one well-formed element')
  }
  let fingerprint: string | undefined
  let subject: string | undefined
  const names: string[] = []
  PAIR.lastIndex = 0
  for (;;) {
    const [, key = '', quoted, plain = '', end] = PAIR.exec(text) ?? refuse()
    const value = quoted?.replace(/\\(.)/g, '$1') ?? plain
    const kind = key.toLowerCase()
    if (kind === 'hash') fingerprint = fingerprint === undefined ? value.toLowerCase() : refuse()
    if (kind === 'subject') subject = subject === undefined ? value : refuse()
    if ((kind === 'uri' || kind === 'dns') && value !== '') {
      names.push(`${kind.toUpperCase()}:${value}`)
    }
    if (end === ',') refuse()
    if (end === '') break
  }
  if (fingerprint === undefined || !/^[0-9a-f]{64}$/.test(fingerprint)) return refuse()
  return { fingerprint, names, ...(subject && { subject }) }
}

function decodeEscaped(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}
