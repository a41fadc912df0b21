import { describe, expect, it } from 'vitest'
import { createWorkplace, type Workplace, zendeskDocument } from '../../../test/cli/run-main.ts'

const LISTS = `domain: orchard
base_url: https://api.orchard.example
tools:
  - name: plant_trees
    description: Plants trees.
    method: POST
    path: /trees
    body:
      - { name: kinds, type: array, required: true, description: Kinds. }
      - name: site
        type: object
        description: Where.
        properties:
          - { name: rows, type: array, description: Rows., items: { type: array } }
`

function workplace(): Workplace {
  const place = createWorkplace()
  place.write('zendesk-openapi.json', zendeskDocument())
  place.write('orchard.tool-spec.yaml', LISTS)
  return place
}

const IMPORT = ['forge', 'tool', '--spec', 'zendesk-openapi.json', '--pick', 'getTicket'] as const
const SUBJECT = {
  type: 'object',
  properties: { id: { type: 'integer', description: 'Number of the ticket.' } },
  required: ['id'],
  additionalProperties: false,
}
const TICKET = { name: 'get_ticket', description: 'Reads a ticket.' }

describe('waymark forge tool --target', () => {
  it.each([
    ['openai', [{ type: 'function', function: { ...TICKET, parameters: SUBJECT } }]],
    ['anthropic', [{ ...TICKET, input_schema: SUBJECT }]],
    [
      'mcp',
      {
        tools: [
          {
            ...TICKET,
            inputSchema: SUBJECT,
            annotations: { readOnlyHint: true, destructiveHint: false },
          },
        ],
      },
    ],
    [
      'json-schema',
      {
        $schema: 'https://json-schema.org/draft/2020-12/schema',
        title: 'zendesk',
        $defs: { get_ticket: { description: TICKET.description, ...SUBJECT } },
      },
    ],
  ])('writes the tools for %s beside the spec, and no TypeScript', async (target, expected) => {
    const place = workplace()
    const { code } = await place.run(...IMPORT, '--out', 'tools', '--target', target)
    expect(code).toBe(0)
    expect(JSON.parse(place.read(`tools/zendesk.${target}.json`))).toEqual(expected)
    expect(place.files().filter((file) => file.startsWith('tools/'))).toEqual(
      [
        'tools/.forge/zendesk.tool-spec.yaml',
        `tools/.forge/zendesk.${target}.json`,
        `tools/zendesk.${target}.json`,
        'tools/zendesk.tool-spec.yaml',
      ].sort(),
    )
  })

  it('prints the definitions of a document or of a spec with --stdout', async () => {
    const place = workplace()
    const imported = await place.run(...IMPORT, '--target', 'anthropic', '--stdout')
    expect(JSON.parse(imported.out)).toMatchObject([{ name: 'get_ticket' }])
    const own = await place.run(
      ...['forge', 'tool', '--spec', 'orchard.tool-spec.yaml', '--target', 'openai', '--stdout'],
    )
    expect(JSON.parse(own.out)).toMatchObject([{ function: { name: 'plant_trees' } }])
  })

  it('says for OpenAI what every list holds, since it refuses one that does not', async () => {
    const place = workplace()
    const { out } = await place.run(
      ...['forge', 'tool', '--spec', 'orchard.tool-spec.yaml', '--target', 'openai', '--stdout'],
    )
    expect(JSON.parse(out)[0].function.parameters.properties).toMatchObject({
      kinds: { type: 'array', items: { type: 'string' } },
      site: {
        properties: { rows: { items: { type: 'array', items: { type: 'string' } } } },
      },
    })
  })

  it('replaces its own file, and one that was changed by hand only with --force', async () => {
    const place = workplace()
    const forge = (...args: string[]) =>
      place.run('forge', 'tool', '--spec', 'orchard.tool-spec.yaml', '--target', 'mcp', ...args)
    await forge()
    place.write('orchard.tool-spec.yaml', LISTS.replace('Plants trees.', 'Plants many trees.'))
    expect((await forge()).code).toBe(0)
    expect(place.read('orchard.mcp.json')).toContain('Plants many trees.')
    expect((await forge('--check')).code).toBe(0)
    place.write('orchard.mcp.json', '{}')
    const refused = await forge()
    expect(refused.code).toBe(2)
    expect(refused.err).toContain('E110')
    expect((await forge('--force')).code).toBe(0)
    expect(place.read('orchard.mcp.json')).toContain('plant_trees')
  })

  it('names the targets there are', async () => {
    const { code, err } = await workplace().run(...IMPORT, '--target', 'opena')
    expect(code).toBe(2)
    expect(err).toContain('--target must be ts, mcp, json-schema, openai, anthropic; got "opena"')
  })
})

describe('waymark forge tool --runtime', () => {
  const OWN = `domain: own
tools:
  - { name: roll, description: Rolls dice. }
`
  const CODE = 'own.capabilities.ts'
  const forge = (place: Workplace, ...args: string[]) =>
    place.run('forge', 'tool', '--spec', 'own.tool-spec.yaml', ...args)

  it('carries the runtime or imports it, and keeps what people wrote either way', async () => {
    const place = workplace()
    place.write('own.tool-spec.yaml', OWN)
    expect((await forge(place)).code).toBe(0)
    expect(place.read(CODE)).toContain('function createToolRuntime()')
    expect(place.read(CODE)).not.toContain("from 'waymark/runtime'")
    place.write(CODE, place.read(CODE).replace(/return notWritten.*/, 'return 4'))
    expect((await forge(place, '--runtime', 'package')).code).toBe(0)
    expect(place.read(CODE)).toMatch(/^import \{[^}]*\} from 'waymark\/runtime'$/m)
    expect(place.read(CODE)).not.toContain('createToolRuntime')
    expect(place.read(CODE)).toContain('return 4')
    expect((await forge(place, '--runtime', 'package', '--check')).code).toBe(0)
    expect((await forge(place, '--runtime', 'inline', '--check')).code).toBe(2)
  })

  it('prints the same with --stdout', async () => {
    const place = workplace()
    place.write('own.tool-spec.yaml', OWN)
    const { out } = await forge(place, '--runtime', 'package', '--stdout')
    expect(out).toContain("from 'waymark/runtime'")
  })

  it.each([
    [['--runtime', 'packge'], 'Did you mean "package"?'],
    [['--runtime', 'package', '--target', 'mcp'], '--runtime belongs to --target ts'],
  ])('refuses %j', async (args, message) => {
    const { code, err } = await forge(workplace(), ...args)
    expect(code).toBe(2)
    expect(err).toContain(message)
  })
})
