import type { Extension, FunctionDefinition } from '../core/index.ts'
import { readAsyncMode } from '../extensions/async/index.ts'
import { readCacheDeclaration } from '../extensions/caching/index.ts'
import { type DeadlineExtensionOptions, deadlineExtension } from '../extensions/deadline/index.ts'
import {
  deprecationExtension,
  readDeprecationDeclaration,
} from '../extensions/deprecation/index.ts'
import { dryRunExtension } from '../extensions/dry-run/index.ts'
import { type LocaleExtensionOptions, localeExtension } from '../extensions/locale/index.ts'
import {
  type QueryExtensionOptions,
  queryExtension,
  toQueryParser,
} from '../extensions/query/index.ts'
import { type RedactExtensionOptions, redactExtension } from '../extensions/redact/index.ts'
import { type RetryExtensionOptions, retryExtension } from '../extensions/retry/index.ts'
import { simulationExtension } from '../extensions/simulation/index.ts'
import { streamExtension } from '../extensions/stream/index.ts'
import { type TracingExtensionOptions, tracingExtension } from '../extensions/tracing/index.ts'
import { diagnosticsExtension } from './diagnostics-extension.ts'
import { discoveryExtension } from './discovery-extension.ts'

/** Throws a TypeError for a declaration that an extension of ours would refuse at start. */
export function checkDeclarations(definition: FunctionDefinition): void {
  const declaring = { name: definition.name, definition, system: false }
  readAsyncMode(declaring)
  readCacheDeclaration(declaring, 0)
  readDeprecationDeclaration(declaring)
  if (definition.query !== undefined) toQueryParser(declaring)
}

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
