import { isRecord } from '../core/json.ts'
import { formatPointer } from '../core/pointer.ts'
import type { FacetCollector } from './model.ts'

/** Adds what a call must prove: alternatives, each a set of schemes with scopes. */
export function addSecurity(security: unknown, pointer: string, facets: FacetCollector): void {
  const options = Array.isArray(security) ? security.filter(isRecord) : []
  const isOpen = options.length === 0 || options.some((option) => Object.keys(option).length === 0)
  if (!isOpen) {
    facets.add('auth', {
      rules: { added: 'auth-added', removed: 'auth-removed' },
      label: 'the need to authenticate',
      value: true,
      pointer,
    })
  }
  for (const [index, option] of options.entries()) {
    if (Object.keys(option).length === 0) continue
    const name = Object.keys(option).sort().join(' and ')
    facets.add(`auth option\u0000${name}`, {
      rules: { added: 'auth-option-added', removed: 'auth-option-removed' },
      label: `authentication by ${name}`,
      value: true,
      pointer: `${pointer}/${index}`,
    })
    for (const [scheme, scopes] of Object.entries(option)) {
      facets.addList(`scope ${name} ${scheme}`, scopes, {
        rules: { added: 'scope-added', removed: 'scope-removed' },
        label: `the scope of ${scheme}`,
        pointer: `${pointer}${formatPointer([String(index), scheme])}`,
      })
    }
  }
}
