// Keys of one priority, in line. Groups, e.g. namespaces, are served in turns; within a group keys are served in the order in which they
// joined. Joining, leaving and being served cost O(1), plus one step for each group that is passed over.
import { ReadyLine } from './ready-line.ts'

export class FairLine<K extends string> {
  readonly #groupOf: (key: K) => string
  /** Groups with keys, the next one first. */
  readonly #groups = new Map<string, ReadyLine<K>>()
  #size = 0

  constructor(groupOf: (key: K) => string) {
    this.#groupOf = groupOf
  }

  get size(): number {
    return this.#size
  }

  /** Joins at the end of its group; a key that is in line keeps its place. */
  join(key: K): void {
    const group = this.#groupOf(key)
    const line = this.#groups.get(group) ?? new ReadyLine<K>()
    const before = line.size
    line.join(key)
    this.#size += line.size - before
    this.#groups.set(group, line)
  }

  /** Leaves the line; false if the key was not in it. */
  leave(key: K): boolean {
    const group = this.#groupOf(key)
    const line = this.#groups.get(group)
    if (line?.leave(key) !== true) return false
    this.#size--
    if (line.size === 0) this.#groups.delete(group)
    return true
  }

  /** The key that is next, of the groups that may be served. It stays in line. */
  next(mayServe: (group: string) => boolean): K | undefined {
    for (const [group, line] of this.#groups) if (mayServe(group)) return line.first
    return undefined
  }

  /** Takes out the key. Its group is served again after all others. */
  serve(key: K): void {
    const group = this.#groupOf(key)
    const line = this.#groups.get(group)
    if (line === undefined || !this.leave(key)) return
    this.#groups.delete(group)
    if (line.size > 0) this.#groups.set(group, line)
  }

  /** Does a group other than this one have keys in line? */
  hasOther(group: string): boolean {
    return this.#groups.size > (this.#groups.has(group) ? 1 : 0)
  }

  clear(): void {
    this.#groups.clear()
    this.#size = 0
  }
}
