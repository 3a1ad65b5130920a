// Events from outside the cluster that a controller listens to, such as webhooks or a message queue: each names a
// resource to reconcile. Invariant: a failed source restarts after growing delays, a fast one does not block the event
// loop, and none outlives its signal.
import { type Clock, sleep } from '../base/clock.ts'
import { messageOf } from '../base/errors.ts'
import type { Log } from '../base/instrument.ts'
import type { Random } from '../base/random.ts'
import { runRestarting } from '../base/restart-runner.ts'
import { untilAborted } from '../kube/shared-runner.ts'

/** A resource of the controller's kind, as `ControllerOptions.events` yields it. */
export interface ResourceEvent {
  /** Absent for cluster-scoped kinds. */
  readonly namespace?: string | undefined
  readonly name: string
}

export interface EventsRunnerOptions {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly events: (signal: AbortSignal) => AsyncIterable<ResourceEvent>
  readonly onEvent: (event: ResourceEvent) => void
}

/** Events after which the source yields the event loop. */
const eventsPerBreath = 64

export class EventsRunner {
  readonly #options: EventsRunnerOptions

  constructor(options: EventsRunnerOptions) {
    this.#options = options
  }

  /** Resolves when the signal aborts, or the source ends by itself. Never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, random, log } = this.#options
    const onFailure = (thrown: unknown, delayMs: number) =>
      log.warn({ error: messageOf(thrown), delayMs }, 'the events of the controller failed; they are begun again')
    await runRestarting({ clock, random, onFailure }, (until) => this.#listen(until), signal)
  }

  async #listen(signal: AbortSignal): Promise<void> {
    const { clock, events, onEvent } = this.#options
    const source = events(signal)[Symbol.asyncIterator]()
    try {
      for (let count = 1; ; count++) {
        const next = await untilAborted(source.next(), signal)
        if (next.done === true) return
        onEvent(next.value)
        if (count % eventsPerBreath === 0) await sleep(clock, 1, signal)
      }
    } finally {
      // A source whose `return` hangs is abandoned.
      void Promise.resolve(source.return?.()).catch(() => {})
    }
  }
}
