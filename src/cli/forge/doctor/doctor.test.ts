import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createWorkplace, type Workplace } from '../../../../test/cli/run-main.ts'
import {
  type RecordingServer,
  startRecordingServer,
} from '../../../../test/codegen/recording-server.ts'
import { findMissingPackages } from './checks.ts'

let server: RecordingServer
beforeAll(async () => {
  server = await startRecordingServer()
})
afterAll(() => server.close())

const SPEC = `domain: orchard
base_url: \${ORCHARD_URL}
auth: { type: bearer, env: ORCHARD_TOKEN }
tools:
  - { name: list_trees, description: Lists trees., method: GET, path: /trees }
  - name: get_tree
    description: Reads a tree.
    method: GET
    path: /trees/{id}
    params: [{ name: id, type: string, required: true, description: Which. }]
  - name: prune
    description: Prunes all trees.
    method: POST
    path: /prune
    auth: { type: basic, env: ORCHARD_USERNAME }
triggers:
  - { type: webhook, name: planted, description: A tree., path: /planted, tool: prune, secret_env: ORCHARD_SECRET }
  - { type: queue, name: orders, description: Orders., queue_url: "amqp://\${ORCHARD_MQ}/orders", tool: prune }
`
const ALL = {
  ORCHARD_TOKEN: 'hush',
  ORCHARD_USERNAME: 'ann',
  ORCHARD_PASSWORD: 'hush',
  ORCHARD_SECRET: 'hush',
  ORCHARD_MQ: 'localhost',
}

function workplace(spec = SPEC): Workplace {
  const place = createWorkplace()
  place.write('orchard.tool-spec.yaml', spec)
  return place
}

const doctor = (place: Workplace, env: Record<string, string>, ...args: string[]) =>
  place.runWith({ env }, 'forge', 'doctor', ...args)

describe('waymark forge doctor', () => {
  it('names every variable that is missing, with the tools and triggers that need it', async () => {
    const { code, out } = await doctor(workplace(), { ORCHARD_USERNAME: 'ann' })
    expect(code).toBe(2)
    const lines = out.split('\n').map((line) => line.trim().replace(/ {2,}/g, ' | '))
    expect(lines).toEqual([
      'error | orchard.tool-spec.yaml | list_trees, get_tree: ORCHARD_TOKEN is not set',
      'error | orchard.tool-spec.yaml | list_trees, get_tree, prune: ORCHARD_URL is not set',
      'error | orchard.tool-spec.yaml | prune: ORCHARD_PASSWORD is not set',
      'error | orchard.tool-spec.yaml | trigger planted: ORCHARD_SECRET is not set',
      'error | orchard.tool-spec.yaml | trigger orders: queue_url: set the environment variable ORCHARD_MQ',
      '',
      '1 spec: 5 problems to fix',
      '',
    ])
  })

  it('finds nothing when all is there, sends nothing and shows no value', async () => {
    server.answer({ body: {} })
    const { code, out } = await doctor(workplace(), { ...ALL, ORCHARD_URL: server.url }, '--json')
    expect({ code, report: JSON.parse(out) }).toEqual({
      code: 0,
      report: { ok: true, specs: ['orchard.tool-spec.yaml'], findings: [] },
    })
    expect(server.requests).toEqual([])
    const place = workplace()
    place.write(
      '.secrets',
      Object.entries(ALL)
        .map((pair) => pair.join('='))
        .join('\n'),
    )
    const file = await doctor(place, { ORCHARD_URL: server.url }, '--env-file', '.secrets')
    expect(file).toMatchObject({ code: 0, out: '1 spec: no problems found\n' })
  })

  it('says what is wrong with variables that are set', async () => {
    const env = { ...ALL, ORCHARD_URL: 'not a url', ORCHARD_USERNAME: 'a:b' }
    const { code, out } = await doctor(workplace(), env)
    expect(code).toBe(2)
    expect(out).toContain('list_trees, get_tree: E013 base_url must be an http or https URL')
    expect(out).toContain('prune: the user name in ORCHARD_USERNAME contains a colon')
  })

  it('reports the problems of specs and goes on with the others', async () => {
    const place = workplace()
    place.write('bad.tool-spec.yaml', 'domain: x\ntools: []\n')
    place.write(
      'own.tool-spec.yaml',
      'domain: own\ntools: [{ name: think, description: Thinks. }]\n',
    )
    const names = ['bad.tool-spec.yaml', 'orchard.tool-spec.yam', 'own.tool-spec.yaml']
    const { code, out } = await doctor(place, {}, ...names)
    expect(code).toBe(2)
    expect(out).toMatch(/error +bad\.tool-spec\.yaml +E012/)
    expect(out).toContain('does not exist. Did you mean "orchard.tool-spec.yaml"?')
    expect(out).toMatch(/warning +own\.tool-spec\.yaml +think: without method and path/)
    const nothing = await doctor(createWorkplace(), {})
    expect(nothing).toMatchObject({ code: 0, out: '0 specs: no problems found\n' })
  })

  it('needs a client id and a secret for OAuth 2, or one token', async () => {
    const place = workplace(`domain: mail
base_url: https://mail.example.com
auth: { type: oauth2, env: MAIL_CLIENT_ID, discovery_url: "https://login.example.com/x" }
tools: [{ name: list_mail, description: Lists mail., method: GET, path: /mail }]
`)
    const { out } = await doctor(place, {}, '--json')
    const { findings } = JSON.parse(out) as { findings: { message: string }[] }
    expect(findings.map(({ message }) => message)).toEqual([
      'list_mail: MAIL_CLIENT_ID is not set',
      'list_mail: MAIL_CLIENT_SECRET is not set',
    ])
    expect((await doctor(place, { MAIL_ACCESS_TOKEN: 'hush' })).code).toBe(0)
  })

  it('asks hosts for a sign of life only with --online, and no private one that a spec names', async () => {
    const env = { ...ALL, ORCHARD_URL: `${server.url}/api` }
    server.answer({ status: 500 })
    expect((await doctor(workplace(), env, '--online')).code).toBe(0)
    expect(server.requests).toMatchObject([{ method: 'HEAD', url: '/' }])
    expect(server.requests[0]?.headers['authorization']).toBeUndefined()
    const gone = await startRecordingServer()
    await gone.close()
    const away = await doctor(workplace(), { ...ALL, ORCHARD_URL: gone.url }, '--online')
    expect(away).toMatchObject({
      code: 2,
      out: expect.stringContaining(`list_trees, get_tree, prune: ${gone.url} cannot be reached`),
    })
    server.answer({ body: {} })
    const named = workplace(SPEC.replace(/\$\{ORCHARD_URL\}/, server.url))
    expect(await doctor(named, ALL, '--online')).toMatchObject({
      code: 0,
      out: expect.stringContaining('is a private address and was not tried'),
    })
    expect(server.requests).toEqual([])
  })

  it('gives the line that installs what a queue needs', async () => {
    const queue = { type: 'queue', name: 'orders', description: 'Orders.', tool: 'x' } as const
    const triggers = ['amqp://h/a', 'redis://h/a', 'sqs://a', 'amqps://h/b'].map((queue_url) => ({
      ...queue,
      queue_url,
    }))
    const missing = Object.assign(new Error('missing'), { code: 'ERR_MODULE_NOT_FOUND' })
    const faults = await findMissingPackages({ domain: 'x', tools: [], triggers }, {}, () =>
      Promise.reject(missing),
    )
    expect(faults.map(({ fix }) => fix)).toEqual([
      'npm install amqplib',
      'npm install ioredis',
      'npm install @aws-sdk/client-sqs',
    ])
  })
})
