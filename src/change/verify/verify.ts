import type { Service } from '../../core/index.ts'
import { type App, allSurfaces, createApp } from '../../http/index.ts'
import { type Door, toLocalDoor, toRemoteDoor } from './door.ts'
import { createRecorder, type Exchange } from './exchange.ts'
import { type Finding, type FindingFacts, toFinding } from './finding.ts'
import { verifyCalls, verifySimulations } from './rules/calls.ts'
import { type ExtensionVerdict, verifyExtensions } from './rules/extensions.ts'
import { verifyQueries } from './rules/query.ts'
import {
  verifyDeprecations,
  verifyDocument,
  verifyDocuments,
  verifyLimits,
  verifySystem,
  verifyVersions,
} from './rules/service.ts'
import { nameOf, openSubject, type Subject } from './subject.ts'

/** What examining a service may do. */
export interface VerifyOptions {
  /** Also calls functions with side effects; they are skipped when absent. */
  readonly allowEffects?: boolean
  /** Names of functions, or what they begin with; all when absent. */
  readonly only?: readonly string[]
  /** Sent with every request to a URL. */
  readonly headers?: Readonly<Record<string, string>>
  /** Runs before each part. */
  readonly onProgress?: (part: string) => void
  /** Gets every exchange as it happens. */
  readonly onExchange?: (exchange: Exchange) => void
}

/** What came out. */
export interface VerifyReport {
  /** True when no finding is an error. */
  readonly ok: boolean
  readonly findings: readonly Finding[]
  /** How many calls were made. */
  readonly exchanges: number
  /** Functions that were not called, because they have side effects. */
  readonly skipped: readonly string[]
  /** What the service says and nothing could prove: errors nobody provoked, extensions no function accepts. */
  readonly unproven: readonly string[]
}

/** Exercises everything a service says about itself: a service, an app, or the URL of a Forrst endpoint. */
export async function verifyService(
  target: Service | App | string | URL,
  options: VerifyOptions = {},
): Promise<VerifyReport> {
  let exchanges = 0
  const seen = new Set<string>()
  const door = createRecorder(toDoor(target, options), (exchange) => {
    exchanges += 1
    for (const code of exchange.codes) seen.add(`${exchange.function} ${code}`)
    options.onExchange?.(exchange)
  })
  const { allowEffects = false, only = [] } = options
  const subject = await openSubject(door, { allowEffects, only })
  const findings: Finding[] = []
  const unproven: string[] = []
  for (const [part, rule] of Object.entries(PARTS)) {
    options.onProgress?.(part)
    const found = await collect(rule(subject))
    findings.push(...found.findings)
    unproven.push(...found.unproven)
  }
  return {
    ok: findings.every(({ severity }) => severity !== 'error'),
    findings,
    exchanges,
    skipped: [...new Set(subject.spared.map(({ definition }) => nameOf(definition)))],
    unproven: [...unproven, ...listUnseen(subject, seen)],
  }
}

/** Throws an error that lists the findings when a service does not keep what it says; for tests. */
export async function assertVerified(
  target: Service | App | string | URL,
  options: VerifyOptions = {},
): Promise<VerifyReport> {
  const report = await verifyService(target, options)
  if (report.ok) return report
  const lines = report.findings.map(({ rule, sentence }) => `  ${rule}: ${sentence}`)
  throw new Error(`the service does not keep what it says:\n${lines.join('\n')}`)
}

/** Most rules prove all they look at and give nothing at their end. */
type PartRule = (subject: Subject) => AsyncGenerator<FindingFacts, ExtensionVerdict | undefined>

const PARTS: Readonly<Record<string, PartRule>> = {
  document: verifyDocument,
  system: verifySystem,
  documents: verifyDocuments,
  versions: verifyVersions,
  calls: verifyCalls,
  simulations: verifySimulations,
  deprecations: verifyDeprecations,
  queries: verifyQueries,
  extensions: verifyExtensions,
  limits: verifyLimits,
}

async function collect(
  generator: ReturnType<PartRule>,
): Promise<{ readonly findings: readonly Finding[]; readonly unproven: readonly string[] }> {
  const findings: Finding[] = []
  for (;;) {
    const step = await generator.next()
    if (step.done === true) return { findings, unproven: step.value?.unproven ?? [] }
    findings.push(toFinding(step.value))
  }
}

/** Creates the way into what is to be examined. */
export function toDoor(target: Service | App | string | URL, options: VerifyOptions): Door {
  if (typeof target === 'string' || target instanceof URL) {
    if (!URL.canParse(String(target))) throw new TypeError(`"${target}" is not a URL`)
    const url = new URL(target)
    if (url.pathname === '/') url.pathname = '/forrst'
    return toRemoteDoor(url, options.headers ?? {})
  }
  return toLocalDoor('handle' in target ? target : createApp(target, { surfaces: allSurfaces() }))
}

/** Declared errors that no call of this run ended with. */
function listUnseen({ definitions }: Subject, seen: ReadonlySet<string>): readonly string[] {
  return definitions.flatMap((definition) =>
    (definition.errors ?? []).flatMap((error) =>
      'code' in error && !seen.has(`${definition.name} ${error.code}`)
        ? [`${nameOf(definition)} ${error.code}`]
        : [],
    ),
  )
}
