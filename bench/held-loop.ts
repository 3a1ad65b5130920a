// Longest time in which this process blocked its event loop. It counts the processor time of its thread between two
// iterations of a permanent timer, so other load of the machine does not count. Garbage collections are reported
// separately.
import { PerformanceObserver } from 'node:perf_hooks'
import process from 'node:process'

export interface HeldLoop {
  /** The longest by processor time, and by the clock. */
  readonly heldMs: number
  readonly byClockMs: number
  /** The longest without its collections. */
  readonly ownMs: number
  /** The longest collection. */
  readonly collectionMs: number
}

interface Gap {
  readonly fromMs: number
  readonly toMs: number
  readonly heldMs: number
}

/** More gaps would change a maximum only by collections that overlap all of them. */
const keptGaps = 64

export class HeldLoopMeter {
  readonly #observer: PerformanceObserver
  #gaps: Gap[] = []
  #collections: { readonly fromMs: number; readonly toMs: number }[] = []
  #byClockMs = 0
  #timer: NodeJS.Timeout | undefined

  constructor() {
    this.#observer = new PerformanceObserver((list) => {
      for (const { startTime, duration } of list.getEntries())
        this.#collections.push({ fromMs: startTime, toMs: startTime + duration })
    })
    this.#observer.observe({ entryTypes: ['gc'] })
    this.#wait()
  }

  /** Returns the maxima since the last call. */
  async take(): Promise<HeldLoop> {
    // Entries of collections come one iteration later.
    await new Promise((resolve) => setTimeout(resolve, 20))
    const [gaps, collections, byClockMs] = [this.#gaps, this.#collections, this.#byClockMs]
    this.#gaps = []
    this.#collections = []
    this.#byClockMs = 0
    const collecting = ({ fromMs, toMs }: Gap) =>
      collections.reduce((sum, one) => sum + Math.max(0, Math.min(toMs, one.toMs) - Math.max(fromMs, one.fromMs)), 0)
    const most = (values: readonly number[]) => Math.max(0, ...values)
    return {
      heldMs: most(gaps.map(({ heldMs }) => heldMs)),
      byClockMs,
      ownMs: most(gaps.map((gap) => gap.heldMs - collecting(gap))),
      collectionMs: collections.reduce((longest, { fromMs, toMs }) => Math.max(longest, toMs - fromMs), 0),
    }
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#observer.disconnect()
  }

  #wait(): void {
    const fromMs = performance.now()
    const before = threadMs()
    this.#timer = setTimeout(() => {
      const toMs = performance.now()
      const byClockMs = toMs - fromMs
      this.#byClockMs = Math.max(this.#byClockMs, byClockMs)
      this.#keep({ fromMs, toMs, heldMs: Math.min(threadMs() - before, byClockMs) })
      this.#wait()
    }, 1)
  }

  #keep(gap: Gap): void {
    if (gap.heldMs < 2) return
    this.#gaps.push(gap)
    if (this.#gaps.length <= 2 * keptGaps) return
    this.#gaps = this.#gaps.toSorted((left, right) => right.heldMs - left.heldMs).slice(0, keptGaps)
  }
}

function threadMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}
