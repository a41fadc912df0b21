import type { DiscoveryDocument } from '../../discovery/index.ts'
import { asList, isRecord } from '../../values/index.ts'

/** Lists the servers of a document with the defaults of their variables filled in; unusable ones are left out. */
export function toServerUrls(document: DiscoveryDocument): readonly (readonly [string, string])[] {
  const found = new Map<string, string>()
  for (const server of asList(document.servers)) {
    if (!isRecord(server)) continue
    const { name, url, variables } = server
    if (typeof name !== 'string' || typeof url !== 'string' || found.has(name)) continue
    const filled = url.replace(/\{([^{}]*)\}/g, (whole, key: string) => {
      const variable = isRecord(variables) && Object.hasOwn(variables, key) ? variables[key] : {}
      const chosen = isRecord(variable) ? variable['default'] : undefined
      return typeof chosen === 'string' ? chosen : whole
    })
    if (name !== '__proto__' && !filled.includes('{')) found.set(name, filled)
  }
  return [...found]
}
