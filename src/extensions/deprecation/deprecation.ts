import {
  addReplyHeader,
  type Call,
  type Extension,
  type ExtensionCall,
  type Outcome,
  readTexts,
  type Target,
} from '../../core/index.ts'
import { andThen, type JsonObject } from '../../values/index.ts'
import {
  DEPRECATION_URN,
  type DeprecationDeclaration,
  type DeprecationNotice,
  hasMember,
  toNotice,
  toVersionWarning,
} from './notice.ts'

/** Creates the extension that warns callers of what will go away. */
export function deprecationExtension(): Extension {
  const notices = new WeakMap<Target, DeprecationNotice>()
  const noticeOf = (target: Target): DeprecationNotice => {
    const notice = notices.get(target) ?? toNotice(target)
    notices.set(target, notice)
    return notice
  }
  let announcedAt: number | undefined

  return {
    urn: DEPRECATION_URN,
    version: '1.0.0',
    phase: 'observe',
    order: -20,
    joins: (target) =>
      noticeOf(target).arguments.length > 0 || target.definition.deprecated !== undefined,
    around(exchange, next) {
      const acknowledged = new Set(readTexts(exchange, 'acknowledge'))
      const { call, target, service, declared, answer } = exchange
      const notice = noticeOf(target)
      announcedAt ??= service.clock.now()
      if (target.definition.deprecated) announce(call, target, notice.declaration, announcedAt)
      return andThen(next(call), (outcome) => {
        const warnings = collectWarnings(exchange, notice, outcome).filter(
          ({ urn }) => !acknowledged.has(urn as string),
        )
        if (declared || warnings.length > 0) answer({ warnings })
        return outcome
      })
    },
  }
}

function collectWarnings(
  { call, target, service, declared }: ExtensionCall,
  notice: DeprecationNotice,
  outcome: Outcome,
): readonly JsonObject[] {
  const used = notice.arguments.filter(({ path }) => hasMember(call.arguments, path))
  // Nobody is bothered with members of the result unless they asked for warnings.
  const given =
    declared && outcome.ok
      ? notice.fields.filter(({ path }) => hasMember(outcome.result, path))
      : []
  const about = [...used, ...given].map(({ warning }) => warning)
  return target.definition.deprecated === undefined
    ? about
    : [toVersionWarning(target, notice.declaration, service.registry), ...about]
}

/** Says it once more where gateways look: `meta`, RFC 9745 and RFC 8594. */
function announce(
  { reply }: Call,
  { definition }: Target,
  { since, documentation }: DeprecationDeclaration,
  announcedAt: number,
): void {
  const { deprecated = {} } = definition
  reply.meta ??= {}
  reply.meta['deprecated'] = { ...deprecated }
  const sunset = deprecated.sunset === undefined ? Number.NaN : Date.parse(deprecated.sunset)
  const start = since === undefined ? announcedAt : Date.parse(since)
  // RFC 9745: the sunset must not come before the deprecation.
  const date = Number.isNaN(sunset) ? start : Math.min(start, sunset)
  addReplyHeader(reply, 'deprecation', `@${Math.floor(date / 1000)}`)
  if (!Number.isNaN(sunset)) addReplyHeader(reply, 'sunset', new Date(sunset).toUTCString())
  if (documentation !== undefined) {
    addReplyHeader(reply, 'link', `<${new URL(documentation).href}>; rel="deprecation"`)
  }
}
