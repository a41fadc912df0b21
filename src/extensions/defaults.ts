import type { Extension } from '../core/extension.ts'
import { deadlineExtension } from './deadline.ts'
import { deprecationExtension } from './deprecation.ts'
import { diagnosticsExtension } from './diagnostics.ts'
import { discoveryExtension } from './discovery.ts'
import { dryRunExtension } from './dry-run.ts'
import { localeExtension } from './locale.ts'
import { redactExtension } from './redact.ts'
import { retryExtension } from './retry.ts'
import { simulationExtension } from './simulation.ts'
import { tracingExtension } from './tracing.ts'

/** Lists the extensions a service has unless it says otherwise: all that need no storage. */
export function defaultExtensions(): readonly Extension[] {
  return [
    discoveryExtension(),
    diagnosticsExtension(),
    tracingExtension(),
    localeExtension(),
    retryExtension(),
    deprecationExtension(),
    redactExtension(),
    deadlineExtension(),
    simulationExtension(),
    dryRunExtension(),
  ]
}
