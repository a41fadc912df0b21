import type { OfferedVersions } from './read-profile.ts'

/** Which protocol version two parties use, and where its profile is when it is not the current one. */
export type VersionChoice =
  | { readonly found: true; readonly version: string; readonly leaf: string | undefined }
  | { readonly found: false; readonly offered: readonly string[] }

/** Chooses the latest protocol version that the business offers and the caller speaks; only equality counts. */
export function selectVersion(business: OfferedVersions, spoken: readonly string[]): VersionChoice {
  const { version, supportedVersions } = business
  const shared = spoken.filter((date) => date === version || supportedVersions.has(date)).sort()
  const chosen = shared.at(-1)
  if (chosen === undefined) {
    return { found: false, offered: [...new Set([version, ...supportedVersions.keys()])].sort() }
  }
  const leaf = chosen === version ? undefined : supportedVersions.get(chosen)
  return { found: true, version: chosen, leaf }
}
