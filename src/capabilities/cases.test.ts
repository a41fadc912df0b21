import { existsSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import type { TransportName } from './model.ts'
import { toRules } from './negotiate/negotiate.ts'
import type { FallbackTable } from './negotiate/operations.ts'
import { type NegotiationReport, negotiateReport } from './negotiate/report.ts'

interface Case {
  readonly name: string
  readonly rules: string
  readonly transports: readonly TransportName[]
  readonly business: unknown
  readonly platform: unknown
  readonly documents: Readonly<Record<string, unknown>>
  readonly leaf_profiles?: Readonly<Record<string, unknown>>
  readonly fallback?: FallbackTable | false
  readonly authority_vectors?: readonly {
    name: string
    url?: string
    schema?: string
    ok: boolean
  }[]
  readonly expected: NegotiationReport
}

const file = new URL('../../../shared/fixtures/ucp/cases.json', import.meta.url)
const present = existsSync(file)
const cases: readonly Case[] = present ? JSON.parse(readFileSync(file, 'utf8')) : []

describe.skipIf(!present)('negotiation cases (skipped without ../shared/fixtures/ucp)', () => {
  it.each(cases.map((item) => [item.name, item] as const))('%s', (_name, item) => {
    expect(sorted(reportOf(item))).toEqual(sorted(item.expected))
  })

  it('gives byte-identical output for the same input [UCP-107]', () => {
    for (const item of cases) {
      expect(JSON.stringify(reportOf(item))).toBe(JSON.stringify(reportOf(item)))
    }
  })
})

function reportOf(item: Case): NegotiationReport {
  const { response_capabilities: responses, request_checks: checks } = item.expected
  return negotiateReport({
    business: item.business,
    platform: item.platform,
    documents: { ...item.documents, ...item.leaf_profiles },
    transports: item.transports,
    rules: toRules(item.rules),
    ...(item.fallback !== undefined && { fallback: item.fallback }),
    ...(responses && { respondTo: Object.keys(responses) }),
    ...(checks && { checkRequests: Object.keys(checks) }),
  })
}

// Diagnostics and unresolved operations are compared as multisets.
function sorted(report: NegotiationReport): unknown {
  const inOrder = (list: readonly unknown[]): unknown =>
    list.map((item) => JSON.stringify(Object.entries(item as object).sort())).sort()
  return {
    ...report,
    unresolved: inOrder(report.unresolved),
    diagnostics: inOrder(report.diagnostics),
  }
}
