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

  it('leaves pages of somebody else alone unless it is told to replace them', async () => {
    const place = createWorkplace()
    place.write('api.json', zendeskDocument())
    place.write('index.html', '<h1>My own page</h1>')
    expect(await place.run('docs', 'api.json', '--out', '.')).toMatchObject({
      code: 2,
      err: expect.stringContaining('index.html was not written by this command'),
    })
    expect(place.files()).toEqual(['api.json', 'index.html'])
    expect((await place.run('docs', 'api.json', '--out', '.', '--force')).code).toBe(0)
    expect(place.read('index.html')).toContain('Zendesk')
  })

  it('takes pages away whose function is gone, and nothing else', async () => {
    const place = createWorkplace()
    place.write('api.json', zendeskDocument())
    await place.run('docs', 'api.json')
    place.write('site/notes.html', '<p>mine</p>')
    place.write('api.json', zendeskDocument({ '/api/v2/users': {} }))
    expect((await place.run('docs', 'api.json')).code).toBe(0)
    const files = place.files().join(' ')
    expect(files).not.toContain('list_users')
    expect(files).toContain('list_tickets')
    expect(files).toContain('site/notes.html')
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
