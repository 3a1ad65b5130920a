// Ready keys by priority and, within a priority, by group, round-robin. The most urgent line is served first.
// Invariant: no line starves. After `maxPasses` services of more urgent keys, its next key is served, so urgent work
// takes at most that share.
// A group that may not be served now is skipped.
import { FairLine } from './fair-line.ts'
import type { PlaceRequest } from './places.ts'
import { isMoreUrgent, type Priority, priorities } from './priority.ts'

export const maxPasses = 9

export interface Served<K extends string> {
  readonly key: K
  readonly priority: Priority
}

/** True if a key of this group may be served now. */
export type MayServe = (request: PlaceRequest) => boolean

const always: MayServe = () => true

interface Counter<K extends string> {
  readonly priority: Priority
  readonly line: FairLine<K>
  /** Number of services of a more urgent line while keys waited in this one. */
  passes: number
}

export class ReadyLines<K extends string> {
  /** In order of urgency. */
  readonly #counters: readonly Counter<K>[]

  /** Default: all keys are in one group. */
  constructor(groupOf: (key: K) => string = () => '') {
    this.#counters = priorities.map((priority) => ({ priority, line: new FairLine(groupOf), passes: 0 }))
  }

  get isEmpty(): boolean {
    return this.#counters.every(({ line }) => line.size === 0)
  }

  sizeOf(priority: Priority): number {
    return this.#lineOf(priority)?.size ?? 0
  }

  join(key: K, priority: Priority): void {
    this.#lineOf(priority)?.join(key)
  }

  leave(key: K, priority: Priority): boolean {
    return this.#lineOf(priority)?.leave(key) ?? false
  }

  /** True if there is a key that may be served. */
  canServe(mayServe: MayServe): boolean {
    return this.#next(mayServe) !== undefined
  }

  /** Removes and returns the next key. */
  serve(mayServe: MayServe = always): Served<K> | undefined {
    const next = this.#next(mayServe)
    if (next === undefined) return undefined
    const { served, key } = next
    for (const counter of this.#counters) {
      if (counter === served || counter.line.size === 0) counter.passes = 0
      else if (isMoreUrgent(served.priority, counter.priority)) counter.passes++
    }
    served.line.serve(key)
    return { key, priority: served.priority }
  }

  clear(): void {
    for (const counter of this.#counters) {
      counter.line.clear()
      counter.passes = 0
    }
  }

  #next(mayServe: MayServe): { readonly served: Counter<K>; readonly key: K } | undefined {
    const isImpatient = ({ passes }: Counter<K>) => passes >= maxPasses
    const waiting = this.#counters.filter(({ line }) => line.size > 0)
    const othersWait = (group: string) => waiting.some(({ line }) => line.hasOther(group))
    const mayServeGroup = (group: string) => mayServe({ group, othersWait: othersWait(group) })
    for (const served of [...waiting.filter(isImpatient), ...waiting.filter((counter) => !isImpatient(counter))]) {
      const key = served.line.next(mayServeGroup)
      if (key !== undefined) return { served, key }
    }
    return undefined
  }

  #lineOf(priority: Priority): FairLine<K> | undefined {
    return this.#counters.find((counter) => counter.priority === priority)?.line
  }
}
