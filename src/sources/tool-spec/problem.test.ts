import { describe, expect, it } from 'vitest'
import { formatProblems, hasErrors, type SpecProblem, summarizeProblems } from './finding.ts'
import { parseToolSpec } from './parse.ts'

const PROBLEMS: SpecProblem[] = [
  {
    severity: 'error',
    code: 'E042',
    file: 'a,b.yaml',
    line: 14,
    column: 15,
    path: 'tools[0](x).type',
    message: 'must be 100% one of a\nb; found "str"',
    hint: 'did you mean "string"?',
  },
  { severity: 'warning', code: 'W071', file: 'a.yaml', line: 0, column: 0, path: '', message: 'm' },
]

describe('formats', () => {
  it('text: place, severity, code and path, then indented lines, then the count', () => {
    expect(formatProblems(PROBLEMS, 'text')).toBe(
      [
        'a,b.yaml:14:15  error  E042  tools[0](x).type',
        '    must be 100% one of a',
        '    b; found "str"',
        '    did you mean "string"?',
        '',
        'a.yaml  warning  W071',
        '    m',
        '',
        '1 error, 1 warning',
      ].join('\n'),
    )
  })

  it('[TS-139] json: the same eight keys for every problem', () => {
    const parsed = JSON.parse(formatProblems(PROBLEMS, 'json'))
    const keys = ['file', 'line', 'column', 'severity', 'code', 'path', 'message', 'hint']
    expect(parsed.map((entry: object) => Object.keys(entry))).toEqual([keys, keys])
    expect(parsed[1].hint).toBeNull()
    expect(formatProblems([], 'json')).toBe('[]')
  })

  it('github: workflow annotations that text cannot break out of', () => {
    expect(formatProblems(PROBLEMS, 'github').split('\n')).toEqual([
      '::error file=a%2Cb.yaml,line=14,col=15,title=E042 tools[0](x).type::must be 100%25 one of a%0Ab; found "str"%0Adid you mean "string"?',
      '::warning file=a.yaml,title=W071::m',
    ])
  })

  it('counts', () => {
    expect(summarizeProblems([])).toBe('0 errors, 0 warnings')
    expect(hasErrors(PROBLEMS)).toBe(true)
    expect(hasErrors(PROBLEMS.slice(1))).toBe(false)
  })

  it('cuts long found values at 60 characters', () => {
    const parsed = parseToolSpec(`domain: "${'x'.repeat(500)}"\ntools: []`)
    const message = parsed.ok ? '' : (parsed.problems[0]?.message ?? '')
    expect(message.length).toBeLessThan(200)
  })
})
