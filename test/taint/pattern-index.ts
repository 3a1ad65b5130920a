// Set of patterns that finds all their occurrences in a text. One pass over the text for any number of patterns
// (Rabin-Karp).
import { minPatternLength } from './secret-patterns.ts'

const base = 257
const bloomBits = 16
/** Weight of the character that leaves the window. */
const leaving = Array.from({ length: minPatternLength - 1 }).reduce<number>((weight) => Math.imul(weight, base), 1)

export interface PatternMatch<Owner> {
  readonly owner: Owner
  readonly pattern: string
  readonly index: number
}

export class PatternIndex<Owner> {
  readonly #bloom = new Uint8Array(1 << bloomBits)
  /** Patterns by their first characters. */
  readonly #patterns = new Map<string, Map<string, Owner>>()

  get isEmpty(): boolean {
    return this.#patterns.size === 0
  }

  /** Adds a pattern. The first owner of a pattern keeps it. */
  add(pattern: string, owner: Owner): void {
    const head = pattern.slice(0, minPatternLength)
    const patterns = this.#patterns.get(head) ?? new Map<string, Owner>()
    this.#patterns.set(head, patterns)
    if (!patterns.has(pattern)) patterns.set(pattern, owner)
    let hash = 0
    for (let index = 0; index < minPatternLength; index++) hash = pushed(hash, pattern.charCodeAt(index))
    this.#bloom[slotOf(hash)] = 1
  }

  /** Returns every match in order of the text. Linear in the text. */
  matches(text: string): readonly PatternMatch<Owner>[] {
    const found: PatternMatch<Owner>[] = []
    let hash = 0
    for (let end = 0; end < text.length; end++) {
      if (end >= minPatternLength) hash = (hash - Math.imul(text.charCodeAt(end - minPatternLength), leaving)) | 0
      hash = pushed(hash, text.charCodeAt(end))
      if (this.#bloom[slotOf(hash)] === 0 || end < minPatternLength - 1) continue
      const index = end - minPatternLength + 1
      for (const [pattern, owner] of this.#patterns.get(text.slice(index, end + 1)) ?? [])
        if (text.startsWith(pattern, index)) found.push({ owner, pattern, index })
    }
    return found
  }
}

function pushed(hash: number, code: number): number {
  return (Math.imul(hash, base) + code) | 0
}

function slotOf(hash: number): number {
  return (Math.imul(hash, 0x9e3779b1) >>> (32 - bloomBits)) >>> 0
}
