import { rmSync } from 'node:fs'
import { expect, it } from 'vitest'
import { createWorkplace } from '../../../test/cli/run-main.ts'

it('serve explains a trusted proxy that is not an address', async () => {
  const place = createWorkplace()
  const spec = place.write(
    'api.json',
    '{"openapi":"3.0.3","info":{"title":"A","version":"1"},"paths":{"/a":{"get":{"operationId":"a","summary":"A","responses":{}}}},"servers":[{"url":"https://a.example"}]}',
  )
  const { code, err } = await place.run('serve', spec, '--port', '0', '--trusted-proxy', 'nginx')
  rmSync(place.folder, { recursive: true, force: true })
  expect(err).toContain(
    'trustedProxies: must be addresses or ranges such as 10.0.0.0/8, not "nginx"',
  )
  expect(code).toBe(2)
})
