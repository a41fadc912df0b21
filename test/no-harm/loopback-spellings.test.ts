import { describe, expect, it } from 'vitest'
import { createGuard } from '../../src/net/guard.ts'
import { createLocalJudge, isLoopbackHost } from '../../src/net/local.ts'
import type { HttpRequest } from '../../src/wire/http.ts'
import { toRequest } from '../support/forrst.ts'

type Headers = Readonly<Record<string, string>>

describe('beside it: spellings', () => {
  const judge = createLocalJudge({ bind: '127.0.0.1' })
  const ask = (peer: string | undefined, headers: Headers): string | undefined =>
    judge({ ...(toRequest('', { headers }) as HttpRequest), peerAddress: () => peer })

  it.each(['127.0.0.1', '127.8.8.8', '::1', '::ffff:127.0.0.1', '0:0:0:0:0:0:0:1'])(
    'takes the peer %s for this machine',
    (peer) => expect(ask(peer, { host: 'localhost' })).toBeUndefined(),
  )

  it.each([
    '10.0.0.1',
    '192.168.1.4',
    '::ffff:10.0.0.1',
    'fe80::1%eth0',
    '0.0.0.0',
    '::',
    '',
    'localhost',
  ])('does not take the peer "%s" for this machine', (peer) =>
    expect(ask(peer, { host: 'localhost' })).toContain(`address ${peer} is not loopback`),
  )

  it.each([
    'localhost',
    'localhost:4000',
    'LOCALHOST',
    'localhost.',
    'app.localhost:80',
    '127.0.0.1:4000',
    '127.1.2.3',
    '[::1]',
    '[::1]:4000',
    '[::ffff:127.0.0.1]',
  ])('takes the Host %s for this machine', (host) => {
    expect(isLoopbackHost(host)).toBe(true)
    expect(ask('127.0.0.1', { host })).toBeUndefined()
    expect(ask('127.0.0.1', { ':authority': host })).toBeUndefined()
  })

  it.each([
    'api.example.com',
    'localhost.example.com',
    'notlocalhost',
    '127.0.0.1.example.com',
    '127.1',
    '2130706433',
    '0x7f000001',
    '0177.0.0.1',
    '0.0.0.0',
    '[::]',
    '10.0.0.1',
    'localhost..',
    'localhost@example.com',
    'example.com:127.0.0.1',
    '',
  ])('does not take the Host "%s" for this machine', (host) => {
    expect(ask('127.0.0.1', { host })).toContain('which is not a loopback name')
    expect(ask('127.0.0.1', { ':authority': host })).toContain('which is not a loopback name')
  })

  it.each(['localhost.', 'localhost.:4000', 'app.localhost.', 'localhost'])(
    'answers under the Host %s',
    (host) => {
      const request = toRequest('', { headers: { host } }) as HttpRequest
      expect(createGuard({}).judgeHost(request)).toBeUndefined()
    },
  )

  it.each(['localhost..', 'localhost.example.com.', 'localhost.x:1'])(
    'does not answer under the Host %s',
    (host) => {
      const request = toRequest('', { headers: { host } }) as HttpRequest
      expect(createGuard({}).judgeHost(request)).toContain('is not allowed')
    },
  )

  it('does not trust a request that names no Host', () => {
    expect(ask('127.0.0.1', {})).toBe('the request has no Host header')
  })

  it.each([
    'x-forwarded-host',
    'x-forwarded-proto',
    'x-forwarded-port',
    'x-client-ip',
    'x-cluster-client-ip',
    'x-envoy-external-address',
    'cf-connecting-ip',
    'cf-ray',
    'cdn-loop',
    'true-client-ip',
    'fastly-client-ip',
    'fly-client-ip',
    'x-original-forwarded-for',
    'x-amzn-trace-id',
    'x-azure-clientip',
    'ngrok-trace-id',
    'x_forwarded_for',
    'x_real_ip',
    'cf_connecting_ip',
  ])('knows a proxy by %s, even when it is empty', (name) => {
    for (const value of ['', '127.0.0.1']) {
      expect(ask('127.0.0.1', { host: 'localhost', [name]: value })).toContain(name)
    }
  })

  it.each(['127.0.0.1', '::1', '[::1]', 'localhost', '127.0.0.53'])(
    'takes the bind address %s for loopback',
    (bind) => {
      const request = {
        ...toRequest('', { headers: { host: 'localhost' } }),
        peerAddress: () => '::1',
      }
      expect(createLocalJudge({ bind })(request)).toBeUndefined()
    },
  )

  it.each(['0.0.0.0', '::', '10.0.0.1', 'api.example.com', ''])(
    'does not take the bind address "%s" for loopback',
    (bind) => {
      const request = {
        ...toRequest('', { headers: { host: 'localhost' } }),
        peerAddress: () => '::1',
      }
      expect(createLocalJudge({ bind })(request)).toContain(`listens on ${bind}`)
    },
  )

  it.each(['http://127.0.0.1:4000', 'http://localhost', 'http://[::1]:4000/x', 'http://127.1'])(
    'does not take the publicUrl %s for public',
    (publicUrl) => {
      const request = {
        ...toRequest('', { headers: { host: 'localhost' } }),
        peerAddress: () => '::1',
      }
      expect(createLocalJudge({ bind: '::1', publicUrl })(request)).toBeUndefined()
    },
  )
})
