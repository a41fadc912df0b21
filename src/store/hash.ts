/** Spreads text evenly over the numbers below `buckets`; the same in every process and every version (FNV-1a). */
export function toBucket(text: string, buckets: number): number {
  let hash = 0x811c9dc5
  for (let at = 0; at < text.length; at++) {
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193)
  }
  return (hash >>> 0) % buckets
}
