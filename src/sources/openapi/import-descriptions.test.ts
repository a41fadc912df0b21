import { describe, expect, it } from 'vitest'
import { run, toolOf, V3, withOperation } from '../../../test/openapi/import-document.ts'

describe('descriptions', () => {
  const described = (operation: object): string =>
    toolOf(operation, {}, '/plots/{id}/trees', 'get').description

  it('join summary and description, strip HTML and collapse white space', () => {
    expect(
      described({
        summary: 'Lists trees',
        description: '<p>All of&nbsp;them,\n\n <b>newest</b> first.</p>',
      }),
    ).toBe('Lists trees. All of them, newest first.')
    expect(described({ summary: 'Lists trees', description: 'Lists trees of a plot.' })).toBe(
      'Lists trees of a plot.',
    )
    expect(described({ summary: '', description: '&#10024; New &lt;b&gt;' })).toBe('✨ New <b>')
  })

  it('are made from method and path when the document has none', () => {
    const { spec, codes } = run(
      withOperation({ summary: undefined }, {}, '/plots/{id}/trees', 'get'),
    )
    expect(spec.tools[0]?.description).toBe('GET plots by id trees')
    expect(codes).toContain('W107')
  })

  it('are cut at a sentence after 1,024 characters', () => {
    const { spec, codes } = run(
      withOperation({ summary: undefined, description: 'One sentence here. '.repeat(100) }),
    )
    const text = spec.tools[0]?.description ?? ''
    expect(text.length).toBeLessThanOrEqual(1024)
    expect(text).toMatch(/here\.$/)
    expect(codes).toContain('W110')
  })

  it('say what comes back and what is deprecated', () => {
    expect(
      described({
        summary: 'Lists trees.',
        deprecated: true,
        responses: { 200: { description: 'The trees of the plot' } },
      }),
    ).toBe('Deprecated: Lists trees. Returns: The trees of the plot')
  })

  it('[TS-196] more than 40 tools warn about the cost', () => {
    const paths = Object.fromEntries(
      Array.from({ length: 41 }, (_, index) => [`/p${index}`, { get: {} }]),
    )
    const { messages } = run({ ...V3, paths })
    expect(messages.join()).toMatch(/W109 tools 41 tools cost a model about \d+ tokens/)
    expect(run({ ...V3, paths: { '/x': { get: {} } } }).codes).not.toContain('W109')
  })
})
