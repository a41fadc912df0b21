import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { rawRequest, sendRaw } from '../support/raw-http.ts'
import { startWaymark, type WaymarkProcess } from '../support/waymark-process.ts'

let served: WaymarkProcess
beforeAll(async () => {
  const publicUrl = ['--public-url', 'https://api.example.com', '--allow-execute']
  served = await startWaymark(['test/no-harm/faulty-triggers.ts', ...publicUrl])
}, 60_000)
afterAll(() => served.stop())

const post = (path: string, host: string, ...more: readonly string[]) =>
  sendRaw(
    served.port,
    rawRequest(
      `POST ${path} HTTP/1.1`,
      [`Host: ${host}`, 'Content-Type: application/json', 'Connection: close', ...more],
      '{}',
    ),
  )

const OWN = 'api.example.com'
const REASON = 'https://api.example.com'

describe('as reported: waymark serve --public-url', () => {
  it('accepts its own host, and no other', async () => {
    expect((await post('/api/tests.fine', OWN)).status).toBe(200)
    const refused = await post('/api/tests.fine', 'evil.example.com')
    expect(refused).toMatchObject({ status: 403, text: expect.stringContaining('--public-url') })
  })

  it.each([OWN, '127.0.0.1', 'localhost'])(
    'executes nothing from the explorer for %s, and the log says why',
    async (host) => {
      const { status, text } = await post('/explorer/tools/tests.fine/call', host)
      expect([status, text]).toEqual([403, expect.stringContaining('xecut')])
      expect(served.errors()).toContain(`the explorer does not execute functions`)
      expect(served.errors()).toContain(REASON)
    },
  )

  it.each([OWN, '127.0.0.1', 'localhost'])(
    'takes no unsigned webhook for %s, and says why',
    async (host) => {
      const { status, text } = await post('/webhooks/told', host)
      expect([status, text]).toEqual([403, expect.stringContaining(REASON)])
    },
  )
})

describe('beside it', () => {
  it('a page of its own may call it', async () => {
    const answer = await post('/api/tests.fine', OWN, 'Origin: https://api.example.com')
    expect(answer.status).toBe(200)
    const foreign = await post('/api/tests.fine', OWN, 'Origin: https://evil.example.com')
    expect(foreign.status).toBe(403)
  })
})
