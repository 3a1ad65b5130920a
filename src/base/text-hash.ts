// A fast, well-mixed hash of a text, the same in every process and version. It protects no secrets and resists no
// attack. Source: FNV-1a, and the finalizer of MurmurHash3 (both in the public domain).

/** 32 bits, as a whole number from 0. */
export function hashOf(text: string): number {
  let hash = 0x811c9dc5
  for (let index = 0; index < text.length; index++) {
    hash = Math.imul(hash ^ text.charCodeAt(index), 0x01000193)
  }
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b)
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35)
  return (hash ^ (hash >>> 16)) >>> 0
}
