// Waiting keys of one priority. Groups, such as namespaces, are served round-robin; within a group keys are served in
// the order of arrival. Joining, leaving and serving cost O(1), plus one step for each skipped group.
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

  /** Adds the key at the end of its group; a waiting key keeps its position. */
  join(key: K): void {
    const group = this.#groupOf(key)
    const line = this.#groups.get(group) ?? new ReadyLine<K>()
    const before = line.size
    line.join(key)
    this.#size += line.size - before
    this.#groups.set(group, line)
  }

  /** Removes the key; false if it was not waiting. */
  leave(key: K): boolean {
    const group = this.#groupOf(key)
    const line = this.#groups.get(group)
    if (line?.leave(key) !== true) return false
    this.#size--
    if (line.size === 0) this.#groups.delete(group)
    return true
  }

  /** Returns the next key of the groups that may be served, without removing it. */
  next(mayServe: (group: string) => boolean): K | undefined {
    for (const [group, line] of this.#groups) if (mayServe(group)) return line.first
    return undefined
  }

  /** Removes the key. Its group is served again after all others. */
  serve(key: K): void {
    const group = this.#groupOf(key)
    const line = this.#groups.get(group)
    if (line === undefined || !this.leave(key)) return
    this.#groups.delete(group)
    if (line.size > 0) this.#groups.set(group, line)
  }

  /** True if a group other than this one has waiting keys. */
  hasOther(group: string): boolean {
    return this.#groups.size > (this.#groups.has(group) ? 1 : 0)
  }

  clear(): void {
    this.#groups.clear()
    this.#size = 0
  }
}
