import type { Extension } from '../core/extension.ts'
import { type DeadlineExtensionOptions, deadlineExtension } from './deadline.ts'
import { deprecationExtension } from './deprecation.ts'
import { diagnosticsExtension } from './diagnostics.ts'
import { discoveryExtension } from './discovery.ts'
import { dryRunExtension } from './dry-run.ts'
import { type LocaleExtensionOptions, localeExtension } from './locale.ts'
import { type QueryExtensionOptions, queryExtension } from './query.ts'
import { type RedactExtensionOptions, redactExtension } from './redact.ts'
import { type RetryExtensionOptions, retryExtension } from './retry.ts'
import { simulationExtension } from './simulation.ts'
import { streamExtension } from './stream.ts'
import { type TracingExtensionOptions, tracingExtension } from './tracing.ts'

/** How the standard extensions behave; `false` leaves one out. */
export interface DefaultExtensionOptions {
  readonly discovery?: false
  readonly diagnostics?: false
  readonly tracing?: TracingExtensionOptions | false
  readonly locale?: LocaleExtensionOptions | false
  readonly retry?: RetryExtensionOptions | false
  readonly deprecation?: false
  readonly redact?: RedactExtensionOptions | false
  readonly deadline?: DeadlineExtensionOptions | false
  readonly simulation?: false
  readonly dryRun?: false
  readonly query?: QueryExtensionOptions | false
  readonly stream?: false
}

/** Lists the extensions a service has unless it says otherwise: all that need no storage. */
export function defaultExtensions(options: DefaultExtensionOptions = {}): readonly Extension[] {
  return [
    options.discovery ?? discoveryExtension(),
    options.diagnostics ?? diagnosticsExtension(),
    options.tracing !== false && tracingExtension(options.tracing),
    options.locale !== false && localeExtension(options.locale),
    options.retry !== false && retryExtension(options.retry),
    options.deprecation ?? deprecationExtension(),
    options.redact !== false && redactExtension(options.redact),
    options.deadline !== false && deadlineExtension(options.deadline),
    options.simulation ?? simulationExtension(),
    options.dryRun ?? dryRunExtension(),
    options.query !== false && queryExtension(options.query),
    options.stream ?? streamExtension(),
  ].filter((extension) => extension !== false)
}
