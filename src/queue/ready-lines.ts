// Which of the ready keys is served next? The first of the most urgent line, but no line is passed over for ever: after
// `maxPasses` services of more urgent keys its first key gets one. So an endless stream of urgent work takes at most that
// share, and a key at place n of any line is served within about n × (maxPasses + 2) services.
import { isMoreUrgent, type Priority, priorities } from './priority.ts'
import { ReadyLine } from './ready-line.ts'

export const maxPasses = 9

export interface Served<K extends string> {
  readonly key: K
  readonly priority: Priority
}

interface Counter<K extends string> {
  readonly priority: Priority
  readonly line: ReadyLine<K>
  /** How often a more urgent line was served while somebody waited in this one. */
  passes: number
}

export class ReadyLines<K extends string> {
  /** In order of urgency. */
  readonly #counters: readonly Counter<K>[] = priorities.map((priority) => ({
    priority,
    line: new ReadyLine(),
    passes: 0,
  }))

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

  /** Takes out the key whose service it is. */
  serve(): Served<K> | undefined {
    const waiting = this.#counters.filter(({ line }) => line.size > 0)
    const served = waiting.find(({ passes }) => passes >= maxPasses) ?? waiting[0]
    const key = served?.line.first
    if (served === undefined || key === undefined) return undefined
    for (const counter of this.#counters) {
      if (counter === served || counter.line.size === 0) counter.passes = 0
      else if (isMoreUrgent(served.priority, counter.priority)) counter.passes++
    }
    served.line.leave(key)
    return { key, priority: served.priority }
  }

  clear(): void {
    for (const counter of this.#counters) {
      counter.line.clear()
      counter.passes = 0
    }
  }

  #lineOf(priority: Priority): ReadyLine<K> | undefined {
    return this.#counters.find((counter) => counter.priority === priority)?.line
  }
}
