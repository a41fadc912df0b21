/** Maps the spellings in use to the canonical `urn:forrst:ext:name`. */
export function canonicalUrn(urn: string): string {
  const plain = urn.startsWith('urn:cline:forrst:ext:') ? urn.replace('cline:', '') : urn
  return plain === 'urn:forrst:ext:atomicLock' ? 'urn:forrst:ext:atomic-lock' : plain
}
