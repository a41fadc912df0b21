import { describe, expect, it } from 'vitest'
import { problemsOf, short, tool } from '../../../test/support/tool-spec.ts'

describe('tools', () => {
  it('[TS-14] [TS-15] name and description are required', () => {
    expect(short('domain: x\ntools: [{ description: b }]')).toEqual(['E007 tools[0].name'])
    expect(short('domain: x\ntools: [{ name: b }]')).toEqual(['E007 tools[0](b).description'])
  })

  it('[TS-16] two tools of one name are reported at both places', () => {
    const text =
      'domain: x\ntools:\n  - { name: a, description: b }\n  - { name: a, description: c }'
    expect(problemsOf(text)).toMatchObject([
      { code: 'E021', line: 3, path: 'tools[0](a).name' },
      { code: 'E021', line: 4, path: 'tools[1](a).name' },
    ])
  })

  it('[TS-17] takes snake_case names of 1 to 64 characters only', () => {
    const named = (name: string): string[] =>
      short(`domain: x\ntools: [{ name: "${name}", description: b }]`)
    for (const name of ['a', 'list_trees', 'a1_b2', 'a'.repeat(64)]) expect(named(name)).toEqual([])
    for (const name of ['', 'A', 'listTrees', 'a-b', '1a', '_a', 'a'.repeat(65)]) {
      expect(named(name)).toEqual([
        `E020 tools[0](${name.length > 60 ? `${name.slice(0, 59)}…` : name}).name`,
      ])
    }
  })

  it('[TS-18] [TS-19] takes exactly GET, POST, PUT, PATCH and DELETE', () => {
    for (const method of ['GET', 'POST', 'PUT', 'PATCH', 'DELETE']) {
      expect(short(tool(`method: ${method}\npath: /a`))).toEqual([])
    }
    const [problem] = problemsOf(tool('method: FETCH\npath: /a'))
    expect(problem?.message).toBe('must be one of GET, POST, PUT, PATCH, DELETE; found "FETCH"')
    expect(problemsOf(tool('method: get\npath: /a'))[0]?.hint).toBe('did you mean "GET"?')
  })

  it('[TS-20] is not an HTTP tool without method and path, and needs both otherwise', () => {
    expect(short(tool('tags: [x]', ''))).toEqual([])
    expect(short(tool('method: GET'))).toEqual(['E031 tools[0](a).method'])
    expect(short(tool('path: /a'))).toEqual(['E031 tools[0](a).path'])
  })

  it('wants a path that starts with a slash and has no query', () => {
    for (const path of ['a', '/a?b=1', '/a#b', '/a b']) {
      expect(short(tool(`method: GET\npath: "${path}"`))).toEqual(['E030 tools[0](a).path'])
    }
  })

  it('refuses a brace without its partner and dot segments in a path', () => {
    for (const path of ['/a/{id', '/a/id}', '/a/{{id}', '/a/../b', '/./a', '/a/%2E%2e', '/..']) {
      expect(short(tool(`method: GET\npath: "${path}"`))).toContain('E030 tools[0](a).path')
    }
    expect(short(tool('method: GET\npath: /a/..b/v1.2'))).toEqual([])
  })

  it('refuses an empty description', () => {
    const text = 'domain: d\ntools: [{ name: a, description: " " }]\n'
    expect(short(text)).toEqual(['E022 tools[0](a).description'])
    const timer = '{ type: schedule, name: t, description: "", cron: "0 * * * *" }'
    expect(short(`domain: d\ntools: []\ntriggers: [${timer}]\n`)).toEqual([
      'E022 triggers[0](t).description',
    ])
  })

  it('wants exactly one required entry of params for each placeholder', () => {
    const at = (params: string): string[] =>
      short(tool(`method: GET\npath: /a/{id}\nparams: ${params}`))
    expect(at('[{ name: id, type: string, required: true, description: d }]')).toEqual([])
    expect(at('[]')).toEqual(['E032 tools[0](a).path'])
    expect(at('[{ name: id, type: string, description: d }]')).toEqual([])
    expect(at('[{ name: id, type: string, required: false, description: d }]')).toEqual([
      'E032 tools[0](a).params[0](id).required',
    ])
    expect(at('[{ name: id, type: string, required: true, description: d, in: query }]')).toEqual([
      'E032 tools[0](a).path',
    ])
    const [missing] = problemsOf(tool('method: GET\npath: /a/{id}'))
    expect(missing?.hint).toContain('- { name: id, type: string, required: true, description: … }')
  })

  it('refuses in: path for a name that the path does not have', () => {
    const text = tool(
      'method: GET\npath: /a\nparams: [{ name: id, type: string, required: true, description: d, in: path }]',
    )
    expect(short(text)).toEqual(['E032 tools[0](a).params[0](id).in'])
  })

  it('wants a base URL for an HTTP tool, of the file or of the tool', () => {
    expect(short(tool('method: GET\npath: /a', ''))).toEqual(['E033 tools[0](a).path'])
    expect(short(tool('method: GET\npath: /a\nbase_url: https://b.example', ''))).toEqual([])
  })

  it('refuses a body on GET and warns about one on DELETE', () => {
    const body = 'body: [{ name: b, type: string, description: d }]'
    expect(short(tool(`method: GET\npath: /a\n${body}`))).toEqual(['E034 tools[0](a).body'])
    expect(short(tool(`method: DELETE\npath: /a\n${body}`))).toEqual(['W034 tools[0](a).body'])
  })

  it('refuses two arguments of one name, unless arg tells them apart', () => {
    const both = (arg: string): string =>
      tool(
        `method: POST\npath: /a/{id}\nparams: [{ name: id, type: string, required: true, description: d${arg} }]\nbody: [{ name: id, type: string, description: d }]`,
      )
    expect(short(both(''))).toEqual(['E035 tools[0](a).body[0](id)'])
    expect(short(both(', arg: id_path'))).toEqual([])
  })

  it('[TS-137] shows the list form for a body that is a mapping', () => {
    const [problem] = problemsOf(
      tool('method: POST\npath: /a\nbody:\n  subject: { type: string, required: true }'),
    )
    expect(problem).toMatchObject({ code: 'E041', path: 'tools[0](a).body' })
    expect(problem?.hint).toContain(
      '- { name: subject, type: string, required: true, description: … }',
    )
  })

  it('refuses a media type that could start another header', () => {
    expect(short(tool('method: POST\npath: /a\nmedia_type: "text/plain\\r\\nX: 1"'))).toEqual([
      'E036 tools[0](a).media_type',
    ])
  })
})
