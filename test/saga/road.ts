// In-memory external system for the effects of saga steps. Each effect takes time to appear and to disappear. Any call
// may fail or be interrupted before or after its effect, and every effect is counted.
import type { Clock } from '../../src/base/clock.ts'
import { CodedError, type Remedy } from '../../src/base/errors.ts'
import type { SagaCallParts, SagaStep, StepObservation } from '../../src/saga/saga.ts'

export type Operation = 'verify' | 'remember' | 'run' | 'compensate'

interface Effect {
  readonly readyAtMs: number
  /** Set when its compensation has started. */
  readonly goneAtMs?: number
}

export interface RoadOptions {
  /** Time until each effect appears. */
  readonly comingMs?: number
  /** Time until it disappears. */
  readonly goingMs?: number
  /** Only the effect of this step takes time to appear. */
  readonly slow?: string | undefined
}

export class Road {
  /** Effects by saga and step: `to-north Load`. */
  readonly effects = new Map<string, Effect>()
  /** Calls such as `run to-north Load`, in order, without observations. */
  readonly calls: string[] = []
  /** Effects that were executed. */
  readonly deeds: string[] = []
  /** Calls for effects that were already there, or already gone. */
  readonly repeats: string[] = []
  looks = 0
  /** Called for each call before and after its effect; the caller gets a thrown error. */
  before: (operation: Operation, step: string) => void = () => {}
  after: (operation: Operation, step: string) => void = () => {}
  /** Calls that are always rejected: `run Unload`. */
  readonly refusals = new Set<string>()
  readonly #clock: Clock
  readonly #options: RoadOptions & { readonly comingMs: number; readonly goingMs: number }

  constructor(clock: Clock, options: RoadOptions = {}) {
    this.#clock = clock
    this.#options = { comingMs: 0, goingMs: 0, ...options }
  }

  /** Returns the steps of any saga whose effects exist. */
  get present(): readonly string[] {
    const nowMs = this.#clock.now()
    return [...this.effects]
      .filter(([, { goneAtMs }]) => goneAtMs === undefined || nowMs < goneAtMs)
      .map(([key]) => key)
  }

  /** Returns a step with its effect here; `over` changes its declaration. */
  step(name: string, over: Partial<SagaStep<object>> = {}): SagaStep<object> {
    const answer = <T>(operation: Operation, call: SagaCallParts, work: (key: string) => T): Promise<T> =>
      this.#answer(operation, { name, call }, work)
    return {
      name,
      verify: (call) => answer('verify', call, (key) => this.#sight(key, name)),
      run: (call) => answer('run', call, (key) => this.#run(key)),
      compensate: (call) => answer('compensate', call, (key) => this.#compensate(key)),
      ...over,
    }
  }

  async #answer<T>(
    operation: Operation,
    { name, call }: { readonly name: string; readonly call: SagaCallParts },
    work: (key: string) => T,
  ): Promise<T> {
    const key = `${call.id} ${name}`
    if (operation === 'verify') this.looks += 1
    else this.calls.push(`${operation} ${key}`)
    // The request takes effect even if the caller does not wait for the answer.
    await Promise.resolve()
    call.signal.throwIfAborted()
    this.before(operation, name)
    if (this.refusals.has(`${operation} ${name}`)) throw blocked('the road is closed', 'stop')
    const result = work(key)
    this.after(operation, name)
    return result
  }

  #sight(key: string, name: string): StepObservation {
    const effect = this.effects.get(key)
    const nowMs = this.#clock.now()
    if (effect === undefined || (effect.goneAtMs !== undefined && effect.goneAtMs <= nowMs)) return { kind: 'missing' }
    if (effect.goneAtMs !== undefined) return { kind: 'leaving', progress: 'going' }
    const leftMs = effect.readyAtMs - nowMs
    if (leftMs <= 0) return { kind: 'done', notes: { seal: `${name}-sealed` } }
    return { kind: 'pending', progress: `${Math.round(100 * (1 - leftMs / this.#options.comingMs))} %` }
  }

  #run(key: string): void {
    if (this.#isThere(key)) return void this.repeats.push(`run ${key}`)
    const { comingMs, slow } = this.#options
    const isSlow = slow === undefined || key.endsWith(slow)
    this.effects.set(key, { readyAtMs: this.#clock.now() + (isSlow ? comingMs : 0) })
    this.deeds.push(`run ${key}`)
  }

  #compensate(key: string): void {
    const effect = this.effects.get(key)
    if (effect === undefined || effect.goneAtMs !== undefined) return void this.repeats.push(`compensate ${key}`)
    this.effects.set(key, { ...effect, goneAtMs: this.#clock.now() + this.#options.goingMs })
    this.deeds.push(`compensate ${key}`)
  }

  #isThere(key: string): boolean {
    const effect = this.effects.get(key)
    return effect !== undefined && effect.goneAtMs === undefined
  }
}

/** Returns an error of the external system itself. */
export function blocked(message = 'the road is blocked', remedy: Remedy = 'retry'): CodedError {
  return new CodedError({ code: remedy === 'retry' ? 'RoadBlocked' : 'RoadClosed', message, remedy })
}
