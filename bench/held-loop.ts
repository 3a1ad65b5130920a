// Longest time in which this process blocked its event loop. It counts the processor time of its thread between two
// iterations of a permanent timer, so other load of the machine does not count. A profile separates collections of the
// heap, because performance entries lack the steps of incremental marking.
import { Session } from 'node:inspector/promises'
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

interface Sampled {
  readonly atMs: number
  readonly isCollection: boolean
}

/** More gaps would change a maximum only by collections that overlap all of them. */
const keptGaps = 64
const sampleUs = 1_000
/** Fewer samples in a gap prove nothing about its collections. */
const fewestSamples = 5

export class HeldLoopMeter {
  readonly #observer: PerformanceObserver
  readonly #session = new Session()
  #gaps: Gap[] = []
  #longestCollectionMs = 0
  #byClockMs = 0
  #timer: NodeJS.Timeout | undefined

  private constructor() {
    this.#observer = new PerformanceObserver((list) => {
      for (const { duration } of list.getEntries())
        this.#longestCollectionMs = Math.max(this.#longestCollectionMs, duration)
    })
    this.#observer.observe({ entryTypes: ['gc'] })
  }

  static async start(): Promise<HeldLoopMeter> {
    const meter = new HeldLoopMeter()
    meter.#session.connect()
    await meter.#session.post('Profiler.enable')
    await meter.#session.post('Profiler.setSamplingInterval', { interval: sampleUs })
    await meter.#begin()
    return meter
  }

  /** Returns the maxima since the last call. The time of the call itself is not measured. */
  async take(): Promise<HeldLoop> {
    clearTimeout(this.#timer)
    const samples = await this.#samples()
    const most = (values: readonly number[]) => Math.max(0, ...values)
    const held = {
      heldMs: most(this.#gaps.map(({ heldMs }) => heldMs)),
      byClockMs: this.#byClockMs,
      ownMs: most(this.#gaps.map((gap) => ownMsOf(gap, samples))),
      collectionMs: this.#longestCollectionMs,
    }
    await this.#begin()
    return held
  }

  stop(): void {
    clearTimeout(this.#timer)
    this.#observer.disconnect()
    this.#session.disconnect()
  }

  /** The start of a profile blocks the loop by itself, for half a second in a large program. */
  async #begin(): Promise<void> {
    await this.#session.post('Profiler.start')
    this.#gaps = []
    this.#byClockMs = 0
    this.#longestCollectionMs = 0
    this.#wait()
  }

  async #samples(): Promise<readonly Sampled[]> {
    const { profile } = await this.#session.post('Profiler.stop')
    const collecting = new Set(
      profile.nodes.filter(({ callFrame }) => callFrame.functionName === '(garbage collector)').map(({ id }) => id),
    )
    // Both clocks count monotonic time; the profile's in microseconds since the start of the machine.
    const originMs = Number(process.hrtime.bigint()) / 1_000_000 - performance.now()
    let atMs = profile.startTime / 1_000 - originMs
    return (profile.samples ?? []).map((id, index) => {
      atMs += (profile.timeDeltas?.[index] ?? 0) / 1_000
      return { atMs, isCollection: collecting.has(id) }
    })
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

/** Processor time of the gap in proportion to its samples outside of collections. */
function ownMsOf({ fromMs, toMs, heldMs }: Gap, samples: readonly Sampled[]): number {
  const inside = samples.filter(({ atMs }) => atMs >= fromMs && atMs <= toMs)
  if (inside.length < fewestSamples) return heldMs
  return (heldMs * inside.filter(({ isCollection }) => !isCollection).length) / inside.length
}

function threadMs(): number {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1_000
}
