import { describe, expect, it } from 'vitest'
import { toRequest } from '../../../test/support/forrst.ts'
import { serviceOf } from '../../../test/support/service.ts'
import { defineFunction } from '../../core/function.ts'
import { createApp } from '../../http/app.ts'
import { forrst } from '../forrst/index.ts'
import { mcp } from '../mcp/index.ts'
import { rest } from '../rest/index.ts'
import type { Surface } from '../surface/index.ts'
import { explorer } from '../tools/index.ts'
import { documents } from './surface.ts'

const ping = defineFunction({ name: 'orders.ping', version: '1.0.0', handler: () => 'pong' })

async function read(surfaces: readonly Surface[], path: string) {
  const app = createApp(serviceOf([ping]), { surfaces })
  const request = toRequest('', { method: 'GET', path, headers: { host: 'localhost' } })
  const { status, body } = await app.handle(request)
  return { status, text: String(body) }
}

describe('documents()', () => {
  it('describes REST only where it is served, at its path', async () => {
    expect((await read([forrst(), documents()], '/openapi.json')).status).toBe(404)
    const { text } = await read([documents(), rest({ path: '/v1' })], '/openapi.json')
    expect(JSON.parse(text).paths).toHaveProperty(['/v1/orders.ping'])
  })

  it('names in llms.txt the surfaces that are there', async () => {
    const bare = await read([forrst(), documents()], '/llms.txt')
    expect(bare.text).toContain('Call a function over Forrst.')
    expect(bare.text).not.toMatch(/openapi|MCP|Explorer/)
    const both = await read([rest({ path: '/' }), mcp(), documents(), explorer()], '/llms.txt')
    expect(both.text).toContain(
      'over MCP, as a tool (dots become two underscores), or with `POST /{function}`',
    )
    expect(both.text).toContain('[Explorer](/explorer/)')
  })

  it('is pointed to by REST only where it stands beside it', async () => {
    const lost = '/api/orders.pong'
    expect((await read([rest()], lost)).text).not.toContain('openapi')
    expect((await read([rest(), documents()], lost)).text).toContain(
      'did you mean orders.ping? see /openapi.json',
    )
  })
})
