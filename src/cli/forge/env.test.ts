import { describe, expect, it } from 'vitest'
import { createWorkplace, type Workplace, zendeskDocument } from '../../../test/cli/run-main.ts'

function workplace(): Workplace {
  const place = createWorkplace()
  place.write('zendesk-openapi.json', zendeskDocument())
  place.write(
    'orchard.tool-spec.yaml',
    `domain: orchard
base_url: \${ORCHARD_BASE_URL}
auth: { type: basic, env: ORCHARD_USERNAME }
tools:
  - { name: list_trees, description: Lists trees., method: GET, path: /trees }
`,
  )
  return place
}

describe('waymark forge env', () => {
  it('prints the variables of specs and documents as a file to fill in', async () => {
    const { code, out } = await workplace().run(
      ...['forge', 'env', 'orchard.tool-spec.yaml', 'zendesk-openapi.json'],
    )
    expect(code).toBe(0)
    expect(out.split('\n').filter((line) => /^\w+=/.test(line))).toEqual([
      'ORCHARD_BASE_URL=',
      'ORCHARD_USERNAME=',
      'ORCHARD_PASSWORD=',
      'ZENDESK_API_TOKEN=',
    ])
    expect(out).toContain('# password: list_trees')
  })

  it('names the variables of every alternative, all keys of each', async () => {
    const place = createWorkplace()
    const key = (name: string) => ({ type: 'apiKey', in: 'header', name })
    const document = {
      openapi: '3.0.3',
      info: { title: 'Orchard', version: '1' },
      servers: [{ url: 'http://127.0.0.1:1' }],
      components: { securitySchemes: { a: key('X-A'), b: key('X-B'), c: key('X-C') } },
      paths: {
        '/one': { get: { operationId: 'one', security: [{ a: [], b: [] }, { c: [] }] } },
        '/two': { get: { operationId: 'two', security: [{ c: [] }, { a: [], b: [] }] } },
      },
    }
    place.write('ways.json', JSON.stringify(document))
    const names = ['ORCHARD_API_KEY', 'ORCHARD_B_API_KEY', 'ORCHARD_C_API_KEY']
    for (const pick of ['one', 'two', '*']) {
      const forged = await place.run(
        'forge',
        'tool',
        '--spec',
        'ways.json',
        '--pick',
        pick,
        '--force',
      )
      const spec = (await place.run('forge', 'env', 'ways.json')).out
      const line = /^Set (.*) in the environment/m.exec(forged.out + forged.err)?.[1]
      expect(line?.split(', ').sort()).toEqual(names)
      for (const name of names) expect(spec).toContain(`${name}=`)
    }
  })

  it('tells machines which of them are set, and no value', async () => {
    const { out } = await workplace().runWith(
      { env: { ORCHARD_USERNAME: 'ann', ORCHARD_PASSWORD: '' } },
      ...['forge', 'env', 'orchard.tool-spec.yaml', '--json'],
    )
    expect(out).not.toContain('ann')
    expect(JSON.parse(out)).toMatchObject([
      {
        domain: 'orchard',
        variables: [
          { name: 'ORCHARD_BASE_URL', set: false },
          { name: 'ORCHARD_USERNAME', set: true },
          { name: 'ORCHARD_PASSWORD', set: false },
        ],
      },
    ])
  })

  it('writes a template, and never over one that somebody filled in', async () => {
    const place = workplace()
    const write = (...args: string[]) => place.run('forge', 'env', ...args, '--out', '.')
    expect((await write('orchard.tool-spec.yaml')).code).toBe(0)
    expect((await write('orchard.tool-spec.yaml', 'zendesk-openapi.json')).code).toBe(0)
    expect(place.read('.env.template')).toContain('ZENDESK_API_TOKEN=')
    place.write('.env.template', 'ORCHARD_USERNAME=ann\n')
    const refused = await write('orchard.tool-spec.yaml')
    expect(refused).toMatchObject({ code: 2, err: expect.stringContaining('E110') })
    expect(place.read('.env.template')).toBe('ORCHARD_USERNAME=ann\n')
  })

  it('needs a spec that is right', async () => {
    const place = workplace()
    expect((await place.run('forge', 'env')).err).toContain('which spec? Name a file')
    place.write('bad.tool-spec.yaml', 'domain: x\ntools: []\n')
    const bad = await place.run('forge', 'env', 'bad.tool-spec.yaml')
    expect(bad).toMatchObject({ code: 2, err: expect.stringContaining('E012') })
  })
})
