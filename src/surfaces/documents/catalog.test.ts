import { describe, expect, it } from 'vitest'
import { toRequest } from '../../../test/support/forrst.ts'
import { serviceOf } from '../../../test/support/service.ts'
import { defineFunction } from '../../core/function.ts'
import { allSurfaces } from '../../http/all-surfaces.ts'
import { type AppOptions, createApp } from '../../http/app.ts'
import { forrst } from '../forrst/index.ts'
import { rest } from '../rest/index.ts'
import { documents } from './surface.ts'

interface Context {
  readonly anchor: string
  readonly [relation: string]: string | readonly { readonly href: string; readonly type?: string }[]
}

const PATH = '/.well-known/api-catalog'
const ping = defineFunction({ name: 'orders.ping', version: '1.0.0', handler: () => 'pong' })

function appOf(options: AppOptions) {
  const app = createApp(serviceOf([ping]), options)
  return (path: string, method = 'GET') =>
    app.handle(toRequest('', { method, path, headers: { host: 'localhost' } }))
}

async function readLinkset(options: AppOptions): Promise<readonly Context[]> {
  const { body } = await appOf(options)(PATH)
  return JSON.parse(String(body)).linkset
}

describe('the API catalog (RFC 9727)', () => {
  it('is a linkset with the profile of the standard, for GET and HEAD', async () => {
    const ask = appOf({ surfaces: allSurfaces() })
    for (const method of ['GET', 'HEAD']) {
      const { status, headers } = await ask(PATH, method)
      expect(status).toBe(200)
      expect(headers).toMatchObject({
        'content-type':
          'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
        link: `<${PATH}>; rel="api-catalog"`,
      })
    }
    expect((await ask(PATH, 'POST')).status).toBe(405)
  })

  it('names every endpoint, and its documents, on the public URL', async () => {
    const publicUrl = 'https://api.example.com'
    const [catalog, ...apis] = await readLinkset({ surfaces: allSurfaces(), publicUrl })
    expect(catalog).toEqual({
      anchor: `${publicUrl}${PATH}`,
      item: ['/forrst', '/api', '/mcp'].map((path) => ({ href: `${publicUrl}${path}` })),
    })
    expect(apis.map(({ anchor }) => anchor)).toEqual(
      ['/forrst', '/api', '/mcp'].map((path) => `${publicUrl}${path}`),
    )
    const restApi = apis[1]
    expect(restApi?.['service-desc']).toEqual(
      ['/openapi.json', '/discovery.json', '/openrpc.json'].map((path) => ({
        href: `${publicUrl}${path}`,
        type: 'application/json',
      })),
    )
    expect(restApi?.['status']).toEqual([
      { href: `${publicUrl}/health/ready`, type: 'application/json' },
    ])
  })

  it('names nothing that is not served, with the media type it has', async () => {
    for (const surfaces of [
      allSurfaces(),
      [forrst(), documents()],
      [documents(), rest({ path: '/' })],
    ]) {
      const ask = appOf({ surfaces })
      for (const { anchor: _anchor, item, ...relations } of await readLinkset({
        surfaces,
      })) {
        const lists = Object.values(relations).filter((list) => typeof list !== 'string')
        expect(lists.length > 0 || item !== undefined).toBe(true)
        for (const { href, type } of lists.flat()) {
          const { status, headers } = await ask(href)
          expect([href, status]).toEqual([href, 200])
          expect(String(headers['content-type']).split(';')[0]).toBe(type)
        }
      }
    }
  })
})
