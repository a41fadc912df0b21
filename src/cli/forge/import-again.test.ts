import { rmSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { createWorkplace, type Workplace, zendeskDocument } from '../../../test/cli/run-main.ts'
import { parseToolSpec, type ToolSpec } from '../../entries/tool-spec.ts'

const IMPORT = ['forge', 'tool', '--spec', 'api.json', '--domain', 'desk', '--out', '.'] as const
const SPEC = 'desk.tool-spec.yaml'
const CODE = 'desk.capabilities.ts'

async function imported(): Promise<Workplace> {
  const place = createWorkplace()
  place.write('api.json', zendeskDocument())
  expect(await place.run(...IMPORT)).toMatchObject({ code: 0 })
  return place
}

function edit(place: Workplace, path: string, from: string, to: string): void {
  const text = place.read(path)
  expect(text).toContain(from)
  place.write(path, text.replace(from, to))
}

function specOf(place: Workplace): ToolSpec {
  const parsed = parseToolSpec(place.read(SPEC))
  if (!parsed.ok) throw new Error(parsed.problems[0]?.message)
  return parsed.spec
}

/** The document of a later day: a new operation, and another summary for an old one. */
const LATER = {
  '/api/v2/users': { get: { operationId: 'listUsers', summary: 'Lists users, newest first.' } },
  '/api/v2/groups': { get: { operationId: 'listGroups', summary: 'Lists groups.' } },
}

describe('a second import', () => {
  it('changes nothing when nothing changed', async () => {
    const place = await imported()
    const before = place.files().map((path) => place.read(path))
    const { code, out } = await place.run(...IMPORT)
    expect(code).toBe(0)
    expect(out).toMatch(/same +desk\.tool-spec\.yaml/)
    expect(place.files().map((path) => place.read(path))).toEqual(before)
  })

  it('says which tools came and went in a spec nobody edited', async () => {
    const place = await imported()
    place.write('api.json', zendeskDocument({ ...LATER, '/api/v2/tickets/{id}': {} }))
    const { out } = await place.run(...IMPORT)
    expect(out).toContain('Taken from the new import:\n  tools(list_groups)\n')
    expect(out).toMatch(/Removed, because .*:\n {2}tools\(get_ticket\)\n {2}tools\(delete_ticket\)/)
  })

  it('keeps edits and comments, takes what is new, and generates from the result', async () => {
    const place = await imported()
    edit(place, SPEC, 'Lists tickets.', 'Lists open tickets. # mine')
    edit(place, SPEC, '  - name: create_ticket', '  # reviewed by Ann\n  - name: create_ticket')
    place.write('api.json', zendeskDocument(LATER))
    const { code, out, err } = await place.run(...IMPORT)
    expect(code).toBe(0)
    const { tools } = specOf(place)
    expect(tools.find(({ name }) => name === 'list_tickets')?.description).toBe(
      'Lists open tickets.',
    )
    expect(tools.find(({ name }) => name === 'list_users')?.description).toContain('newest first')
    expect(tools.map(({ name }) => name)).toContain('list_groups')
    expect(place.read(SPEC)).toContain('# reviewed by Ann')
    expect(place.read(CODE)).toContain('export async function list_groups(')
    expect(out).toContain('(list_groups)')
    expect(err).not.toContain('CONFLICT')
  })

  it('reports where both sides changed, keeps the edit, and reports it once', async () => {
    const place = await imported()
    edit(place, SPEC, 'Lists users.', 'Lists the users of our desk.')
    place.write('api.json', zendeskDocument(LATER))
    const strict = await place.run(...IMPORT, '--strict', '--exclude', 'peekTicket')
    expect(strict.code).toBe(2)
    expect(place.read(SPEC)).not.toContain('list_groups')
    const { code, err } = await place.run(...IMPORT)
    expect(code).toBe(0)
    expect(err).toMatch(/CONFLICT {2}tools\[\d\]\(list_users\)\.description/)
    expect(err).toContain('kept as it is here')
    expect(err).toContain('the new import has "Lists users, newest first."')
    expect(place.read(SPEC)).toContain('Lists the users of our desk.')
    expect((await place.run(...IMPORT)).err).not.toContain('CONFLICT')
  })

  it('removes what the document no longer has, unless somebody edited it', async () => {
    const place = await imported()
    edit(place, SPEC, 'Reads a ticket.', 'Reads a ticket by its number.')
    const gone = { '/api/v2/users': {}, '/api/v2/tickets/{id}': {} }
    place.write('api.json', zendeskDocument(gone))
    const { err, out } = await place.run(...IMPORT)
    expect(out).toMatch(/Removed, because .*:\n {2}tools\[\d\]\(delete_ticket\)\n/)
    expect(specOf(place).tools.map(({ name }) => name)).toEqual([
      'list_tickets',
      'create_ticket',
      'get_ticket',
    ])
    expect(err).toContain('changed here, but gone from the new import; kept')
  })

  it('loses nothing when the record of the last import is missing', async () => {
    const place = await imported()
    edit(place, SPEC, 'Lists tickets.', 'Lists open tickets.')
    rmSync(join(place.folder, '.forge'), { recursive: true })
    place.write('api.json', zendeskDocument(LATER))
    const { code, err } = await place.run(...IMPORT)
    expect(code).toBe(0)
    expect(place.read(SPEC)).toContain('Lists open tickets.')
    expect(specOf(place).tools.map(({ name }) => name)).toContain('list_groups')
    expect(err).toContain('CONFLICT')
  })

  it('does not touch anything when the edited spec has a mistake', async () => {
    const place = await imported()
    edit(place, SPEC, 'type: integer', 'type: int')
    const before = place.files().map((path) => place.read(path))
    const { code, err } = await place.run(...IMPORT)
    expect(code).toBe(2)
    expect(err).toMatch(/desk\.tool-spec\.yaml:\d+:\d+ {2}error {2}E042/)
    expect(place.files().map((path) => place.read(path))).toEqual(before)
  })

  it('does not overwrite code that was changed by hand, except with --force', async () => {
    const place = await imported()
    edit(place, CODE, 'export async function', '// mine\nexport async function')
    place.write('api.json', zendeskDocument(LATER))
    const refused = await place.run(...IMPORT)
    expect([refused.code, refused.err]).toEqual([
      2,
      expect.stringContaining('E110: desk.capabilities.ts was changed by hand'),
    ])
    expect(place.read(SPEC)).not.toContain('list_groups')
    expect(await place.run(...IMPORT, '--dry-run')).toMatchObject({
      code: 0,
      out: expect.stringContaining('needs --force'),
    })
    expect(await place.run(...IMPORT, '--force')).toMatchObject({ code: 0 })
    expect(place.read(CODE)).not.toContain('// mine')
  })

  it('fails with --check exactly when a file would change, and writes nothing', async () => {
    const place = await imported()
    expect(await place.run(...IMPORT, '--check')).toMatchObject({ code: 0 })
    place.write('api.json', zendeskDocument(LATER))
    const before = place.files().map((path) => place.read(path))
    const stale = await place.run(...IMPORT, '--check')
    expect([stale.code, stale.err]).toEqual([2, expect.stringContaining('not up to date')])
    expect(place.files().map((path) => place.read(path))).toEqual(before)
  })
})

describe('documents that a document refers to', () => {
  const root = (ref: string): string => zendeskDocument({ '/far': { $ref: ref } })
  const FAR = 'get: { operationId: farAway, summary: Reads far things. }\n'

  it('are read beside it or below, and are listed', async () => {
    const place = createWorkplace()
    place.write('api.json', root('far.yaml'))
    place.write('far.yaml', FAR)
    expect((await place.run('forge', 'tool', '--list', 'api.json')).out).toContain('far_away')
    await place.run(...IMPORT)
    expect(place.read(SPEC)).toContain('far_away')
  })

  it('are not read elsewhere, not even through a link, unless that is allowed', async () => {
    const place = createWorkplace()
    const other = createWorkplace()
    other.write('far.yaml', FAR)
    const outside = join(other.folder, 'far.yaml')
    symlinkSync(outside, join(place.folder, 'link.yaml'))
    for (const ref of [outside, 'link.yaml']) {
      place.write('api.json', root(ref))
      const refused = await place.run('forge', 'tool', '--list', 'api.json')
      expect(refused.out).not.toContain('far_away')
      const allowed = ['forge', 'tool', '--list', 'api.json', '--allow-external-refs']
      expect((await place.run(...allowed)).out).toContain('far_away')
    }
    place.write('api.json', root(`file://${outside}`))
    const never = await place.run('forge', 'tool', '--list', 'api.json', '--allow-external-refs')
    expect(never.out).not.toContain('far_away')
  })
})
