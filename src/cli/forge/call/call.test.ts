import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createWorkplace, type Workplace, zendeskDocument } from '../../../../test/cli/run-main.ts'
import {
  type RecordedRequest,
  type RecordingServer,
  startRecordingServer,
} from '../../../../test/codegen/recording-server.ts'
import { fc } from '../../../../test/support/property.ts'

let server: RecordingServer
beforeAll(async () => {
  server = await startRecordingServer()
})
afterAll(() => server.close())

const SPEC = `domain: orchard
base_url: \${ORCHARD_URL}
auth: { type: bearer, env: ORCHARD_TOKEN }
tools:
  - name: list_trees
    description: Lists trees of a plot.
    method: GET
    path: /plots/{plot}/trees
    params:
      - { name: plot, type: string, required: true, description: The plot. }
      - { name: limit, type: integer, default: 20, maximum: 100, description: How many. }
      - { name: X-Note, arg: note, in: header, type: string, description: A note. }
  - name: plant_tree
    description: Plants a tree.
    method: POST
    path: /trees
    body:
      - { name: kind, type: string, required: true, description: Its kind. }
      - { name: label, type: string, description: Its label. }
  - name: send_form
    description: Sends a form.
    method: PUT
    path: /form
    content_type: form
    body:
      - { name: kind, type: string, description: Its kind. }
  - name: send_text
    description: Sends a text.
    method: POST
    path: /text
    content_type: raw
    body_root: { arg: text, type: string, description: The text. }
  - name: send_picture
    description: Sends a picture and a text.
    method: POST
    path: /picture
    content_type: multipart
    body:
      - { name: picture, type: string, format: binary, description: The picture. }
      - { name: title, type: string, description: Its title. }
  - name: prune
    description: Prunes all trees.
    method: POST
    path: /prune
    auth: { type: basic, env: ORCHARD_USERNAME }
  - name: find_tree
    description: Finds trees.
    method: GET
    path: /find
    auth:
      type: api_key
      env: ORCHARD_KEY
      in: query
      name: key
      also: [{ type: api_key, env: ORCHARD_SESSION, in: cookie, name: session }]
    params:
      - { name: words, type: array, items: { type: string }, description: What to find. }
  - name: think
    description: Thinks about trees.
`

const SECRETS = {
  ORCHARD_TOKEN: `t'"$(touch owned)\`x\`\\ !`,
  ORCHARD_USERNAME: 'ann "$HOME"',
  ORCHARD_PASSWORD: `p:'\\&%é`,
  ORCHARD_KEY: `-k+/=&'"$x é`,
  ORCHARD_SESSION: 's;= %25',
}

function workplace(): Workplace {
  const place = createWorkplace()
  place.write('orchard.tool-spec.yaml', SPEC)
  return place
}

const env = (): Record<string, string> => ({ ORCHARD_URL: server.url, ...SECRETS })

describe('waymark forge call', () => {
  it('runs a tool and prints what it answers', async () => {
    server.answer({ body: { trees: ['oak'] } })
    const { code, out } = await workplace().runWith(
      { env: env() },
      ...['forge', 'call', 'orchard.tool-spec.yaml', 'list_trees', 'plot=7', 'limit=3'],
    )
    expect({ code, answer: JSON.parse(out) }).toEqual({ code: 0, answer: { trees: ['oak'] } })
    // "7" is a number in JSON, but the tool takes a text.
    expect(server.requests[0]).toMatchObject({ method: 'GET', url: '/plots/7/trees?limit=3' })
  })

  it('takes arguments as JSON, from the line or a file, and the name of the served function', async () => {
    const place = workplace()
    place.write('tree.json', '{"kind":"elm"}')
    const args = ['forge', 'call', 'orchard.tool-spec.yaml', 'orchard.plant_tree', '--json']
    server.answer({ status: 201, body: { id: 1 } })
    const first = await place.runWith({ env: env() }, ...args, '--args', '{"kind":"oak"}')
    expect(JSON.parse(first.out)).toEqual({ ok: true, result: { id: 1 } })
    await place.runWith({ env: env() }, ...args, '--args', 'tree.json')
    expect(server.requests.map(({ body }) => body)).toEqual(['{"kind":"oak"}', '{"kind":"elm"}'])
    const both = await place.run(...args, 'kind=oak', '--args', '{}')
    expect(both).toMatchObject({ code: 2, err: expect.stringContaining('not both') })
  })

  it('runs an operation of an API description, with variables of a file', async () => {
    const place = createWorkplace()
    const document = zendeskDocument().replace('https://example.zendesk.com', server.url)
    place.write('api.json', document)
    place.write('.secrets', 'ZENDESK_SUPPORT_API_TOKEN=abc\n')
    server.answer({ body: {} })
    const { code, err } = await place.run(
      ...['forge', 'call', 'api.json', 'get_ticket', 'id=5', '--env-file', '.secrets'],
    )
    expect({ code, err }).toEqual({ code: 0, err: '' })
    expect(server.requests[0]).toMatchObject({
      url: '/api/v2/tickets/5',
      headers: { authorization: 'Bearer abc' },
    })
  })

  it('says which tool or argument was meant, and what is missing', async () => {
    const place = workplace()
    const call = (...args: string[]) =>
      place.runWith(
        { env: { ORCHARD_URL: server.url } },
        ...['forge', 'call', 'orchard.tool-spec.yaml', ...args],
      )
    server.answer({ body: {} })
    const cases: [string[], string][] = [
      [[], 'which tool? orchard.tool-spec.yaml has list_trees, plant_tree,'],
      [['list_tree'], 'has no tool "list_tree". Did you mean "list_trees"?'],
      [['list_trees', 'plto=7'], 'has no argument "plto". Did you mean "plot"?'],
      [
        ['list_trees', 'constructor=7'],
        'has no argument "constructor". It takes plot, limit, note',
      ],
      [['prune', 'a=7'], 'prune has no argument "a". It takes no arguments.'],
      [['list_trees'], 'plot is required'],
      [['list_trees', 'plot=7', 'limit=500'], 'limit must be at most 100'],
      [['list_trees', 'plot=7'], 'E120 list_trees: set the environment variable ORCHARD_TOKEN'],
      [['prune'], 'ORCHARD_USERNAME and ORCHARD_PASSWORD'],
      [['think'], 'think has no method and path'],
      [['list_trees', '--args', '[7]'], '--args must be a JSON object'],
      [['list_trees', '--args', 'none.json'], 'none.json does not exist'],
      [['list_trees', 'plot'], 'arguments look like name=value'],
    ]
    for (const [args, message] of cases) {
      expect(await call(...args)).toMatchObject({ code: 2, err: expect.stringContaining(message) })
    }
    expect(server.requests).toEqual([])
    expect((await place.run('forge', 'call')).err).toContain('which spec? Name a file')
  })

  it('shows what the API said when it refused, without the credential', async () => {
    const place = workplace()
    const args = ['forge', 'call', 'orchard.tool-spec.yaml', 'plant_tree', 'kind=oak']
    const plain = { ...env(), ORCHARD_TOKEN: 'hush-hush' }
    server.answer({ status: 422, body: { error: 'no room', token: 'hush-hush' } })
    const refused = await place.runWith({ env: plain }, ...args)
    expect(refused).toMatchObject({
      code: 3,
      err: `waymark: plant_tree: POST ${server.url}/trees answered 422: {"error":"no room","token":"***"}\n`,
    })
    const machine = await place.runWith({ env: plain }, ...args, '--json')
    expect(machine.code).toBe(3)
    expect(JSON.parse(machine.out)).toMatchObject({
      ok: false,
      error: { reason: 'status', status: 422 },
    })
    const gone = await startRecordingServer()
    await gone.close()
    const away = { ...plain, ORCHARD_URL: gone.url }
    expect(await place.runWith({ env: away }, ...args)).toMatchObject({
      code: 3,
      err: expect.stringContaining('could not be reached (ECONNREFUSED)'),
    })
  })
})

/** Runs a command in a shell, with the variables it names. */
async function runShell(command: string, cwd: string): Promise<void> {
  const child = spawn('sh', [], {
    cwd,
    env: { ...env(), PATH: `${process.env['PATH']}`, HOME: cwd },
    stdio: ['pipe', 'ignore', 'pipe'],
  })
  let said = ''
  child.stderr.on('data', (chunk) => {
    said += chunk
  })
  child.stdin.end(command)
  const [code] = await once(child, 'exit')
  if (code !== 0) throw new Error(`the shell ended with ${code}: ${said}\n${command}`)
}

/** Headers that belong to the program that sends, not to the request. */
const OF_SENDER = /^(?:connection|accept-encoding|accept-language|sec-fetch-mode|expect|host)$/

function plain({ method, url, headers, bytes }: RecordedRequest): unknown {
  const boundary = /boundary=(.+)$/.exec(headers['content-type'] ?? '')?.[1]
  const still = (text: string): string =>
    boundary === undefined ? text : text.replaceAll(boundary, 'boundary')
  const kept = Object.entries(headers)
    .filter(([name]) => !OF_SENDER.test(name))
    .map(([name, value = '']): [string, string] => [name, still(value)])
  return {
    method,
    // The runtime's URL escapes this one sign as well, in a credential curl is given it as it is.
    url: url.replaceAll("'", '%27'),
    headers: Object.fromEntries(kept),
    body: still(bytes.toString('latin1')),
  }
}

describe('waymark forge call --dry-run', () => {
  it('prints the request as a command, sends nothing and needs no credential', async () => {
    server.answer({ body: {} })
    const { code, out, err } = await workplace().runWith(
      { env: { ORCHARD_URL: 'http://127.0.0.1:9' } },
      ...['forge', 'call', 'orchard.tool-spec.yaml', 'plant_tree', "kind=Ann's oak", '--dry-run'],
    )
    expect({ code, out, err }).toEqual({
      code: 0,
      out: [
        'curl -g -X POST http://127.0.0.1:9/trees \\',
        `  -H 'accept: application/json, */*;q=0.5' \\`,
        '  -H "authorization: Bearer $ORCHARD_TOKEN" \\',
        `  -H 'content-type: application/json' \\`,
        `  -H 'user-agent: waymark-forge' \\`,
        `  --data-raw '{"kind":"Ann'\\''s oak"}'`,
        '',
      ].join('\n'),
      err: 'Not set here: ORCHARD_TOKEN\n',
    })
    expect(server.requests).toEqual([])
  })

  it('tells machines the command and its variables, and no value', async () => {
    const args = ['orchard.tool-spec.yaml', 'find_tree', 'words=["a"]', '--dry-run', '--json']
    const { out } = await workplace().runWith({ env: env() }, 'forge', 'call', ...args)
    expect(JSON.parse(out)).toMatchObject({
      curl: expect.stringContaining('curl -g '),
      variables: [
        { name: 'ORCHARD_KEY', set: true },
        { name: 'ORCHARD_SESSION', set: true },
      ],
    })
    for (const secret of Object.values(SECRETS)) expect(out).not.toContain(secret)
  })

  it('keeps an address of the environment secret behind its host', async () => {
    const place = workplace()
    const run = (url: string) =>
      place.runWith(
        { env: { ...env(), ORCHARD_URL: url } },
        ...['forge', 'call', 'orchard.tool-spec.yaml', 'prune', '--dry-run'],
      )
    const { out } = await run('https://hooks.example.com/T0/hush-hush/')
    expect(out).not.toContain('hush')
    expect(out).toContain(`"\${ORCHARD_URL%/}/prune"`)
    expect(out).toContain('-u "$ORCHARD_USERNAME:$ORCHARD_PASSWORD"')
    place.write(
      'bot.tool-spec.yaml',
      `domain: bot
base_url: https://api.example.com/bot\${BOT_TOKEN}/v\${BOT_VERSION:-2}
tools:
  - { name: get_me, description: Says who it is., method: GET, path: /me }
`,
    )
    const bot = await place.runWith(
      { env: { BOT_TOKEN: 'hush-hush' } },
      ...['forge', 'call', 'bot.tool-spec.yaml', 'get_me', '--dry-run'],
    )
    expect(bot.out).toContain('"https://api.example.com/bot$BOT_TOKEN/v2/me"')
  })

  it('uses a token that is there for OAuth 2 and asks for none', async () => {
    const place = createWorkplace()
    place.write(
      'mail.tool-spec.yaml',
      `domain: mail
base_url: https://mail.example.com
auth: { type: oauth2, env: MAIL_CLIENT_ID, token_url: "https://login.example.com/token" }
tools:
  - { name: list_mail, description: Lists mail., method: GET, path: /mail }
`,
    )
    const { out, err } = await place.run(
      ...['forge', 'call', 'mail.tool-spec.yaml', 'list_mail', '--dry-run'],
    )
    expect(out).toContain('"authorization: Bearer $MAIL_ACCESS_TOKEN"')
    expect(err).toBe('Not set here: MAIL_ACCESS_TOKEN\n')
  })

  it('prints a command with which a shell sends what the runtime sends, whatever the arguments hold', async () => {
    const place = workplace()
    const before = place.files()
    const call = async (tool: string, args: unknown): Promise<void> => {
      server.answer({ body: {} })
      const words = [
        'forge',
        'call',
        'orchard.tool-spec.yaml',
        tool,
        '--args',
        JSON.stringify(args),
      ]
      const really = await place.runWith({ env: env() }, ...words)
      const dry = await place.runWith({ env: env() }, ...words, '--dry-run')
      // What the runtime refuses to send is refused in a dry run as well.
      expect(dry.code).toBe(really.code)
      if (really.code !== 0) return
      for (const secret of Object.values(SECRETS)) expect(dry.out).not.toContain(secret)
      await runShell(dry.out, place.folder)
      const [sent, printed, ...more] = server.requests
      if (sent === undefined || printed === undefined) throw new Error('a request is missing')
      expect(more).toEqual([])
      expect(plain(printed)).toEqual(plain(sent))
      expect(place.files()).toEqual(before)
    }
    await fc.assert(
      fc.asyncProperty(CALL, ([tool, args]) => call(tool, args)),
      { numRuns: 60 },
    )
    for (const args of [
      ['send_text', 'x'.repeat(300_000)],
      ['send_text', ''],
    ] as const) {
      await call(args[0], { text: args[1] })
    }
  }, 120_000)
})

const HOSTILE = [
  ...[`'; touch owned; '`, '$(touch owned)', '`touch owned`', '"; touch owned; "', '\\', "\\'"],
  ...['$ORCHARD_TOKEN', `\${ORCHARD_TOKEN}`, '!!', '@/etc/passwd', '-K/etc/passwd', '--', '%s%n'],
  ...['\n', '\r\n', '\0', '\t', '\u001b[2J', 'é', '木', '🌳', '\u202e', '\\c', '\\0101', '%41'],
  ...['[1-9]', '{a,b}', '#', '?', '&', '=', ';', ' ', '~', '*', '<>|', '{{x}}', '\u0080', '\ufeff'],
]
const text = fc
  .array(fc.oneof(fc.constantFrom(...HOSTILE), fc.string({ unit: 'grapheme' })), { maxLength: 4 })
  .map((parts) => parts.join(''))
const note = fc.constantFrom('', "it's", 'caf\u00e9 $x', '@/etc/passwd', '"`\\', 'a\tb', '木')
const picture = fc
  .uint8Array({ maxLength: 40 })
  .map((bytes) => Buffer.from(bytes).toString('base64'))
const CALL = fc.oneof(
  fc.tuple(fc.constant('list_trees'), fc.record({ plot: text, note })),
  fc.tuple(fc.constant('plant_tree'), fc.record({ kind: text, label: text })),
  fc.tuple(fc.constant('send_form'), fc.record({ kind: text })),
  fc.tuple(fc.constant('send_text'), fc.record({ text })),
  fc.tuple(fc.constant('send_picture'), fc.record({ picture, title: text })),
  fc.tuple(fc.constant('find_tree'), fc.record({ words: fc.array(text, { maxLength: 3 }) })),
  fc.tuple(fc.constant('prune'), fc.constant({})),
)
