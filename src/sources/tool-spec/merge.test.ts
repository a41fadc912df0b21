import { describe, expect, it } from 'vitest'
import { formatToolSpec } from './format.ts'
import { formatConflict, mergeToolSpecs } from './merge.ts'
import { parseToolSpec } from './parse.ts'
import type { ToolSpec } from './types.ts'

const BASE: ToolSpec = {
  domain: 'orchard',
  base_url: 'https://a.example',
  tools: [
    {
      name: 'list_trees',
      description: 'Lists trees.',
      method: 'GET',
      path: '/trees',
      params: [
        { name: 'kind', type: 'string', description: 'Kind.', enum: ['apple', 'pear'] },
        { name: 'limit', type: 'integer', description: 'How many.' },
      ],
    },
    { name: 'plant_tree', description: 'Plants a tree.', method: 'POST', path: '/trees' },
    { name: 'fell_tree', description: 'Fells a tree.', method: 'DELETE', path: '/trees' },
  ],
}

function merge(edited: string, incoming: ToolSpec, base: ToolSpec = BASE) {
  const result = mergeToolSpecs({ base, edited, incoming })
  if (!result.ok) throw new Error(JSON.stringify(result.problems))
  const parsed = parseToolSpec(result.text)
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems))
  return { ...result, spec: parsed.spec }
}

function change(index: number, patch: object): ToolSpec {
  return {
    ...BASE,
    tools: BASE.tools.map((tool, at) => (at === index ? { ...tool, ...patch } : tool)),
  }
}

describe('merging a new import into an edited file', () => {
  it('returns the file byte for byte when the import did not change', () => {
    const edited = `# mine\n${formatToolSpec(BASE)}  # end\n`
    expect(merge(edited, BASE)).toMatchObject({ text: edited, conflicts: [], taken: [] })
  })

  it('takes what only the import changed and keeps comments, edits and order', () => {
    const edited = formatToolSpec(BASE)
      .replace('  - name: plant_tree', '  # the one people use\n  - name: plant_tree')
      .replace('description: Lists trees.', 'description: Lists the trees of a plot. # better')
    const incoming = change(1, { description: 'Plants one tree.', deprecated: true })
    const { text, spec, conflicts, taken } = merge(edited, incoming)
    expect(text).toContain('# the one people use')
    expect(text).toContain('# better')
    expect(spec.tools.map((tool) => tool.description)).toEqual([
      'Lists the trees of a plot.',
      'Plants one tree.',
      'Fells a tree.',
    ])
    expect(spec.tools[1]?.deprecated).toBe(true)
    expect(conflicts).toEqual([])
    expect(taken).toEqual(['tools[1](plant_tree).description', 'tools[1](plant_tree).deprecated'])
  })

  it('reports a field both sides changed and keeps the edited one', () => {
    const edited = formatToolSpec(change(0, { description: 'Mine.' }))
    const { spec, conflicts } = merge(edited, change(0, { description: 'Theirs.' }))
    expect(spec.tools[0]?.description).toBe('Mine.')
    expect(conflicts).toEqual([
      {
        path: 'tools[0](list_trees).description',
        reason: 'both-changed',
        base: 'Lists trees.',
        edited: 'Mine.',
        incoming: 'Theirs.',
      },
    ])
    expect(conflicts.map(formatConflict)).toEqual([
      'tools[0](list_trees).description: changed here and in the new import; kept as it is here',
    ])
  })

  it('is silent when both sides made the same change', () => {
    const same = change(0, { description: 'Same.' })
    expect(merge(formatToolSpec(same), same)).toMatchObject({ conflicts: [], taken: [] })
  })

  it('adds new tools after their predecessor and removes those that are gone', () => {
    const prune = {
      name: 'prune_tree',
      description: 'Prunes.',
      method: 'PATCH',
      path: '/trees',
    } as const
    const [list, plant] = BASE.tools
    const incoming = { ...BASE, tools: [list!, prune, plant!] }
    const { spec, conflicts } = merge(formatToolSpec(BASE), incoming)
    expect(spec.tools.map((tool) => tool.name)).toEqual(['list_trees', 'prune_tree', 'plant_tree'])
    expect(conflicts).toEqual([])
  })

  it('keeps tools that a person added and leaves out those that a person removed', () => {
    const own = { name: 'own_tool', description: 'Mine.' }
    const edited = formatToolSpec({ ...BASE, tools: [own, ...BASE.tools.slice(0, 2)] })
    const { spec, conflicts } = merge(edited, change(0, { description: 'New.' }))
    expect(spec.tools.map((tool) => tool.name)).toEqual(['own_tool', 'list_trees', 'plant_tree'])
    expect(spec.tools[1]?.description).toBe('New.')
    expect(conflicts).toEqual([])
  })

  it('reports a removed tool that the import changed, and a changed one that the import removed', () => {
    const withoutFell = formatToolSpec({ ...BASE, tools: BASE.tools.slice(0, 2) })
    const changedThere = merge(withoutFell, change(2, { description: 'New.' }))
    expect(changedThere.conflicts).toMatchObject([
      { path: 'tools(fell_tree)', reason: 'removed-here' },
    ])
    const changedHere = merge(formatToolSpec(change(2, { description: 'Mine.' })), {
      ...BASE,
      tools: BASE.tools.slice(0, 2),
    })
    expect(changedHere.conflicts).toMatchObject([
      { path: 'tools[2](fell_tree)', reason: 'removed-upstream' },
    ])
    expect(changedHere.spec.tools.map((tool) => tool.name)).toContain('fell_tree')
  })

  it('recognises a renamed tool by method and path, on both sides', () => {
    const renamedHere = merge(
      formatToolSpec(change(1, { name: 'add_tree' })),
      change(1, { description: 'New.' }),
    )
    expect(renamedHere.spec.tools[1]).toMatchObject({ name: 'add_tree', description: 'New.' })
    const renamedThere = merge(
      formatToolSpec(change(1, { description: 'Mine.' })),
      change(1, { name: 'add_tree' }),
    )
    expect(renamedThere.spec.tools[1]).toMatchObject({ name: 'add_tree', description: 'Mine.' })
  })

  it('merges fields inside a tool and treats plain lists as sets', () => {
    const params = (values: string[], limit: object) => [
      { name: 'kind', type: 'string', description: 'Kind.', enum: values },
      { name: 'limit', type: 'integer', description: 'How many.', ...limit },
    ]
    const edited = formatToolSpec(
      change(0, { params: params(['apple', 'pear', 'fig'], { default: 20 }) }),
    )
    const incoming = change(0, {
      params: [
        ...params(['apple', 'plum'], {}),
        { name: 'page', type: 'integer', description: 'Page.' },
      ],
    })
    const { spec, conflicts } = merge(edited, incoming)
    expect(conflicts).toEqual([])
    expect(spec.tools[0]?.params).toEqual([
      { name: 'kind', type: 'string', description: 'Kind.', enum: ['apple', 'fig', 'plum'] },
      { name: 'limit', type: 'integer', description: 'How many.', default: 20 },
      { name: 'page', type: 'integer', description: 'Page.' },
    ])
  })

  it('sets a new key where the import has it and keeps the comment of a changed one', () => {
    const edited = formatToolSpec(BASE).replace(
      'base_url: https://a.example',
      'base_url: https://a.example # live',
    )
    const { text } = merge(edited, {
      domain: 'orchard',
      version: '2',
      base_url: 'https://b.example',
      tools: BASE.tools,
    })
    expect(text).toMatch(/^domain: orchard\nversion: "2"\nbase_url: https:\/\/b\.example # live\n/)
  })

  it('refuses an edited file that is not a tool spec', () => {
    expect(mergeToolSpecs({ base: BASE, edited: 'domain: [', incoming: BASE })).toMatchObject({
      ok: false,
    })
  })
})
