import { afterEach, describe, expect, it } from 'vitest'
import { createTestClock, createTestLog } from '../../../test/support/forrst.ts'
import { createManualJobs } from '../../../test/support/manual-jobs.ts'
import { fc } from '../../../test/support/property.ts'
import { type Receiver, startReceiver } from '../../../test/support/receiver.ts'
import { createOutgoing, type OutgoingOptions } from './outgoing.ts'
import { findHeaderProblem } from './request.ts'

const SECRET = `whsec_${Buffer.alloc(32, 7).toString('base64')}`

function setUp(options: Partial<OutgoingOptions> = {}) {
  const clock = createTestClock()
  const jobs = createManualJobs(clock)
  const log = createTestLog()
  return { jobs, log, outgoing: createOutgoing({ jobs, clock, log, secret: SECRET, ...options }) }
}

let receiver: Receiver | undefined
afterEach(async () => {
  await receiver?.close()
  receiver = undefined
})

describe('addresses that callbacks never go to', () => {
  it.each([
    'http://example.com/',
    'ftp://example.com/',
    'javascript:alert(1)',
    '/relative',
    '',
    'https://user:password@example.com/',
    `https://example.com/${'x'.repeat(2048)}`,
    'https://localhost/',
    'https://localhost./',
    'https://a.localhost/',
    'https://127.0.0.1/',
    'https://127.1/',
    'https://2130706433/',
    'https://0x7f.1/',
    'https://0177.0.0.1/',
    'https://0.0.0.0/',
    'https://10.0.0.1/',
    'https://172.16.0.1/',
    'https://192.168.1.1/',
    'https://100.64.0.1/',
    'https://169.254.169.254/latest/meta-data/',
    'https://[::1]/',
    'https://[::]/',
    'https://[::ffff:127.0.0.1]/',
    'https://[::ffff:7f00:1]/',
    'https://[::127.0.0.1]/',
    'https://[64:ff9b::10.0.0.1]/',
    'https://[2002:7f00:1::]/',
    'https://[fe80::1]/',
    'https://[fc00::1]/',
    'https://[fd00:ec2::254]/',
  ])('[F-237] refuses %s when it is registered', async (url) => {
    const { outgoing, jobs } = setUp()
    expect(outgoing.refuse(url)).toMatch(/^must /)
    await expect(outgoing.send({ id: 'msg_1', url, body: '' })).rejects.toMatchObject({
      code: 'INVALID_ARGUMENTS',
    })
    expect(jobs.waiting()).toEqual([])
  })

  it('lets public https addresses pass, and only those on the allowlist where there is one', () => {
    const open = setUp().outgoing
    expect(open.refuse('https://hooks.example.com:8443/a?b=c')).toBeUndefined()
    expect(open.refuse('https://93.184.216.34/')).toBeUndefined()
    const listed = setUp({ allowHosts: ['example.com', '*.Example.org'] }).outgoing
    expect(listed.refuse('https://example.com/')).toBeUndefined()
    expect(listed.refuse('https://a.b.example.org/')).toBeUndefined()
    for (const host of [
      'hooks.example.com',
      'example.org',
      'badexample.org',
      'example.com.evil.net',
    ]) {
      expect(listed.refuse(`https://${host}/`)).toContain('allowlist')
    }
  })

  it.each([
    ['127.0.0.1', 4],
    ['::ffff:10.0.0.1', 6],
    ['::1', 6],
    ['169.254.169.254', 4],
  ])(
    'sends nothing to a name that resolves to %s, and does not try again',
    async (address, family) => {
      receiver = await startReceiver()
      const { outgoing, jobs, log } = setUp({ lookup: async () => [{ address, family }] })
      const url = `https://hooks.example.com:${receiver.port}/`
      await outgoing.send({ id: 'msg_1', url, body: '{}' })
      await jobs.runDue()
      expect(receiver.received).toEqual([])
      expect(jobs.waiting()).toEqual([])
      expect(log.lines).toMatchObject([{ facts: { reason: 'address_refused' } }])
    },
  )

  it('refuses a name of which only one address is internal', async () => {
    const lookup = async () => [
      { address: '93.184.216.34', family: 4 },
      { address: '10.0.0.1', family: 4 },
    ]
    const { outgoing, jobs, log } = setUp({ lookup })
    await outgoing.send({ id: 'msg_1', url: 'https://hooks.example.com/', body: '{}' })
    await jobs.runDue()
    expect(log.lines).toMatchObject([{ facts: { reason: 'address_refused' } }])
  })

  it('tries again when a name cannot be resolved now', async () => {
    const { outgoing, jobs } = setUp({ lookup: async () => [] })
    await outgoing.send({ id: 'msg_1', url: 'https://hooks.example.com/', body: '{}' })
    await jobs.runDue()
    expect(jobs.waiting()).toHaveLength(1)
  })

  it('allows this machine, and http to it, only when told to', () => {
    const { outgoing } = setUp({ allowLoopback: true })
    expect(outgoing.refuse('http://localhost:3000/')).toBeUndefined()
    expect(outgoing.refuse('http://[::1]:3000/')).toBeUndefined()
    expect(outgoing.refuse('http://example.com/')).toBeDefined()
    expect(outgoing.refuse('https://10.0.0.1/')).toBeDefined()
  })
})

describe('headers of callbacks', () => {
  it.each([
    { 'x-a': 'b\r\nHost: evil' },
    { 'x-a': 'b\nc' },
    { 'x-a': 'é' },
    { 'x-a': '\0' },
    { 'x a': 'b' },
    { 'x-a:': 'b' },
    { 'x\r\n': 'b' },
    { '': 'b' },
    { Host: 'evil' },
    { 'Content-Length': '0' },
    { 'transfer-encoding': 'chunked' },
    { Connection: 'upgrade' },
    { 'Webhook-Signature': 'v1,x' },
    { 'x-forrst-signature': 'sha256=x' },
    { 'Proxy-Authorization': 'x' },
    { 'x-a': 'y'.repeat(1025) },
    Object.fromEntries(Array.from({ length: 21 }, (_, index) => [`x-${index}`, ''])),
  ])('refuses %j', async (headers) => {
    const { outgoing } = setUp()
    const request = { id: 'msg_1', url: 'https://example.com/', body: '', headers }
    await expect(outgoing.send(request)).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' })
  })

  it('lets nothing pass that Node would refuse or that starts another line', () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string({ unit: 'binary' }), fc.string({ unit: 'binary' })),
        (headers) => {
          if (findHeaderProblem(headers) !== undefined) return
          expect(() => new Headers(headers)).not.toThrow()
          expect(JSON.stringify(headers)).not.toMatch(/\\[rn]/)
        },
      ),
    )
  })

  it('sends those that are left, beside its own', async () => {
    receiver = await startReceiver()
    const { outgoing, jobs } = setUp({ allowLoopback: true })
    await outgoing.send({
      id: 'msg_1',
      url: receiver.url,
      body: '{}',
      headers: { Authorization: 'Bearer t', 'user-agent': 'Forrst-Async/1.0' },
    })
    await jobs.runDue()
    expect(receiver.received[0]?.headers).toMatchObject({
      authorization: 'Bearer t',
      'user-agent': 'Forrst-Async/1.0',
      'content-type': 'application/json',
    })
  })
})

describe('secrets of callbacks', () => {
  it.each([
    '',
    'whsec_',
    'whsec_c2hvcnQ=',
    `whsec_${Buffer.alloc(65).toString('base64')}`,
    'whsk_AAAA',
    `whpk_${Buffer.alloc(32).toString('base64')}`,
  ])('refuses %j at start', (secret) => {
    expect(() => setUp({ secret })).toThrow(TypeError)
  })

  it('refuses a signature there is no secret for', async () => {
    const { outgoing } = setUp()
    const request = { id: 'msg_1', url: 'https://example.com/', body: '' }
    await expect(
      outgoing.send({ ...request, signature: 'standard-ed25519' }),
    ).rejects.toMatchObject({ code: 'INVALID_ARGUMENTS' })
  })
})
