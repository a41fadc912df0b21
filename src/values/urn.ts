const PREFIX = 'urn:forrst:ext:'

/** Makes the canonical URN of an extension from its name: `deadline`. */
export function extensionUrn(name: string): string {
  return `${PREFIX}${name}`
}

/** Gives the name of an extension for people, from its URN in any spelling: `deadline`. */
export function extensionName(urn: string): string {
  return canonicalUrn(urn).replace(PREFIX, '')
}

/** Maps the spellings in use to the canonical `urn:forrst:ext:name`. */
export function canonicalUrn(urn: string): string {
  const plain = urn.startsWith('urn:cline:forrst:ext:') ? urn.replace('cline:', '') : urn
  return plain === `${PREFIX}atomicLock` ? `${PREFIX}atomic-lock` : plain
}
