import { describe, expect, it } from 'vitest'
import {
  type Forrst,
  type ForrstAnswer,
  requireResult,
  toServiceFacts,
} from '../../explorer/src/model/forrst.ts'
import { createHealthMonitor } from '../../explorer/src/model/health.ts'

/** An object that cannot be made a text with `String`. */
const ODD = JSON.parse('{ "toString": 1 }')

function answering(body: unknown): Forrst {
  const answer: ForrstAnswer = { status: 200, body, elapsed: 0 }
  return { url: 'http://127.0.0.1/forrst', call: async () => answer }
}

describe('the page', () => {
  it('reads a discovery document whose texts are objects', () => {
    const facts = toServiceFacts({
      info: { title: ODD, version: { major: 1 } },
      functions: [{ name: 'orders.get', version: ODD }],
    })
    expect(facts).toMatchObject({ title: '{"toString":1}', version: '{"major":1}' })
    expect(facts.functions.get('orders.get')?.[0]?.version).toBe('{"toString":1}')
  })

  it('shows what an error says, whatever it is made of', () => {
    const body = { errors: [{ code: ODD, message: { de: 'Nein' } }] }
    expect(() => requireResult({ status: 400, body, elapsed: 0 })).toThrow(
      '{"toString":1}: {"de":"Nein"}',
    )
  })

  it('reads health whose states and units are objects or names that every object has', async () => {
    const slow = { status: ODD, latency: { value: 5, unit: 'constructor' } }
    const monitor = createHealthMonitor(
      answering({ result: { status: ODD, components: { queue: slow } } }),
    )
    expect(await monitor.read()).toBe(true)
    const [sample] = monitor.samples.get()
    expect(sample?.status).toBe('{"toString":1}')
    expect(sample?.components.get('queue')).toMatchObject({ status: '{"toString":1}', latency: 5 })
  })
})
