import {
  DIAGNOSTICS,
  type Diagnostic,
  type DiagnosticSeverity,
} from '../../../src/capabilities/diagnostic.ts'
import { negotiate } from '../../../src/capabilities/negotiate/negotiate.ts'
import { resolveOperations } from '../../../src/capabilities/negotiate/operations.ts'
import { readVersions } from '../../../src/capabilities/profile/read.ts'
import { toReason } from '../../../src/values/json.ts'
import { buildPicture, type Picture } from './capability-picture.ts'
import type { Business } from './negotiation.ts'

/** A remark about a profile, for people. */
export interface Remark {
  readonly severity: DiagnosticSeverity
  /** Whose profile and which member of it, or what else the remark is about. */
  readonly place: string
  readonly message: string
}

/** What a pasted platform profile comes to. */
export type Judgement =
  | { readonly state: 'empty' }
  | { readonly state: 'refused'; readonly headline: string; readonly remarks: readonly Remark[] }
  | {
      readonly state: 'judged'
      readonly headline: string
      readonly picture: Picture
      readonly remarks: readonly Remark[]
    }

/** More than any profile needs, and little enough to stay immediate. */
export const MAX_PROFILE_LENGTH = 1_048_576

/** Negotiates between the service and the profile in a text; says what is wrong, never throws. */
export function judgeProfile(text: string, business: Business): Judgement {
  const trimmed = text.trim()
  if (trimmed === '') return { state: 'empty' }
  if (trimmed.length > MAX_PROFILE_LENGTH) {
    return refuse('The profile is too long', 'It has more than 1,048,576 characters.')
  }
  if (/^https?:\/\/\S+$/.test(trimmed)) {
    return refuse(
      'This is an address, not a profile',
      'Paste what is there: this page talks to nobody but its own server.',
    )
  }
  const parsed = parse(trimmed)
  if ('problem' in parsed) return refuse('This is not JSON', parsed.problem)
  return judge(parsed.value, business)
}

function judge(platform: unknown, { profile, documents, allowLoopback }: Business): Judgement {
  const negotiation = negotiate({
    business: profile,
    platform,
    document: documents.find,
    allowLoopback,
  })
  const { outcome, parties, diagnostics } = negotiation
  if (outcome === 'version_unsupported') {
    const remarks = [explainVersions(profile, platform), ...diagnostics.map(toRemark)]
    return { state: 'refused', headline: 'No protocol version is shared', remarks }
  }
  if (parties === undefined) {
    const remarks = diagnostics.map(toRemark)
    return { state: 'refused', headline: 'This profile cannot be used', remarks }
  }
  const picture = buildPicture(negotiation, parties, resolveOperations(negotiation, { documents }))
  const headline =
    outcome === 'ok' ? 'The two can work together' : 'The two have no capability in common'
  return { state: 'judged', headline, picture, remarks: picture.remarks.map(toRemark) }
}

function explainVersions(business: unknown, platform: unknown): Remark {
  const { offered } = readVersions(business, 'business')
  const spoken = readVersions(platform, 'platform').offered
  const versions = [offered?.version ?? '', ...(offered?.supportedVersions.keys() ?? [])]
  return {
    severity: 'error',
    place: 'platform /ucp/version',
    message: `the platform speaks ${spoken?.version}, this service ${versions.join(', ')}`,
  }
}

function toRemark(diagnostic: Diagnostic): Remark {
  const { severity, message } = DIAGNOSTICS[diagnostic.code]
  const { side, field, capability, service, transport, operation } = diagnostic
  // A pointer already holds the names.
  const subject = field === undefined ? [capability, service, transport, operation] : [field || '/']
  const place = [side, ...subject].filter((part) => part !== undefined).join(' ')
  return { severity, place, message }
}

function refuse(headline: string, message: string): Judgement {
  return { state: 'refused', headline, remarks: [{ severity: 'error', place: '', message }] }
}

function parse(text: string): { readonly value: unknown } | { readonly problem: string } {
  try {
    return { value: JSON.parse(text) as unknown }
  } catch (thrown) {
    return { problem: toReason(thrown) }
  }
}
