import { describe, expect, it } from 'vitest'
import type { ToolSpec, TriggerDef } from '../../sources/tool-spec/types.ts'
import { type AgentSource, composeSpecs, parseRename } from './compose.ts'

function source(
  domain: string,
  tools: readonly string[],
  triggers: readonly TriggerDef[] = [],
): AgentSource {
  const spec: ToolSpec = {
    domain,
    tools: tools.map((name) => ({ name, description: `${name}.` })),
    ...(triggers.length > 0 && { triggers }),
  }
  const lines = tools.map((name) => `  - { name: ${name}, description: x }`)
  return {
    file: `${domain}.yaml`,
    spec,
    text: [`domain: ${domain}`, 'tools:', ...lines].join('\n'),
  }
}

function names(result: ReturnType<typeof composeSpecs>): string[] {
  if (!result.ok) throw new TypeError(result.problems.map((problem) => problem.message).join('; '))
  return result.specs.flatMap((spec) => spec.tools.map((tool) => tool.name))
}

const zendesk = source('zendesk', ['create_ticket', 'list_tickets'])
const jira = source('jira', ['create_ticket', 'move_issue'])

describe('composing specs', () => {
  it('leaves names alone that differ', () => {
    expect(names(composeSpecs([zendesk, source('jira', ['move_issue'])]))).toEqual([
      'create_ticket',
      'list_tickets',
      'move_issue',
    ])
  })

  it('[TS-118] names both files and lines of a tool that two specs define, and what to add', () => {
    const result = composeSpecs([zendesk, jira])
    expect(result).toMatchObject({
      ok: false,
      problems: [
        {
          code: 'E080',
          file: 'zendesk.yaml',
          line: 3,
          message: 'the tool "create_ticket" is defined in zendesk.yaml:3 and jira.yaml:3',
          hint: 'add --prefix clash, or --rename "jira:create_ticket=<new name>"',
        },
      ],
    })
  })

  it('[TS-119] puts the domain before every name with prefix domain', () => {
    expect(names(composeSpecs([zendesk, jira], { prefix: 'domain' }))).toEqual([
      'zendesk_create_ticket',
      'zendesk_list_tickets',
      'jira_create_ticket',
      'jira_move_issue',
    ])
  })

  it('puts the domain before every clashing name, and only those, with prefix clash', () => {
    expect(names(composeSpecs([zendesk, jira], { prefix: 'clash' }))).toEqual([
      'zendesk_create_ticket',
      'list_tickets',
      'jira_create_ticket',
      'move_issue',
    ])
  })

  it('[TS-145] keeps prefixed names within 64 characters and apart', () => {
    const long = ['a'.repeat(60), `${'a'.repeat(59)}b`]
    const result = names(composeSpecs([source('my-domain', long)], { prefix: 'domain' }))
    expect(new Set(result).size).toBe(2)
    for (const name of result) expect(name).toMatch(/^my_domain_[a-z0-9_]{1,54}$/)
  })

  it('[TS-120] renames one tool only, and the triggers that call it', () => {
    const hook: TriggerDef = {
      type: 'emit',
      name: 't',
      description: 't',
      event: 'e',
      tool: 'create_ticket',
    }
    const renames = [{ domain: 'zendesk', from: 'create_ticket', to: 'open_ticket' }]
    const result = composeSpecs([source('zendesk', ['create_ticket'], [hook]), jira], { renames })
    expect(names(result)).toEqual(['open_ticket', 'create_ticket', 'move_issue'])
    expect(result.ok && result.specs[0]?.triggers?.[0]?.tool).toBe('open_ticket')
  })

  it('renames the tool that a trigger calls by its own name', () => {
    const own: TriggerDef = { type: 'emit', name: 'create_ticket', description: 't', event: 'e' }
    const result = composeSpecs([source('zendesk', ['create_ticket'], [own])], { prefix: 'domain' })
    expect(result.ok && result.specs[0]?.triggers?.[0]?.tool).toBe('zendesk_create_ticket')
  })

  it.each([
    ['zendesk:nothing=x', 'E082'],
    ['nobody:create_ticket=x', 'E082'],
    ['zendesk:create_ticket=Not A Name', 'E020'],
    ['zendesk:create_ticket=move_issue', 'E083'],
  ])('refuses --rename %s with %s', (text, code) => {
    const rename = parseRename(text)
    expect(
      composeSpecs([zendesk, source('jira', ['move_issue'])], { renames: rename ? [rename] : [] }),
    ).toMatchObject({
      ok: false,
      problems: [{ code }],
    })
  })

  it('refuses two specs of one domain, however it is spelled', () => {
    expect(composeSpecs([source('my-api', ['a']), source('my_api', ['b'])])).toMatchObject({
      ok: false,
      problems: [{ code: 'E081' }],
    })
  })

  it('refuses triggers of one name and webhooks of one path', () => {
    const hook = (name: string): TriggerDef => ({
      type: 'webhook',
      name,
      description: 'x',
      path: '/hook',
    })
    const result = composeSpecs([source('a', [], [hook('on_x')]), source('b', [], [hook('on_x')])])
    expect(!result.ok && result.problems.map((problem) => problem.code)).toEqual(['E080', 'E070'])
  })

  it('reads a rename', () => {
    expect(parseRename('a:b=c')).toEqual({ domain: 'a', from: 'b', to: 'c' })
    expect(parseRename('a=b')).toBeUndefined()
  })
})
