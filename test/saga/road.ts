// A place in the world where the steps of sagas have their effects, in memory: each takes its time to come about and to go, any call may
// fail or be cut off before or after it did its work, and every effect is counted.
import type { Clock } from '../../src/base/clock.ts'
import { CodedError, type Remedy } from '../../src/base/errors.ts'
import type { SagaCallParts, SagaStep, Sight } from '../../src/saga/saga.ts'

export type Operation = 'verify' | 'remember' | 'run' | 'compensate'

interface Effect {
  readonly readyAtMs: number
  /** Set once it is being taken back. */
  readonly goneAtMs?: number
}

export interface RoadOptions {
  /** How long each effect takes to come about. */
  readonly comingMs?: number
  /** How long it takes to go. */
  readonly goingMs?: number
  /** Only this step's effect takes its time to come about. */
  readonly slow?: string | undefined
}

export class Road {
  /** By undertaking and step: `to-north Load`. */
  readonly effects = new Map<string, Effect>()
  /** `run to-north Load`, in the order in which they were asked for; looks are left out. */
  readonly calls: string[] = []
  /** What was really done. */
  readonly deeds: string[] = []
  /** Calls for what was there already, or gone. */
  readonly repeats: string[] = []
  looks = 0
  /** Called with each call before it has an effect, and after; a throw is what the caller gets. */
  before: (operation: Operation, step: string) => void = () => {}
  after: (operation: Operation, step: string) => void = () => {}
  /** What will not be done, whoever asks: `run Unload`. */
  readonly refusals = new Set<string>()
  readonly #clock: Clock
  readonly #options: RoadOptions & { readonly comingMs: number; readonly goingMs: number }

  constructor(clock: Clock, options: RoadOptions = {}) {
    this.#clock = clock
    this.#options = { comingMs: 0, goingMs: 0, ...options }
  }

  /** The steps whose effects are there, of any undertaking. */
  get present(): readonly string[] {
    const nowMs = this.#clock.now()
    return [...this.effects]
      .filter(([, { goneAtMs }]) => goneAtMs === undefined || nowMs < goneAtMs)
      .map(([key]) => key)
  }

  /** A step with its effect here; `over` changes how it is declared. */
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
    // What is asked for is on its way even if the caller does not wait for the answer.
    await Promise.resolve()
    call.signal.throwIfAborted()
    this.before(operation, name)
    if (this.refusals.has(`${operation} ${name}`)) throw blocked('the road is closed', 'stop')
    const result = work(key)
    this.after(operation, name)
    return result
  }

  #sight(key: string, name: string): Sight {
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

/** A failure of the place itself. */
export function blocked(message = 'the road is blocked', remedy: Remedy = 'retry'): CodedError {
  return new CodedError({ code: remedy === 'retry' ? 'RoadBlocked' : 'RoadClosed', message, remedy })
}
