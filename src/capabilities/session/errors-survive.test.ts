import { describe, expect, it } from 'vitest'
import { readMcpAnswer, readRestAnswer } from './incoming.ts'

const error = {
  code: 'TICKETS_BUSY',
  message: 'Somebody works on it',
  details: { retry_after: { value: 7, unit: 'second' } },
}

function answer(body: object, type: string, status = 200) {
  return {
    status,
    url: 'https://shop.example/mcp',
    header: (name: string) => (name === 'content-type' ? type : undefined),
    body: Buffer.from(JSON.stringify(body)),
  }
}

describe('a declared error of a Waymark business', () => {
  it('keeps code, message, details and retry-after over MCP', () => {
    const result = {
      content: [{ type: 'text', text: 'TICKETS_BUSY: Somebody works on it' }],
      isError: true,
      _meta: { 'waymark/errors': [error] },
    }
    const message = { jsonrpc: '2.0', id: '1', result }
    expect(readMcpAnswer(answer(message, 'application/json'), '1')).toEqual({ ok: false, error })
  })

  it('keeps code, message, details and retry-after over REST', () => {
    const problem = { type: 'about:blank', title: error.message, status: 409, ...error }
    expect(readRestAnswer(answer(problem, 'application/problem+json', 409))).toEqual({
      ok: false,
      error,
    })
  })

  it('is not believed when it is not a code', () => {
    const result = { content: [], isError: true, _meta: { 'waymark/errors': [{ code: '<b>' }] } }
    const message = { jsonrpc: '2.0', id: '1', result }
    expect(readMcpAnswer(answer(message, 'application/json'), '1')).toMatchObject({
      error: { code: 'TOOL_FAILED' },
    })
  })
})
