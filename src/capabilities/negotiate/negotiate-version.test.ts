import { describe, expect, it } from 'vitest'
import { CART, CHECKOUT, makeProfile, VERSION } from '../../../test/support/ucp.ts'
import { type NegotiateInput, negotiate } from './negotiate.ts'

describe('choosing the protocol version', () => {
  const LEAF = 'https://shop.example/.well-known/ucp/2026-01-23'
  const leaf = (members: object = {}): unknown => ({
    ucp: {
      version: '2026-01-23',
      capabilities: { [CHECKOUT]: [{ version: '2026-01-23' }] },
      ...members,
    },
  })
  const input = (document: unknown): NegotiateInput => ({
    business: makeProfile({ [CART]: {} }, { supported_versions: { '2026-01-23': LEAF } }),
    platform: {
      ucp: {
        version: '2026-01-23',
        capabilities: { [CHECKOUT]: [{ version: '2026-01-23' }], [CART]: [{ version: VERSION }] },
      },
    },
    document: (url) => (url === LEAF ? document : undefined),
  })

  it('uses the current profile when the versions are equal and asks for no leaf [UCP-35]', () => {
    const asked: string[] = []
    const business = makeProfile({ [CART]: {} }, { supported_versions: { '2026-01-23': LEAF } })
    const result = negotiate({
      business,
      platform: makeProfile({ [CART]: {} }),
      document: (url) => void asked.push(url),
    })
    expect(result.protocolVersion).toBe(VERSION)
    expect(asked).toEqual([])
  })

  it('uses the leaf alone [UCP-36] [UCP-41]', () => {
    const result = negotiate(input(leaf()))
    expect(result.protocolVersion).toBe('2026-01-23')
    expect([...result.active.keys()]).toEqual([CHECKOUT])
    expect(result.excluded.size).toBe(0)
  })

  it.each([
    [undefined, 'leaf_unavailable'],
    [{ ucp: 3 }, 'leaf_unavailable'],
    [{ ucp: { version: VERSION } }, 'leaf_version_mismatch'],
  ])('does not use the leaf %j [UCP-37]', (document, code) => {
    const result = negotiate(input(document))
    expect(result.outcome).toBe('version_unsupported')
    expect(result.diagnostics).toEqual([{ code, side: 'business' }])
  })

  it('reports a leaf that links further versions and never follows them [UCP-19]', () => {
    const asked: string[] = []
    const { business, platform } = input(undefined)
    const further = { '2026-01-11': 'https://shop.example/older' }
    const result = negotiate({
      business,
      platform,
      document: (url) => {
        asked.push(url)
        return leaf({ supported_versions: further })
      },
    })
    expect(asked).toEqual([LEAF])
    expect(result.outcome).toBe('ok')
    expect(result.diagnostics).toEqual([{ code: 'leaf_has_supported_versions', side: 'business' }])
  })

  it.each(['2026-04-07', '2026-04-09', '2025-01-01', '2030-01-01'])(
    'does not take %s for %s because it is older or newer [UCP-39] [UCP-40]',
    (version) => {
      const result = negotiate({
        business: makeProfile({ [CART]: {} }),
        platform: makeProfile({ [CART]: {} }, { version }),
      })
      expect(result).toMatchObject({ outcome: 'version_unsupported', protocolVersion: undefined })
    },
  )

  it('ignores links that are neither a date nor a URL', () => {
    const supported = { draft: LEAF, '2026-01-23': 7, '2026-01-11': 'nowhere' }
    const result = negotiate({
      business: makeProfile({ [CART]: {} }, { supported_versions: supported }),
      platform: makeProfile({ [CART]: {} }),
    })
    expect(result.diagnostics.map(({ field }) => field)).toEqual([
      '/ucp/supported_versions/draft',
      '/ucp/supported_versions/2026-01-23',
      '/ucp/supported_versions/2026-01-11',
    ])
  })
})
