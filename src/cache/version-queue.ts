// Keys by the resourceVersion of their last write, the oldest first: a binary heap. Adding and taking cost O(log n), so
// that catching up with n own writes costs O(n log n). All versions are comparable.
import type { Key } from '../object/ref.ts'
import { compareVersions, hasReached } from './resource-version.ts'

interface Entry {
  readonly resourceVersion: string
  readonly key: Key
}

export class VersionQueue {
  /** Invariant: every entry is no older than its parent, the one at (index - 1) / 2. */
  readonly #entries: Entry[] = []

  /** A key may be present several times. */
  add(key: Key, resourceVersion: string): void {
    const entries = this.#entries
    const added = { key, resourceVersion }
    let hole = entries.push(added) - 1
    while (hole > 0) {
      const parent = (hole - 1) >> 1
      const above = entries[parent]
      if (above === undefined || !isOlder(added, above)) break
      entries[hole] = above
      hole = parent
    }
    entries[hole] = added
  }

  /** Removes and returns an entry no newer than `resourceVersion`; undefined if there is none. */
  takeReached(resourceVersion: string): Entry | undefined {
    const [oldest] = this.#entries
    if (oldest === undefined || !hasReached(resourceVersion, oldest.resourceVersion)) return undefined
    const last = this.#entries.pop()
    if (last !== undefined && this.#entries.length > 0) this.#sink(last)
    return oldest
  }

  clear(): void {
    this.#entries.length = 0
  }

  /** Places the entry, from the root down. */
  #sink(entry: Entry): void {
    const entries = this.#entries
    let hole = 0
    for (;;) {
      const left = 2 * hole + 1
      const [leftEntry, rightEntry] = [entries[left], entries[left + 1]]
      const isRight = leftEntry !== undefined && rightEntry !== undefined && isOlder(rightEntry, leftEntry)
      const child = isRight ? rightEntry : leftEntry
      if (child === undefined || !isOlder(child, entry)) break
      entries[hole] = child
      hole = isRight ? left + 1 : left
    }
    entries[hole] = entry
  }
}

function isOlder(left: Entry, right: Entry): boolean {
  return compareVersions(left.resourceVersion, right.resourceVersion) === 'older'
}
