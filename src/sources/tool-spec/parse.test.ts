import { describe, expect, it } from 'vitest'
import {
  field,
  ORCHARD,
  problemsOf,
  short,
  tool,
  trigger,
} from '../../../test/support/tool-spec.ts'
import { parseToolSpec } from './parse.ts'

describe('document', () => {
  it('[TS-1] is valid with a domain and one tool that has a name and a description', () => {
    const parsed = parseToolSpec('domain: x\ntools: [{ name: a, description: Does a. }]\n')
    expect(parsed).toEqual({
      ok: true,
      spec: { domain: 'x', tools: [{ name: 'a', description: 'Does a.' }] },
      warnings: [],
    })
  })

  it('[TS-2] without domain is an error that names domain', () => {
    expect(short('tools: [{ name: a, description: Does a. }]')).toEqual(['E007 domain'])
  })

  it('[TS-3] without tools is an error that names tools', () => {
    expect(short('domain: x')).toEqual(['E007 tools'])
  })

  it('[TS-4] [TS-9] [TS-41] takes version, base_url, auth and all five kinds of trigger, or none of them', () => {
    expect(problemsOf(ORCHARD)).toEqual([])
    expect(problemsOf('domain: x\ntools: [{ name: a, description: b }]')).toEqual([])
  })

  it('[TS-12] [TS-131] names file, line, column, code, path, expected and found', () => {
    const [problem] = problemsOf(ORCHARD.replace('type: string, enum', 'type: str, enum'))
    expect(problem).toEqual({
      severity: 'error',
      code: 'E042',
      file: 'x.tool-spec.yaml',
      line: 15,
      column: 29,
      path: 'tools[0](list_trees).params[1](kind).type',
      message: 'must be one of string, number, integer, boolean, array, object; found "str"',
      hint: 'did you mean "string"?',
    })
  })

  it('[TS-136] asks for quotes when version is a number', () => {
    const [problem] = problemsOf('domain: x\nversion: 1.0\ntools: [{ name: a, description: b }]')
    expect(problem).toMatchObject({ code: 'E010', line: 2, column: 10 })
    expect(problem?.hint).toContain('version: "1.0"')
    expect(problemsOf('domain: x\nversion: 1.0.0\ntools: [{ name: a, description: b }]')).toEqual(
      [],
    )
  })

  it('[TS-138] refuses a domain that is not a plain file name', () => {
    for (const domain of ['../x', 'a/b', 'a.b', '', '9a', 'a'.repeat(33), 'a b']) {
      expect(short(`domain: "${domain}"\ntools: [{ name: a, description: b }]`)).toEqual([
        'E011 domain',
      ])
    }
  })

  it('refuses empty tools without triggers', () => {
    expect(short('domain: x\ntools: []')).toEqual(['E012 tools'])
    expect(short(trigger('{ type: emit, name: e, description: d, event: e }'))).toEqual([])
  })

  it('refuses a base_url that is not http, or has a query or fragment', () => {
    const at = (url: string): string[] => short(tool('method: GET\npath: /a', `base_url: ${url}`))
    for (const url of [
      'ftp://a',
      'api.example.com',
      'https://a/?b=1',
      'https://a/#b',
      'https://',
    ]) {
      expect(at(`"${url}"`)).toEqual(['E013 base_url'])
    }
    for (const url of [
      '\u0024{BASE}',
      '\u0024{BASE:-https://a.example}',
      'https://\u0024{HOST}/v1',
      'http://localhost:1',
    ]) {
      expect(at(`"${url}"`)).toEqual([])
    }
    expect(at('"\u0024{BASE:-ftp://a}"')).toEqual(['E013 base_url'])
  })

  it('tells an OpenAPI document, a stranger and a non-mapping apart', () => {
    expect(problemsOf('openapi: 3.0.0\npaths: {}')[0]?.hint).toContain('forge tool')
    expect(short('a: 1')).toEqual(['E001'])
    expect(short('[1]')).toEqual(['E005'])
    expect(short('')).toEqual(['E005'])
  })

  it('[TS-141] reports every duplicate key', () => {
    expect(short('domain: x\ndomain: y\ntools:\n  - { name: a, name: b, description: c }')).toEqual(
      ['E003 domain', 'E003 name'],
    )
  })

  it('refuses several documents in one file', () => {
    expect(problemsOf('domain: x\ntools: []\n---\na: 1')).toMatchObject([{ code: 'E004', line: 3 }])
  })

  it('reports YAML syntax with its place', () => {
    expect(problemsOf('domain: x\ntools: [')).toMatchObject([{ code: 'E002', line: 2 }])
  })

  it('[TS-142] keeps yes, no, on, off and dates as texts', () => {
    const parsed = parseToolSpec(
      field('{ name: a, type: string, description: d, enum: [yes, no, on, off, 2001-01-01] }'),
    )
    expect(parsed.ok && parsed.spec.tools[0]?.body?.[0]?.enum).toEqual([
      'yes',
      'no',
      'on',
      'off',
      '2001-01-01',
    ])
  })

  it('[TS-133] points at an unknown key and offers the nearest one; x- keys are kept', () => {
    const text =
      'domain: x\ndescripton: y\nx-owner: me\ntools: [{ name: a, description: b, x-team: c }]'
    expect(problemsOf(text)).toMatchObject([
      { code: 'E006', line: 2, column: 1, path: 'descripton' },
    ])
    const kept = parseToolSpec(text.replace('descripton: y\n', ''))
    expect(kept.ok && kept.spec).toMatchObject({ 'x-owner': 'me', tools: [{ 'x-team': 'c' }] })
    expect(problemsOf(tool('metod: GET'))[0]?.hint).toBe('did you mean "method"?')
  })

  it('[TS-132] points a missing key at the line of its parent', () => {
    const problems = problemsOf('domain: x\ntools:\n  - name: a\n    description: b\n  - name: c\n')
    expect(problems).toMatchObject([{ code: 'E007', line: 5, path: 'tools[1](c).description' }])
  })

  it('[TS-134] reports all problems of a stage at once, by position', () => {
    const text =
      'domain: ../x\nversion: 1\ntools:\n  - { name: A, description: 1, method: FETCH }\n'
    expect(short(text)).toEqual([
      'E011 domain',
      'E010 version',
      'E020 tools[0](A).name',
      'E008 tools[0](A).description',
      'E009 tools[0](A).method',
    ])
  })

  it('[TS-143] validates 5,000 tools', () => {
    const entries = Array.from({ length: 5000 }, (_, index) =>
      [
        `  - name: tool_${index}`,
        '    description: Lists trees.',
        '    method: GET',
        '    path: /plots/{plot_id}/trees',
        '    params:',
        '      - { name: plot_id, type: integer, required: true, description: Plot number. }',
        '      - { name: limit, type: integer, default: 20, description: How many to return. }',
      ].join('\n'),
    )
    const parsed = parseToolSpec(
      `domain: x\nbase_url: https://a.example\ntools:\n${entries.join('\n')}`,
    )
    expect(parsed.ok && parsed.spec.tools.length).toBe(5000)
  })
})

describe('strict seed', () => {
  it('[TS-200] reports every extension, and nothing for a file of seed fields only', () => {
    expect(problemsOf(ORCHARD, { strictSeed: true })).toEqual([])
    const extended = tool(
      'method: GET\npath: /a\ntags: [x]\nresponse: { max_items: 3 }\nparams:\n  - { name: b, type: integer, description: d, enum: [1], minimum: 1, in: query }',
      'base_url: https://a.example\nauth: { type: api_key, env: A, in: query, name: k }',
    )
    expect(short(extended)).toEqual([])
    expect(short(extended, { strictSeed: true })).toEqual([
      'E090 auth.in',
      'E090 auth.name',
      'E090 tools[0](a).tags',
      'E090 tools[0](a).response',
      'E090 tools[0](a).params[0](b).enum',
      'E090 tools[0](a).params[0](b).minimum',
      'E090 tools[0](a).params[0](b).in',
    ])
  })
})
