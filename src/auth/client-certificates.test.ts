import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { createTestClock, toRequest } from '../../test/support/forrst.ts'
import { serviceOf } from '../../test/support/service.ts'
import { defineFunction } from '../core/index.ts'
import { createApp } from '../http/app.ts'
import { rest } from '../surfaces/rest/surface.ts'
import {
  type ClientCertificate,
  type ClientCertificatesOptions,
  clientCertificates,
} from './index.ts'

/** Self-signed, CN=billing, valid for a hundred years from 2026. */
const DER = [
  'MIIB3zCCAYSgAwIBAgITJTddxwJan1qAiYQ9XgiBU+MNPjAKBggqhkjOPQQDAjAkMRAwDgYDVQQKDAdFeGFtcGxl',
  'MRAwDgYDVQQDDAdiaWxsaW5nMCAXDTI2MTExODEyMDk1NloYDzIxMjYxMDI1MTIwOTU2WjAkMRAwDgYDVQQKDAdF',
  'eGFtcGxlMRAwDgYDVQQDDAdiaWxsaW5nMFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAEXnUvyf8uVriQT00F9Mwk',
  'KJiZbHkcMyib/QHPC5Fz0oNi5fNeQ5FzArQ4cCiHCaxwma5EzJgUEVNkpydnHIm/PKOBkjCBjzAdBgNVHQ4EFgQU',
  'PL92gmwMszL74MIi6/DPR7WvdmowHwYDVR0jBBgwFoAUPL92gmwMszL74MIi6/DPR7WvdmowDwYDVR0TAQH/BAUw',
  'AwEB/zA8BgNVHREENTAzhhxzcGlmZmU6Ly9leGFtcGxlLmNvbS9iaWxsaW5nghNiaWxsaW5nLmV4YW1wbGUuY29t',
  'MAoGCCqGSM49BAMCA0kAMEYCIQDOgKhT2D9w9tcftya2AQxzmDRfOHg/vXTHwKlq/7MVSQIhANZaUc5+iWIM47Ka',
  'KaZQnHCCd2UEX2E9cdF2h7eFvsR2',
].join('')
const PEM = `-----BEGIN CERTIFICATE-----\n${DER.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`
const FINGERPRINT = createHash('sha256').update(Buffer.from(DER, 'base64')).digest('hex')
const NAMES = ['URI:spiffe://example.com/billing', 'DNS:billing.example.com']
const NGINX = { certificate: 'ssl-client-cert', verify: 'ssl-client-verify' }
const PROXY = '10.0.0.1'
const now = Date.parse('2030-01-01T00:00:00Z')

/** Sends a call from a peer; tells the status and the certificate that the service knew the caller by. */
async function ask(
  from: ClientCertificatesOptions['from'],
  headers: Readonly<Record<string, string>>,
  { peer = PROXY, trustedProxies = ['10.0.0.0/8'], at = now } = {},
) {
  let seen: ClientCertificate | undefined
  const clock = { ...createTestClock(), now: () => at }
  const service = serviceOf(
    [defineFunction({ name: 'orders.list', version: '1.0.0', readOnly: true, handler: () => [] })],
    {
      authenticate: clientCertificates({
        from,
        clock,
        principal: (certificate) => {
          seen = certificate
          return certificate.fingerprint.startsWith('00') ? undefined : { id: 'billing' }
        },
      }),
    },
  )
  const { handle } = createApp(service, { surfaces: [rest()], trustedProxies })
  const sent = toRequest(
    {},
    { path: '/api/orders.list', headers: { host: '10.0.0.9', ...headers } },
  )
  const { status } = await handle({ ...sent, peerAddress: () => peer })
  return { status, ...(seen && { seen }) }
}

const REFUSED = { status: 401 }
const xfcc = (element: string) => ({ 'x-forwarded-client-cert': element })
const HASH = `Hash=${FINGERPRINT}`

describe('client certificates', () => {
  it.each([
    ['RFC 9440', 'client-cert', { 'client-cert': `:${DER}:` }],
    [
      'nginx',
      NGINX,
      { 'ssl-client-verify': 'SUCCESS', 'ssl-client-cert': encodeURIComponent(PEM) },
    ],
  ] as const)('are known as %s sends them', async (_name, from, headers) => {
    const { status, seen } = await ask(from, headers)
    expect(status).toBe(200)
    expect(seen).toEqual({
      fingerprint: FINGERPRINT,
      subject: 'O=Example\nCN=billing',
      names: NAMES,
    })
  })

  it('are known as Envoy sends them', async () => {
    const text = `By=spiffe://example.com/orders;${HASH};Subject="CN=billing,O=\\"Ex, ample\\"";URI=spiffe://example.com/billing;DNS=billing.example.com`
    expect(await ask('x-forwarded-client-cert', xfcc(text))).toEqual({
      status: 200,
      seen: { fingerprint: FINGERPRINT, subject: 'CN=billing,O="Ex, ample"', names: NAMES },
    })
  })

  it('are ignored from a stranger, and where nobody is trusted', async () => {
    const headers = { 'client-cert': `:${DER}:` }
    expect(await ask('client-cert', headers, { peer: '203.0.113.5' })).toEqual(REFUSED)
    expect(await ask('client-cert', headers, { trustedProxies: [] })).toEqual(REFUSED)
    const claimed = { ...headers, 'x-forwarded-for': PROXY, forwarded: `for=${PROXY}` }
    expect(await ask('client-cert', claimed, { peer: '203.0.113.5' })).toEqual(REFUSED)
  })

  it('are read from the header that was configured, and no other', async () => {
    expect(await ask('client-cert', xfcc(HASH))).toEqual(REFUSED)
    expect(await ask('x-forwarded-client-cert', { 'client-cert': `:${DER}:` })).toEqual(REFUSED)
    expect(await ask('client-cert', {})).toEqual(REFUSED)
  })

  it.each([
    // node:http joins two headers of one name so.
    ['doubled', `:${DER}:, :${DER}:`],
    ['with parameters', `:${DER}:;a=1`],
    ['without colons', DER],
    ['cut', `:${DER.slice(0, 200)}:`],
    ['huge', `:${'A'.repeat(20_000)}:`],
    ['not a certificate', `:${Buffer.from('hello').toString('base64')}:`],
  ])('are refused in a Client-Cert that is %s', async (_name, text) => {
    expect(await ask('client-cert', { 'client-cert': text })).toEqual(REFUSED)
  })

  it.each([
    ['two elements', `${HASH},${HASH}`],
    ['two hashes', `${HASH};${HASH}`],
    ['an element in a quote that never ends', `${HASH};Subject="CN=a`],
    ['no hash', 'URI=spiffe://example.com/billing'],
    ['a short hash', 'Hash=abc'],
    ['nonsense', ';;;'],
    ['20,000 characters', `${HASH};Subject="${'x'.repeat(20_000)}"`],
  ])('are refused in an X-Forwarded-Client-Cert with %s', async (_name, text) => {
    expect(await ask('x-forwarded-client-cert', xfcc(text))).toEqual(REFUSED)
  })

  it.each([
    ['FAILED:certificate has expired', encodeURIComponent(PEM)],
    ['SUCCESS, SUCCESS', encodeURIComponent(PEM)],
    ['NONE', encodeURIComponent(PEM)],
    ['', encodeURIComponent(PEM)],
    ['SUCCESS', ''],
    ['SUCCESS', '%zz'],
    ['SUCCESS', encodeURIComponent(PEM + PEM)],
  ])('are refused from nginx with the verdict "%s" (%#)', async (verify, certificate) => {
    const headers = { 'ssl-client-verify': verify, 'ssl-client-cert': certificate }
    expect(await ask(NGINX, headers)).toEqual(REFUSED)
  })

  it('are refused before their beginning, after their end, and when they belong to nobody', async () => {
    const headers = { 'client-cert': `:${DER}:` }
    expect(await ask('client-cert', headers, { at: Date.parse('2000-01-01') })).toEqual(REFUSED)
    expect(await ask('client-cert', headers, { at: Date.parse('2200-01-01') })).toEqual(REFUSED)
    const nobody = await ask('x-forwarded-client-cert', xfcc(`Hash=${'0'.repeat(64)}`))
    expect(nobody.status).toBe(401)
  })
})
