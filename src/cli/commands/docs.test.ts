import { describe, expect, it } from 'vitest'
import { createWorkplace, zendeskDocument } from '../../../test/cli/run-main.ts'

describe('waymark docs', () => {
  it('writes a site of an API description', async () => {
    const workplace = createWorkplace()
    workplace.write('api.json', zendeskDocument())
    const { code, out } = await workplace.run('docs', 'api.json', '--out', 'public')
    expect(code).toBe(0)
    expect(out).toMatch(/^\d+ files in public; open public\/index\.html\n$/)
    expect(workplace.read('public/index.html')).toContain('Zendesk Support API')
  })

  it('says what it needs', async () => {
    const { code, err } = await createWorkplace().run('docs')
    expect(code).toBe(2)
    expect(err).toContain('waymark docs service.ts')
  })

  it('lists its files for machines', async () => {
    const workplace = createWorkplace()
    workplace.write('api.json', zendeskDocument())
    const { out } = await workplace.run('docs', 'api.json', '--json')
    expect(JSON.parse(out).files).toContain('llms.txt')
  })
})
