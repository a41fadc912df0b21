import { describe, expect, it } from 'vitest'
import { parseToolSpec } from './parse.ts'
import type { SpecProblem } from './problem.ts'

const ORCHARD = `
domain: orchard
version: "2.1"
base_url: \u0024{ORCHARD_BASE_URL}

auth: { type: basic, env: ORCHARD_USERNAME }      # password comes from ORCHARD_PASSWORD

tools:
  - name: list_trees
    description: Lists trees of one plot, newest first.
    method: GET
    path: /plots/{plot_id}/trees
    params:
      - { name: plot_id, type: integer, required: true, description: Plot number. }
      - { name: kind, type: string, enum: [apple, pear, plum], description: Only this kind. }
      - { name: limit, type: integer, default: 20, description: How many to return. }

  - name: plant_tree
    description: Plants a tree and returns its record.
    method: POST
    path: /plots/{plot_id}/trees
    auth: { type: api_key, env: ORCHARD_WRITE_KEY, header: X-Orchard-Key }
    params:
      - { name: plot_id, type: integer, required: true, description: Plot number. }
    body:
      - { name: kind, type: string, required: true, enum: [apple, pear, plum], description: Kind of tree. }
      - name: labels
        type: array
        description: Free labels.
        items: { type: string }
      - name: site
        type: object
        description: Where it stands.
        properties:
          - { name: row, type: integer, required: true, description: Row. }
          - { name: seat, type: integer, required: true, description: Place in the row. }

triggers:
  - { type: webhook,  name: on_frost,   description: Frost alarm from the sensor net., path: /webhooks/orchard/frost, event: frost.alarm, secret_env: ORCHARD_WEBHOOK_SECRET }
  - { type: schedule, name: nightly,    description: Nightly count., cron: "0 2 * * *" }
  - { type: emit,     name: harvested,  description: Tells other agents a plot is done., event: orchard.harvested }
  - { type: queue,    name: orders,     description: Incoming orders., queue_url: "amqp://localhost/orders", queue_env: ORCHARD_AMQP }
  - { type: file,     name: price_list, description: New price lists., watch_path: ./inbox/**/*.csv, events: [create, modify] }
`

/** Problems of a text, errors and warnings alike. */
function problemsOf(text: string, options = {}): readonly SpecProblem[] {
  const parsed = parseToolSpec(text, { file: 'x.tool-spec.yaml', ...options })
  return parsed.ok ? parsed.warnings : parsed.problems
}

/** One problem in short: code and path. */
function short(text: string, options = {}): string[] {
  return problemsOf(text, options).map(({ code, path }) => `${code} ${path}`.trim())
}

/** A spec with one tool whose remaining keys are given as YAML lines. */
function tool(lines: string, top = 'base_url: https://api.example.com'): string {
  const keys = lines.split('\n').map((line) => `    ${line}`)
  return `domain: x\n${top}\ntools:\n  - name: a\n    description: Does a.\n${keys.join('\n')}\n`
}

/** A spec with one body field given as a flow mapping. */
function field(flow: string): string {
  return tool(`method: POST\npath: /a\nbody:\n  - ${flow}`)
}

function auth(flow: string): string {
  return tool('method: GET\npath: /a', `base_url: https://api.example.com\nauth: ${flow}`)
}

function trigger(flow: string): string {
  return `domain: x\ntools: []\ntriggers:\n  - ${flow}\n`
}

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

  it('[TS-138] refuses a domain that is no plain file name', () => {
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

  it('[TS-20] is no HTTP tool without method and path, and needs both otherwise', () => {
    expect(short(tool('tags: [x]', ''))).toEqual([])
    expect(short(tool('method: GET'))).toEqual(['E031 tools[0](a).method'])
    expect(short(tool('path: /a'))).toEqual(['E031 tools[0](a).path'])
  })

  it('wants a path that starts with a slash and has no query', () => {
    for (const path of ['a', '/a?b=1', '/a#b', '/a b']) {
      expect(short(tool(`method: GET\npath: "${path}"`))).toEqual(['E030 tools[0](a).path'])
    }
  })

  it('wants exactly one required entry of params for each placeholder', () => {
    const at = (params: string): string[] =>
      short(tool(`method: GET\npath: /a/{id}\nparams: ${params}`))
    expect(at('[{ name: id, type: string, required: true, description: d }]')).toEqual([])
    expect(at('[]')).toEqual(['E032 tools[0](a).path'])
    expect(at('[{ name: id, type: string, description: d }]')).toEqual([
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

describe('fields', () => {
  it('[TS-29] name, type and description are each required', () => {
    expect(short(field('{ type: string, description: d }'))).toEqual([
      'E007 tools[0](a).body[0].name',
    ])
    expect(short(field('{ name: b, description: d }'))).toEqual([
      'E007 tools[0](a).body[0](b).type',
    ])
    expect(short(field('{ name: b, type: string }'))).toEqual([
      'E007 tools[0](a).body[0](b).description',
    ])
  })

  it('[TS-30] [TS-31] type is exactly one of the six', () => {
    for (const type of ['string', 'number', 'integer', 'boolean', 'object']) {
      expect(short(field(`{ name: b, type: ${type}, description: d }`))).toEqual([])
    }
    expect(
      short(field('{ name: b, type: array, description: d, items: { type: string } }')),
    ).toEqual([])
    const [problem] = problemsOf(field('{ name: b, type: float, description: d }'))
    expect(problem?.message).toBe(
      'must be one of string, number, integer, boolean, array, object; found "float"',
    )
    expect(problem?.hint).toBe('write "number"')
  })

  it('[TS-32] [TS-34] required is absent or a boolean', () => {
    expect(short(field('{ name: b, type: string, description: d }'))).toEqual([])
    expect(
      problemsOf(field('{ name: b, type: string, description: d, required: "yes" }')),
    ).toMatchObject([
      {
        code: 'E008',
        message: 'must be true or false; found "yes"',
        hint: 'write true without quotes',
      },
    ])
  })

  it('[TS-36] default may be any value that fits the type', () => {
    const fits = [
      'string, default: x',
      'integer, default: 3',
      'number, default: 1.5',
      'boolean, default: false',
    ]
    for (const rest of fits)
      expect(short(field(`{ name: b, type: ${rest}, description: d }`))).toEqual([])
    expect(
      short(field('{ name: b, type: object, default: { a: [1, { b: null }] }, description: d }')),
    ).toEqual([])
    expect(
      short(
        field('{ name: b, type: array, items: { type: string }, default: [a], description: d }'),
      ),
    ).toEqual([])
    for (const rest of [
      'string, default: 3',
      'integer, default: 1.5',
      'array, items: {type: string}, default: a',
      'string, default: null',
    ]) {
      expect(short(field(`{ name: b, type: ${rest}, description: d }`))).toEqual([
        'E053 tools[0](a).body[0](b).default',
      ])
    }
  })

  it('refuses a default outside enum and warns about one that is never used', () => {
    expect(
      short(field('{ name: b, type: string, enum: [x], default: y, description: d }')),
    ).toEqual(['E053 tools[0](a).body[0](b).default'])
    expect(
      short(field('{ name: b, type: string, default: y, required: true, description: d }')),
    ).toEqual(['W054 tools[0](a).body[0](b).default'])
  })

  it('refuses enum on lists and objects, of other types, empty and with duplicates', () => {
    expect(short(field('{ name: b, type: object, enum: [x], description: d }'))).toEqual([
      'E051 tools[0](a).body[0](b).enum',
    ])
    expect(short(field('{ name: b, type: string, enum: [1], description: d }'))).toEqual([
      'E051 tools[0](a).body[0](b).enum[0]',
    ])
    expect(short(field('{ name: b, type: string, enum: [], description: d }'))).toEqual([
      'E052 tools[0](a).body[0](b).enum',
    ])
    expect(short(field('{ name: b, type: string, enum: [x, x], description: d }'))).toEqual([
      'E052 tools[0](a).body[0](b).enum[1]',
    ])
    expect(short(field('{ name: b, type: integer, enum: [1, 2], description: d }'))).toEqual([])
  })

  it('[TS-39] items describes the elements of an array and needs neither name nor description', () => {
    expect(
      short(
        field(
          '{ name: b, type: array, description: d, items: { type: object, properties: [{ name: c, type: string, description: d }] } }',
        ),
      ),
    ).toEqual([])
    expect(
      short(field('{ name: b, type: string, description: d, items: { type: string } }')),
    ).toEqual(['E055 tools[0](a).body[0](b).items'])
    expect(short(field('{ name: b, type: array, description: d }'))).toEqual([
      'W056 tools[0](a).body[0](b)',
    ])
    expect(
      short(
        field('{ name: b, type: array, description: d, items: { type: string, required: true } }'),
      ),
    ).toEqual(['W050 tools[0](a).body[0](b).items.required'])
  })

  it('[TS-40] properties is a list of fields', () => {
    expect(
      short(
        field(
          '{ name: b, type: object, description: d, properties: [{ name: c, type: string, description: d }] }',
        ),
      ),
    ).toEqual([])
    expect(
      short(field('{ name: b, type: object, description: d, properties: { c: string } }')),
    ).toEqual(['E041 tools[0](a).body[0](b).properties'])
    expect(short(field('{ name: b, type: string, description: d, properties: [] }'))).toEqual([
      'E055 tools[0](a).body[0](b).properties',
    ])
    expect(
      short(
        field(
          '{ name: b, type: object, description: d, properties: [{ name: c, type: string, description: d }, { name: c, type: string, description: d }] }',
        ),
      ),
    ).toEqual(['E035 tools[0](a).body[0](b).properties[1](c).name'])
  })

  it('refuses nesting deeper than twelve levels', () => {
    const nest = (levels: number): string =>
      levels === 1
        ? '{ name: b, type: string, description: d }'
        : `{ name: b, type: object, description: d, properties: [${nest(levels - 1)}] }`
    expect(short(field(nest(12)))).toEqual([])
    expect(short(field(nest(13)))[0]).toContain('E057')
  })

  it('refuses patterns and bounds that no value can meet', () => {
    expect(short(field('{ name: b, type: string, description: d, pattern: "(" }'))).toEqual([
      'E058 tools[0](a).body[0](b).pattern',
    ])
    expect(
      short(field('{ name: b, type: integer, description: d, minimum: 3, maximum: 2 }')),
    ).toEqual(['E059 tools[0](a).body[0](b).minimum'])
  })

  it('takes any wire name, but a header must be able to have it', () => {
    const at = (rest: string): string[] =>
      short(tool(`method: GET\npath: /a\nparams: [{ ${rest}, type: string, description: d }]`))
    for (const name of ['filter[status]', 'X-Trace', '$top', 'user.name'])
      expect(at(`name: "${name}"`)).toEqual([])
    expect(at('name: "X: y", in: header')).toEqual(['E065 tools[0](a).params[0](X: y).name'])
    expect(short(field('{ name: b, type: string, description: d, in: header }'))).toEqual([
      'W057 tools[0](a).body[0](b).in',
    ])
  })
})

describe('auth', () => {
  it('[TS-46] type is exactly one of the five', () => {
    for (const flow of [
      '{ type: bearer, env: A }',
      '{ type: api_key, env: A }',
      '{ type: basic, env: A_USERNAME }',
      '{ type: oauth2, env: A_CLIENT_ID }',
      '{ type: none }',
    ]) {
      expect(short(auth(flow))).toEqual([])
    }
    const [problem] = problemsOf(auth('{ type: basik, env: A }'))
    expect(problem).toMatchObject({ code: 'E009', hint: 'did you mean "basic"?' })
    expect(problem?.message).toContain('bearer, api_key, basic, oauth2, none')
  })

  it('wants env for everything but none, spelled as a variable', () => {
    for (const type of ['bearer', 'api_key', 'basic', 'oauth2'])
      expect(short(auth(`{ type: ${type} }`))).toEqual(['E060 auth.env'])
    expect(short(auth('{ type: bearer, env: my-token }'))).toEqual(['E061 auth.env'])
  })

  it('wants names from which the partner variables follow', () => {
    expect(short(auth('{ type: basic, env: JIRA_USER }'))).toEqual(['E062 auth.env'])
    expect(short(auth('{ type: oauth2, env: SLACK_ID }'))).toEqual(['E063 auth.env'])
  })

  it('warns about an ignored header and refuses one that is no token', () => {
    expect(short(auth('{ type: bearer, env: A, header: X-Key }'))).toEqual(['W064 auth.header'])
    expect(short(auth('{ type: api_key, env: A, header: "X: y\\r\\nB" }'))).toEqual([
      'E065 auth.header',
    ])
    expect(short(auth('{ type: api_key, env: A, prefix: "a\\nb" }'))).toEqual(['E065 auth.prefix'])
  })

  it('[TS-135] masks what looks like the secret itself', () => {
    for (const secret of [
      'sk-live-abcdefghijklmnop',
      'a1b2c3d4e5f6a7b8c9d0',
      'A'.repeat(65),
      'token-123',
    ]) {
      const problems = problemsOf(auth(`{ type: bearer, env: ${secret} }`))
      expect(problems).toMatchObject([{ code: 'E066', path: 'auth.env' }])
      expect(JSON.stringify(problems)).not.toContain(secret.slice(0, 8))
    }
  })

  it('wants a name for a key in query or cookie, and https for token addresses', () => {
    expect(short(auth('{ type: api_key, env: A, in: query }'))).toEqual(['E067 auth.name'])
    expect(short(auth('{ type: api_key, env: A, in: query, name: key }'))).toEqual([])
    expect(
      short(auth('{ type: oauth2, env: A_CLIENT_ID, token_url: "http://a.example/t" }')),
    ).toEqual(['E068 auth.token_url'])
    expect(
      short(auth('{ type: oauth2, env: A_CLIENT_ID, token_url: "http://127.0.0.1/t" }')),
    ).toEqual([])
  })

  it('checks further credentials as well', () => {
    expect(short(auth('{ type: bearer, env: A, also: [{ type: api_key }] }'))).toEqual([
      'E060 auth.also[0].env',
    ])
  })
})

describe('triggers', () => {
  it('[TS-56] webhook needs name, description and path', () => {
    expect(short(trigger('{ type: webhook }')).sort()).toEqual([
      'E007 triggers[0].description',
      'E007 triggers[0].name',
      'E071 triggers[0].path',
    ])
  })

  it('[TS-57] webhook may leave out event and secret_env, the latter with a warning', () => {
    expect(short(trigger('{ type: webhook, name: w, description: d, path: /w }'))).toEqual([
      'W071 triggers[0](w)',
    ])
    expect(
      short(
        trigger('{ type: webhook, name: w, description: d, path: /w, event: e, secret_env: S }'),
      ),
    ).toEqual([])
  })

  it('refuses webhook paths that leave their place or are used twice', () => {
    for (const path of ['w', '/w?a=1', '/a/../b']) {
      expect(
        short(
          trigger(`{ type: webhook, name: w, description: d, path: "${path}", secret_env: S }`),
        ),
      ).toEqual(['E070 triggers[0](w).path'])
    }
    const two = `${trigger('{ type: webhook, name: w, description: d, path: /w, secret_env: S }')}  - { type: webhook, name: v, description: d, path: /w, secret_env: S }\n`
    expect(short(two)).toEqual(['E070 triggers[1](v).path'])
  })

  it('takes the challenge of a webhook with its secret only', () => {
    const hook = (rest: string): readonly SpecProblem[] =>
      problemsOf(trigger(`{ type: webhook, name: w, description: d, path: /w, ${rest} }`))
    expect(hook('secret_env: S, challenge: meta, verify_env: V')).toEqual([])
    expect(hook('secret_env: S, challenge: twitter')).toEqual([])
    expect(hook('secret_env: S, challenge: meta')).toMatchObject([
      {
        code: 'E085',
        path: 'triggers[0](w).challenge',
        hint: 'add verify_env: ORDERS_VERIFY_TOKEN',
      },
    ])
    expect(hook('challenge: twitter')).toMatchObject([
      { code: 'W071' },
      { code: 'E085', path: 'triggers[0](w).challenge', message: 'twitter needs secret_env' },
    ])
    expect(hook('secret_env: S, verify_env: V')).toMatchObject([
      { code: 'E085', path: 'triggers[0](w).verify_env' },
    ])
    expect(hook('secret_env: S, challenge: meta, verify_env: "not a name"')).toMatchObject([
      { code: 'E061', path: 'triggers[0](w).verify_env' },
    ])
    expect(hook('secret_env: S, challenge: metta, verify_env: V')).toMatchObject([
      { code: 'E009', hint: 'did you mean "meta"?' },
    ])
    const strict = trigger(
      '{ type: webhook, name: w, description: d, path: /w, secret_env: S, challenge: twitter }',
    )
    expect(short(strict, { strictSeed: true })).toEqual(['E090 triggers[0](w).challenge'])
    expect(hook('secret_env: S, chalenge: twitter')).toMatchObject([
      { code: 'E006', hint: 'did you mean "challenge"?' },
    ])
  })

  it('takes a jitter that is shorter than the time between two runs', () => {
    const clock = (cron: string, jitter: string): string[] =>
      short(
        trigger(
          `{ type: schedule, name: s, description: d, cron: "${cron}", timezone: UTC, jitter: ${jitter} }`,
        ),
      )
    const refused = ['E086 triggers[0](s).jitter']
    expect(clock('0 2 * * *', '{ value: 30, unit: minute }')).toEqual([])
    expect(clock('0 2 * * *', '{ value: 24, unit: hour }')).toEqual(refused)
    expect(clock('*/7 * * * *', '{ value: 239, unit: second }')).toEqual([])
    expect(clock('*/7 * * * *', '{ value: 4, unit: minute }')).toEqual(refused)
    expect(clock('0 0 1 1 *', '{ value: 25, unit: hour }')).toEqual(refused)
    expect(clock('0 2 * * *', '{ value: 0, unit: hour }')).toEqual([
      'E008 triggers[0](s).jitter.value',
    ])
    expect(clock('soon', '{ value: 1, unit: hour }')).toEqual(['E072 triggers[0](s).cron'])
  })

  it('[TS-62] [TS-63] schedule needs cron and takes */15 * * * *', () => {
    expect(short(trigger('{ type: schedule, name: s, description: d }'))).toEqual([
      'E071 triggers[0](s).cron',
    ])
    expect(
      short(trigger('{ type: schedule, name: s, description: d, cron: "*/15 * * * *" }')),
    ).toEqual([])
  })

  it('[TS-187] refuses six fields and what does not parse, and warns about a date that never comes', () => {
    const cron = (text: string): readonly SpecProblem[] =>
      problemsOf(trigger(`{ type: schedule, name: s, description: d, cron: "${text}" }`))
    expect(cron('0 0 0 * * *')).toMatchObject([{ code: 'E072' }])
    expect(cron('61 * * * *')).toMatchObject([
      { code: 'E072', message: expect.stringContaining('61') },
    ])
    expect(cron('0 0 31 2 *')).toMatchObject([{ code: 'W073', severity: 'warning' }])
    for (const fine of ['0 2 * * *', '0 9 * * MON-FRI', '1,2 3-5 * JAN 0', '@daily'])
      expect(cron(fine)).toEqual([])
  })

  it('refuses a time zone nobody knows', () => {
    expect(
      short(
        trigger(
          '{ type: schedule, name: s, description: d, cron: "0 2 * * *", timezone: Mars/Base }',
        ),
      ),
    ).toEqual(['E079 triggers[0](s).timezone'])
  })

  it('[TS-67] emit needs event', () => {
    expect(short(trigger('{ type: emit, name: e, description: d }'))).toEqual([
      'E071 triggers[0](e).event',
    ])
  })

  it('[TS-70] queue needs queue_url of a known scheme; queue_env is optional', () => {
    const queue = (rest: string): string[] =>
      short(trigger(`{ type: queue, name: q, description: d${rest} }`))
    expect(queue('')).toEqual(['E071 triggers[0](q).queue_url'])
    for (const url of [
      'amqp://h/q',
      'amqps://h/q',
      'redis://h/0',
      'rediss://h',
      'sqs://q',
      'https://sqs.eu-west-1.amazonaws.com/1/q',
      'https://queue.amazonaws.com/1/q',
      '\u0024{QUEUE}',
    ]) {
      expect(queue(`, queue_url: "${url}"`)).toEqual([])
    }
    for (const url of ['kafka://h', 'https://example.com/q', 'nothing'])
      expect(queue(`, queue_url: "${url}"`)).toEqual(['E074 triggers[0](q).queue_url'])
    expect(queue(', queue_url: "amqp://u:secret@h/q", queue_env: Q')).toEqual([
      'W075 triggers[0](q).queue_url',
    ])
  })

  it('[TS-72] [TS-73] [TS-74] [TS-75] file needs watch_path: a directory or glob under the project; events are optional', () => {
    const file = (rest: string, options = {}): string[] =>
      short(trigger(`{ type: file, name: f, description: d${rest} }`), options)
    expect(file('')).toEqual(['E071 triggers[0](f).watch_path'])
    for (const path of ['./inbox', 'inbox/**/*.csv', '\u0024{INBOX}'])
      expect(file(`, watch_path: "${path}"`)).toEqual([])
    for (const path of ['/', '/etc', '../x', 'a/../../b', '~/x', 'C:\\\\x'])
      expect(file(`, watch_path: "${path}"`)).toEqual(['E077 triggers[0](f).watch_path'])
    expect(file(', watch_path: /srv/in', { allowAbsolutePaths: true })).toEqual([])
    expect(file(', watch_path: in, events: []')).toEqual(['E076 triggers[0](f).events'])
    expect(file(', watch_path: in, events: [rename]')).toEqual(['E076 triggers[0](f).events[0]'])
    expect(file(', watch_path: in, events: [delete]')).toEqual([])
  })

  it('[TS-77] an unknown type lists the five', () => {
    const problems = problemsOf(trigger('{ type: hook, name: h, description: d }'))
    expect(problems).toMatchObject([
      { code: 'E073', path: 'triggers[0](h).type', hint: 'did you mean "webhook"?' },
    ])
    expect(problems[0]?.message).toContain('webhook, schedule, emit, queue, file')
    expect(short(trigger('{ name: h, description: d }'))).toEqual(['E007 triggers[0](h).type'])
  })

  it('[TS-78] a field of another kind is reported with the kind it belongs to', () => {
    const [problem] = problemsOf(
      trigger(
        '{ type: webhook, name: w, description: d, path: /w, secret_env: S, cron: "* * * * *" }',
      ),
    )
    expect(problem).toMatchObject({ code: 'E006', path: 'triggers[0](w).cron' })
    expect(problem?.hint).toBe('"cron" belongs to a schedule trigger, this is a webhook trigger')
  })

  it('warns about a tool that no tool of the file is called', () => {
    expect(short(trigger('{ type: emit, name: e, description: d, event: x, tool: lst }'))).toEqual([
      'W078 triggers[0](e).tool',
    ])
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
