import type { DiffSource } from '../../../src/entries/diff.ts'
import type { ToolDef, ToolSpec } from '../../../src/entries/tool-spec.ts'
import type { DiffCase } from './case.ts'

const spec = (tools: readonly Partial<ToolDef>[], rest: Partial<ToolSpec> = {}): DiffSource => ({
  kind: 'tool-spec',
  spec: {
    domain: 'd',
    base_url: 'https://a',
    tools: tools.map((tool) => ({
      name: 't',
      description: 'does it',
      method: 'GET' as const,
      path: '/t',
      ...tool,
    })),
    ...rest,
  },
})
const field = { name: 'q', type: 'string', description: 'words' } as const

/** Tools of tool specs. */
export const TOOL_CASES: readonly DiffCase[] = [
  {
    name: 'a tool goes and another comes',
    old: spec([{ name: 'list_tickets' }]),
    now: spec([{ name: 'list_all_tickets' }]),
    expected: [
      ['function-removed', 'breaking', '/tools/0'],
      ['function-added', 'implementer', '/tools/0'],
    ],
  },
  {
    name: 'a required parameter comes',
    old: spec([{}]),
    now: spec([{ params: [{ ...field, required: true }] }]),
    expected: [['input-required-property-added', 'breaking', '/tools/0/params/0']],
  },
  {
    name: 'a parameter travels elsewhere',
    old: spec([{ params: [field] }]),
    now: spec([{ params: [{ ...field, in: 'header' }] }]),
    expected: [['request-changed', 'implementer', '/tools/0/params/0']],
  },
  {
    name: 'the request behind a tool changes',
    old: spec([{ path: '/a' }]),
    now: spec([{ path: '/b' }], { base_url: 'https://b' }),
    expected: [
      ['request-changed', 'implementer', '/base_url'],
      ['request-changed', 'implementer', '/tools/0/path'],
    ],
  },
  {
    name: 'a tool that read now writes',
    old: spec([{ method: 'GET' }]),
    now: spec([{ method: 'POST' }]),
    expected: [
      ['side-effects-appeared', 'breaking', '/tools/0/method'],
      ['request-changed', 'implementer', '/tools/0/method'],
    ],
  },
  {
    name: 'authentication comes',
    old: spec([{}], { auth: { type: 'none' } }),
    now: spec([{}], { auth: { type: 'bearer', env: 'TOKEN' } }),
    expected: [['auth-added', 'breaking', '/auth']],
  },
  {
    name: 'a field gets an enum',
    old: spec([{ params: [field] }]),
    now: spec([{ params: [{ ...field, enum: ['a'] }] }]),
    expected: [['input-enum-value-removed', 'breaking', '/tools/0/params/0']],
  },
  {
    name: 'a trigger goes and another changes',
    old: spec([{}], {
      triggers: [
        { name: 'a', description: 'x', type: 'schedule', cron: '0 * * * *' },
        { name: 'b', description: 'x', type: 'emit', event: 'e' },
      ],
    }),
    now: spec([{}], {
      triggers: [{ name: 'a', description: 'y', type: 'schedule', cron: '5 * * * *' }],
    }),
    expected: [
      ['trigger-changed', 'breaking', '/triggers/0'],
      ['trigger-removed', 'breaking', '/triggers/1'],
      ['docs-changed', 'docs', '/triggers/0'],
    ],
  },
  {
    name: 'a trigger comes',
    old: spec([{}]),
    now: spec([{}], { triggers: [{ name: 'b', description: 'x', type: 'emit', event: 'e' }] }),
    expected: [['trigger-added', 'compatible', '/triggers/0']],
  },
]
