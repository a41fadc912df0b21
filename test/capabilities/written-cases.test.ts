import { describe, expect, it } from 'vitest'
import { createWorkplace } from '../cli/run-main.ts'
import { HAS_FIXTURES, readFixture } from '../support/ucp.ts'
import { documentCases } from './documents.cases.ts'
import { entryCases } from './entries.cases.ts'
import { inferenceCases, inferenceOverBoth } from './inference.cases.ts'
import { intersectionCases } from './intersection.cases.ts'
import { pruneCases } from './pruning.cases.ts'
import { requiresCases, requiresTogether } from './requires.cases.ts'
import { brokenServiceCases, serviceCases } from './services.cases.ts'
import { invalidCases, layoutCases, leafCases, malformedCases } from './shape.cases.ts'
import { sourceCases } from './sources.cases.ts'
import { versionCases } from './versions.cases.ts'
import { DOCUMENTS, type WrittenCase } from './written-case.ts'

const place = createWorkplace()

describe.each([
  ['protocol version', versionCases],
  ['entries', entryCases],
  ['intersection', intersectionCases],
  ['pruning', pruneCases],
  ['requires', requiresCases],
  ['requires, together', requiresTogether],
  ['source of operations', sourceCases],
  ['inference', inferenceCases],
  ['inference over both transports', inferenceOverBoth],
  ['service entries that cannot be read', brokenServiceCases],
  ['owning service', serviceCases],
  ['documents', documentCases],
  ['layouts', layoutCases],
  ['leaf profiles', leafCases],
  ['entries that cannot be read', invalidCases],
  ['profiles that cannot be read', malformedCases],
])('waymark negotiate --json: %s', (_group, cases: readonly WrittenCase[]) => {
  it.each(cases.map((item) => [item.name, item] as const))('%s', async (_name, item) => {
    expect(inOrder(await report(item))).toEqual(inOrder(item.expected))
  })
})

describe.skipIf(!HAS_FIXTURES)('waymark negotiate --json: the cases of the reference', () => {
  const cases = HAS_FIXTURES ? (readFixture('cases.json') as PublishedCase[]) : []
  it.each(cases.map((item) => [item.name, item] as const))('%s', async (_name, item) => {
    // These two are answers to questions that the command is not asked.
    const {
      response_capabilities: _responses,
      request_checks: _checks,
      ...expected
    } = item.expected
    const documents = { ...item.documents, ...item.leaf_profiles }
    const printed = await report({ ...item, documents, transports: item.transports.join(',') })
    expect(inOrder(printed)).toEqual(inOrder(expected))
  })
})

interface PublishedCase extends Omit<WrittenCase, 'transports'> {
  readonly transports: readonly string[]
  readonly leaf_profiles?: Readonly<Record<string, unknown>>
}

async function report(item: WrittenCase): Promise<Record<string, unknown>> {
  const file = (name: string, value: unknown) => place.write(name, JSON.stringify(value))
  const run = await place.run(
    'negotiate',
    file('business.json', item.business),
    file('platform.json', item.platform),
    '--documents',
    file('documents.json', item.documents ?? DOCUMENTS),
    '--transports',
    item.transports ?? 'rest',
    ...(item.rules === undefined ? [] : ['--rules', item.rules]),
    ...(item.fallback === undefined ? [] : ['--fallback', file('fallback.json', item.fallback)]),
    '--json',
  )
  expect(run.err).toBe('')
  return JSON.parse(run.out)
}

// Diagnostics and unresolved operations are compared as multisets (reference 7.1).
function inOrder(report: Record<string, unknown>): unknown {
  const sorted = (list: unknown) =>
    (list as object[]).map((item) => JSON.stringify(Object.entries(item).sort())).sort()
  const { unresolved, diagnostics, ...others } = report
  return { ...others, unresolved: sorted(unresolved), diagnostics: sorted(diagnostics) }
}
