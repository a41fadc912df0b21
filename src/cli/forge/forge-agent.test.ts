import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createWorkplace, type Workplace, zendeskDocument } from '../../../test/cli/run-main.ts'

const JIRA = `domain: jira
base_url: https://jira.example
auth: { type: bearer, env: JIRA_TOKEN }
tools:
  - name: create_ticket
    description: Opens an issue.
    method: POST
    path: /issues
triggers:
  - { type: webhook, name: on_issue, description: An issue changed., path: /webhooks/jira, secret_env: JIRA_SECRET }
`
const NOTES = 'domain: notes\ntools:\n  - { name: write_note, description: Writes a note. }\n'

function workplace(): Workplace {
  const place = createWorkplace()
  place.write('zendesk-openapi.json', zendeskDocument())
  place.write('jira.yaml', JIRA)
  place.write('notes.yaml', NOTES)
  return place
}

const AGENT = ['forge', 'agent', '--name', 'ops-bot'] as const
const own = (place: Workplace): string[] =>
  place.files().filter((path) => path.startsWith('ops-bot/'))

describe('waymark forge agent', () => {
  it.each([
    ['--tools jira.yaml', 'Give --name'],
    ['--name x --spec jira.yaml --tools notes.yaml', '--spec and --tools exclude each other'],
    ['--name x', 'Give --spec <file> or --tools'],
    ['--name x --spec jira.yaml --port high', '--port must be a port number'],
    ['--name x --spec jira.yaml --prefix domian', 'Did you mean "domain"?'],
    ['--name x --spec jira.yaml --rename create_ticket', '--rename must look like'],
    ['--name ../x --spec jira.yaml', 'must be letters, digits'],
    ['--name x --spec gone.yaml', 'gone.yaml does not exist'],
  ])('without a name or with wrong flags it fails: "%s" [TS-111]', async (line, message) => {
    const place = workplace()
    const { code, err } = await place.run('forge', 'agent', ...line.split(' '))
    expect([code, err]).toEqual([2, expect.stringContaining(message)])
    expect(place.files()).toHaveLength(3)
  })

  it('takes one file with --spec and several with --tools, also as a shell expands them [TS-112]', async () => {
    const one = workplace()
    await one.run(...AGENT, '--spec', 'notes.yaml')
    expect(own(one)).toEqual(['ops-bot/capabilities/notes.ts'])
    for (const tools of [['notes.yaml,jira.yaml'], ['notes.yaml', 'jira.yaml']]) {
      const several = workplace()
      await several.run(...AGENT, '--tools', ...tools)
      expect(own(several)).toEqual([
        'ops-bot/capabilities/jira.ts',
        'ops-bot/capabilities/notes.ts',
        'ops-bot/triggers/jira.ts',
      ])
    }
  })

  it('accepts API descriptions, and names files where tools clash [TS-113]', async () => {
    const place = workplace()
    const both = [...AGENT, '--tools', 'zendesk-openapi.json,jira.yaml']
    const clash = await place.run(...both)
    expect(clash.code).toBe(2)
    expect(clash.err).toContain('E080')
    expect(clash.err).toContain('zendesk-openapi.json and jira.yaml:5')
    expect(clash.err).toContain('--prefix clash')
    await place.run(...both, '--prefix', 'clash')
    const capabilities = place.read('ops-bot/capabilities/zendesk.ts')
    expect(capabilities).toContain('function zendesk_create_ticket(')
    expect(capabilities).toContain('function list_tickets(')
    await place.run(...both, '--rename', 'jira:create_ticket=open_issue', '--out', 'renamed')
    expect(place.read('renamed/capabilities/jira.ts')).toContain('function open_issue(')
  })

  it('writes a project with --standalone whose parts parse', async () => {
    const place = workplace()
    const { code, out } = await place.run(
      ...[...AGENT, '--tools', 'notes.yaml,jira.yaml', '--standalone'],
      ...['--port', '4567', '--description', 'Looks after tickets.', '--waymark', 'file:w.tgz'],
    )
    expect(code).toBe(0)
    expect(out).toContain('Start it: cd ops-bot && npm install')
    expect(own(place)).toEqual(
      expect.arrayContaining(
        ['server.ts', 'package.json', 'tsconfig.json', 'Dockerfile', '.env.template', 'README.md']
          .concat('capabilities/jira.ts', 'triggers/jira.ts', 'specs/jira.tool-spec.yaml')
          .map((path) => `ops-bot/${path}`),
      ),
    )
    const packageJson = JSON.parse(place.read('ops-bot/package.json'))
    expect(packageJson).toMatchObject({
      name: 'ops-bot',
      scripts: { start: expect.any(String) },
      dependencies: { waymark: 'file:w.tgz' },
    })
    expect(place.read('ops-bot/README.md')).toContain('Looks after tickets.')
    expect(place.read('ops-bot/server.ts')).toContain('4567')
    expect(place.read('ops-bot/.env.template')).toContain('JIRA_TOKEN=')
    const server = join(place.folder, 'ops-bot/server.ts')
    const biome = join(import.meta.dirname, '../../../node_modules/.bin/biome')
    const print = ['format', '--stdin-file-path=server.ts']
    expect(
      execFileSync(biome, print, {
        input: place.read('ops-bot/server.ts'),
        cwd: join(server, '..'),
      }).length,
    ).toBeGreaterThan(100)
  })

  it('leaves Docker out with --no-docker', async () => {
    const place = workplace()
    await place.run(...AGENT, '--spec', 'notes.yaml', '--standalone', '--no-docker')
    expect(own(place).filter((path) => /docker/i.test(path))).toEqual([])
    expect(own(place)).toContain('ops-bot/server.ts')
  })

  it('replaces its own files on the next run, but none that somebody changed', async () => {
    const place = workplace()
    const line = [...AGENT, '--spec', 'notes.yaml', '--standalone'] as const
    await place.run(...line)
    expect(await place.run(...line, '--check')).toMatchObject({ code: 0 })
    place.write('notes.yaml', NOTES.replace('Writes a note.', 'Writes one note.'))
    expect(await place.run(...line, '--check')).toMatchObject({ code: 2 })
    expect(await place.run(...line)).toMatchObject({ code: 0, err: '' })
    expect(place.read('ops-bot/README.md')).toContain('Writes one note.')

    place.write('ops-bot/README.md', '# Mine\n')
    const refused = await place.run(...line)
    expect([refused.code, refused.err]).toEqual([
      2,
      expect.stringContaining(`E110: ${join('ops-bot', 'README.md')} was changed by hand`),
    ])
    expect(await place.run(...line, '--force')).toMatchObject({ code: 0 })
    expect(place.read('ops-bot/README.md')).toContain('Writes one note.')
  })

  it('does not overwrite a folder that it did not write', async () => {
    const place = createWorkplace()
    place.write('notes.yaml', NOTES)
    place.write('package.json', '{}')
    const here = [...AGENT, '--spec', 'notes.yaml', '--standalone', '--out', '.'] as const
    expect(await place.run(...here)).toMatchObject({ code: 2 })
    expect(place.files()).toEqual(['notes.yaml', 'package.json'])
  })
})
