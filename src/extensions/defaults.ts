import type { Extension } from '../core/extension.ts'
import { discoveryExtension } from './discovery.ts'

/** Lists the extensions a service has unless it says otherwise: all that need no storage. */
export function defaultExtensions(): readonly Extension[] {
  return [discoveryExtension()]
}
