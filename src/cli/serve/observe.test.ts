import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startWaymark, type WaymarkProcess } from '../../../test/support/waymark-process.ts'
import { parseCallLog } from './call-log.ts'

describe('waymark serve --log calls', () => {
  let server: WaymarkProcess
  beforeAll(async () => {
    server = await startWaymark(['examples/events', '--log', 'calls'])
  }, 60_000)
  afterAll(() => server.stop())

  it('writes a line per call and publishes metrics', async () => {
    const name = 'urn:cline:forrst:fn:ping'
    const answer = await fetch(`${server.url}/forrst`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        protocol: { name: 'forrst', version: '0.1.0' },
        id: 'r-1',
        call: { function: name },
        context: { caller: 'test' },
      }),
    })
    expect(answer.status).toBe(200)
    await expect.poll(server.errors).toContain('"request":"r-1"')
    const line = server
      .errors()
      .split('\n')
      .find((one) => one.includes('r-1'))
    expect(JSON.parse(line ?? '')).toMatchObject({
      level: 'info',
      message: 'call',
      surface: 'forrst',
      function: name,
      code: 'OK',
    })
    const metrics = await fetch(`${server.url}/metrics`)
    expect(await metrics.text()).toContain(
      `waymark_calls_total{function="${name}",surface="forrst",outcome="ok"} 1`,
    )
  })
})

describe('--log', () => {
  it.each([
    ['calls', {}],
    ['calls,sample=0.25,arguments', { sample: 0.25, arguments: true }],
  ])('reads %s', (text, options) => {
    expect(parseCallLog(text)).toEqual(options)
  })

  it.each(['', 'everything', 'calls,sample=2', 'calls,sample=x'])('refuses "%s"', (text) => {
    expect(() => parseCallLog(text)).toThrow('--log must be calls')
  })
})
