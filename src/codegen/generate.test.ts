import { describe, expect, it } from 'vitest'
import { formatToolSpec } from '../sources/tool-spec/format.ts'
import { generateCode, generateFromText, isEdited } from './generate.ts'

const ZENDESK = `domain: zendesk
version: "1.0"
base_url: \${ZENDESK_BASE_URL}
auth: { type: bearer, env: ZENDESK_API_TOKEN }
tools:
  - name: list_tickets
    description: Lists tickets, newest first.
    method: GET
    path: /api/v2/tickets
    params:
      - { name: status, type: string, enum: [open, pending, solved], description: Only these. }
      - { name: page, type: number, default: 1, description: Page. }
  - name: get_ticket
    description: Reads one ticket.
    method: GET
    path: /api/v2/tickets/{ticket_id}
    params:
      - { name: ticket_id, type: number, required: true, description: Id. }
  - name: create_ticket
    description: Opens a ticket.
    method: POST
    path: /api/v2/tickets
    body:
      - { name: subject, type: string, required: true, description: Subject. }
      - { name: tags, type: array, description: Tags., items: { type: string } }
triggers:
  - { type: webhook, name: on_ticket, description: A ticket changed., path: /webhooks/zendesk/ticket, event: ticket.updated, secret_env: ZENDESK_SECRET }
`

function filesOf(text: string): Map<string, string> {
  const result = generateFromText(text)
  if (!result.ok) throw new TypeError(JSON.stringify(result.problems))
  return new Map(result.files.map((file) => [file.path, file.text]))
}

describe('generating TypeScript', () => {
  it('[TS-13] [TS-105] [TS-106] [TS-110] writes a file of functions, and one of triggers if there are any', () => {
    const files = filesOf(ZENDESK)
    expect([...files.keys()]).toEqual(['zendesk.capabilities.ts', 'zendesk.triggers.ts'])
    const code = files.get('zendesk.capabilities.ts') ?? ''
    const names = [...code.matchAll(/^export async function (\w+)/gm)].map((match) => match[1])
    expect(names).toEqual(['list_tickets', 'get_ticket', 'create_ticket'])
    expect([...filesOf(ZENDESK.split('triggers:')[0] ?? '').keys()]).toEqual([
      'zendesk.capabilities.ts',
    ])
  })

  it('[TS-11] gives no file for a spec with an error, but what is wrong and where', () => {
    expect(
      generateFromText(ZENDESK.replace('type: array', 'type: list'), { file: 'z.yaml' }),
    ).toMatchObject({
      ok: false,
      problems: [
        {
          code: 'E042',
          file: 'z.yaml',
          line: 25,
          path: 'tools[2](create_ticket).body[1](tags).type',
        },
      ],
    })
  })

  it('[TS-107] [TS-180] gives the same bytes for a spec that was written and read back', () => {
    const result = generateFromText(ZENDESK)
    const written = formatToolSpec(result.ok ? result.spec : { domain: '', tools: [] })
    expect(filesOf(written)).toEqual(filesOf(ZENDESK))
  })

  it('[TS-108] follows a changed variable', () => {
    const code = filesOf(ZENDESK.replace('ZENDESK_API_TOKEN', 'HELPDESK_TOKEN')).get(
      'zendesk.capabilities.ts',
    )
    expect(code).toContain("auth: { type: 'bearer', env: 'HELPDESK_TOKEN' }")
    expect(code).not.toContain('ZENDESK_API_TOKEN')
  })

  it('[TS-99] names files after the domain', () => {
    expect([...filesOf(ZENDESK.replace('domain: zendesk', 'domain: helpdesk')).keys()]).toEqual([
      'helpdesk.capabilities.ts',
      'helpdesk.triggers.ts',
    ])
  })

  it('[TS-37] writes an enum as a union and into the JSON Schema', () => {
    const code = filesOf(ZENDESK).get('zendesk.capabilities.ts') ?? ''
    expect(code).toContain("status?: 'open' | 'pending' | 'solved'")
    expect(code).toContain("enum: ['open', 'pending', 'solved']")
  })

  it('[TS-5] changes nothing but a digest when the version changes', () => {
    const without = (text: string): string => text.replace(/spec sha256 \w+/, '')
    const other = filesOf(ZENDESK.replace('"1.0"', '"2.0"'))
    for (const [path, text] of filesOf(ZENDESK))
      expect(without(other.get(path) ?? '')).toBe(without(text))
  })

  it('[TS-182] recognises its own files', () => {
    for (const text of filesOf(ZENDESK).values()) {
      expect(isEdited(text)).toBe(false)
      expect(isEdited(text.replace('Generated', 'Written'))).toBe(false)
      expect(isEdited(text.replace('export', 'export '))).toBe(true)
    }
  })

  it('keeps the code of a tool that has the name of a helper of earlier files', () => {
    const spec = { domain: 'x', tools: [{ name: 'sleep', description: 'Sleeps.' }] }
    const earlier = '  // <custom sleep_>\n  return 4\n  // </custom sleep_>\n'
    for (const runtime of ['inline', 'package'] as const) {
      const [file] = generateCode(spec, { runtime, previous: () => earlier })
      expect(file?.text).toContain(earlier)
    }
  })

  it('generates a domain with nothing but triggers', () => {
    const spec = {
      domain: 'x',
      tools: [],
      triggers: [{ type: 'emit', name: 'e', description: 'e', event: 'e' }],
    } as const
    expect(generateCode(spec).map((file) => file.path)).toEqual(['x.triggers.ts'])
  })
})
