import { describe, expect, it } from 'vitest'
import { listDuplicates, readTree } from '../scripts/exported-names.ts'

/**
 * Names that still have several meanings, and how many files declare each. This list only gets shorter: give one of them
 * another name, and take it out.
 */
const KNOWN: Readonly<Record<string, number>> = {
  Answer: 2,
  CallOutcome: 2,
  CallResult: 2,
  Draft: 2,
  Environment: 2,
  Exchange: 2,
  Finding: 2,
  ImportedSpec: 2,
  Link: 2,
  ListOptions: 2,
  Method: 3,
  OpenApiDocument: 2,
  Operation: 2,
  OperationFilter: 2,
  Outgoing: 2,
  Outlet: 2,
  Page: 2,
  Progress: 2,
  QueryFilter: 2,
  RULES: 2,
  Rule: 2,
  ScheduleRuns: 2,
  Session: 2,
  Severity: 3,
  Step: 2,
  Tool: 2,
  ToolContent: 2,
  Transport: 2,
  Turn: 2,
  checkFields: 2,
  connect: 2,
  createProgress: 2,
  createRedactor: 2,
  createStreamFormat: 2,
  decodeCall: 2,
  didYouMean: 2,
  encodeEvent: 2,
  encodeFailure: 3,
  encodeOutcome: 2,
  encodeResult: 3,
  formatReport: 2,
  isVersion: 2,
  listOperations: 2,
  parseDocument: 2,
  quote: 2,
  readChoice: 2,
  readDocument: 3,
  readRetryAfter: 3,
  readSpec: 2,
  readText: 2,
  refuse: 2,
  runCall: 2,
  runtime: 2,
  sleep: 2,
  styleOf: 2,
  toCallError: 2,
  toInputSchema: 3,
  toOperation: 2,
  toSummary: 2,
  toText: 3,
  tooLarge: 2,
}

describe('an exported name', () => {
  it('is declared in one file', { timeout: 60_000 }, () => {
    const duplicates = listDuplicates(readTree())
    const added = [...duplicates]
      .filter(([name, files]) => files.length > (KNOWN[name] ?? 1))
      .map(([name, files]) => `${name}: ${files.join(', ')}`)
    expect(added, 'give each meaning a name of its own').toEqual([])
    const stale = Object.entries(KNOWN).filter(
      ([name, count]) => (duplicates.get(name)?.length ?? 1) < count,
    )
    expect(stale, 'no longer needed in KNOWN').toEqual([])
  })

  it('is found when a second file declares it, whatever it is', { timeout: 60_000 }, () => {
    const tree = readTree()
    const planted = `export interface Service {}
export type CallError = string
export const createService = 1
export function createApp(): void {}
export class JobQueue {}
`
    const before = listDuplicates(tree)
    const after = listDuplicates(new Map([...tree, ['planted/planted.ts', planted]]))
    const found = [...after].filter(([name]) => !before.has(name))
    expect(found).toEqual([
      ['CallError', ['errors/error.ts', 'planted/planted.ts']],
      ['JobQueue', ['planted/planted.ts', expect.stringMatching(/^work\//)]],
      ['Service', ['core/service.ts', 'planted/planted.ts']],
      ['createApp', ['http/app.ts', 'planted/planted.ts']],
      ['createService', ['planted/planted.ts', 'system/create-service.ts']],
    ])
  })

  it('may be exported again, overloaded, or be a value and its type', () => {
    const tree = new Map([
      ['values/a.ts', 'export const A = 1\nexport type A = 1\nconst B = 2\nexport { B }\n'],
      [
        'values/b.ts',
        'const A = 1\nexport function f(x: 1): 1\nexport function f(x: unknown) {}\n',
      ],
      ['values/index.ts', "export { A } from './a.ts'\nexport { f } from './b.ts'\n"],
    ])
    expect([...listDuplicates(tree)]).toEqual([])
  })
})
