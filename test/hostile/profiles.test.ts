import { describe, expect, it } from 'vitest'
import { readFallback, readProtocolError } from '../../src/capabilities/index.ts'
import { formatNegotiation, lintProfile, negotiateReport } from '../../src/entries/capabilities.ts'
import { findFaults, hostileCases } from '../support/property.ts'
import { RICH_DOCUMENTS, RICH_PROFILE } from './profiles.ts'

const ERROR_BODY = {
  code: 'version_unsupported',
  content: 'No.',
  continue_url: 'https://shop.example',
  error: { code: 'x', message: 'y' },
  messages: [{ type: 'error', code: 'x', content: 'c', severity: 'recoverable' }],
  ucp: { version: '2026-04-08', capabilities: { 'dev.ucp.a': [{ version: '2026-04-08' }] } },
}

describe('negotiation about what holds a hostile value at any place', { timeout: 120_000 }, () => {
  it('reads the profile of either side', async () => {
    const good = { business: RICH_PROFILE, platform: RICH_PROFILE, documents: RICH_DOCUMENTS }
    expect(negotiateReport(good)).toMatchObject({ outcome: 'ok' })
    const faults = await findFaults(hostileCases(RICH_PROFILE), (profile) => {
      formatNegotiation(negotiateReport({ ...good, business: profile }))
      formatNegotiation(negotiateReport({ ...good, platform: profile }))
      lintProfile(profile)
    })
    expect(faults).toEqual([])
  })

  it('reads the documents that profiles name', async () => {
    const faults = await findFaults(hostileCases(RICH_DOCUMENTS), (changed) => {
      const documents = changed as typeof RICH_DOCUMENTS
      formatNegotiation(
        negotiateReport({ business: RICH_PROFILE, platform: RICH_PROFILE, documents }),
      )
    })
    expect(faults).toEqual([])
  })

  it('reads errors and tables of operations', async () => {
    const faults = await findFaults(hostileCases(ERROR_BODY, 20), (body) => {
      readProtocolError(body)
      readFallback(body)
    })
    expect(faults).toEqual([])
  })
})
