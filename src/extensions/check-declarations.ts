import type { FunctionDefinition } from '../core/function.ts'
import { readAsyncMode } from './async-mode.ts'
import { readCacheDeclaration } from './cache-declaration.ts'
import { readDeprecationDeclaration } from './deprecation-notice.ts'
import { toQueryParser } from './query.ts'

/** Throws a TypeError for a declaration that an extension of ours would refuse at start. */
export function checkDeclarations(definition: FunctionDefinition): void {
  const declaring = { name: definition.name, definition, system: false }
  readAsyncMode(declaring)
  readCacheDeclaration(declaring, 0)
  readDeprecationDeclaration(declaring)
  if (definition.query !== undefined) toQueryParser(declaring)
}
