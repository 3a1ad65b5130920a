// Runs the runnables of an operator. Invariants: no runnable starts before this process leads, and the operator's stop
// aborts each. One that ignores its signal delays the stop only up to the limit.
import { type Clock, deadline } from '../base/clock.ts'
import { messageOf } from '../base/errors.ts'
import type { Counter, Gauge, Instruments } from '../base/instrument.ts'
import type { Random } from '../base/random.ts'
import { runRestarting } from '../base/restart-runner.ts'
import { openWatchOf } from '../cache/feed-watcher.ts'
import type { KubeClient } from '../kube/client.ts'
import { OperatorClient } from '../kube/operator-client.ts'
import { untilAborted } from '../kube/shared-runner.ts'
import { clientManagerOf, type OperatorIdentity } from '../object/identity.ts'
import { assertNames, type Runnable } from './runnable.ts'

export interface RunnablesRunnerOptions {
  readonly identity: OperatorIdentity
  readonly clock: Clock
  readonly random: Random
  readonly instruments: Instruments
  readonly client: KubeClient
  readonly runnables: readonly Runnable[]
  /** Namespaces that the operator serves; undefined: all. */
  readonly namespaces: readonly string[] | undefined
}

export class RunnablesRunner {
  readonly #options: RunnablesRunnerOptions
  readonly #stopping = new AbortController()
  /** Running runnables, by name. */
  readonly #running = new Map<string, Promise<void>>()
  readonly #active: Gauge
  readonly #failures: Counter

  constructor(options: RunnablesRunnerOptions) {
    assertNames(options.runnables)
    const { metrics } = options.instruments
    const labels = ['runnable']
    const help = '1 while the runnable runs, 0 after its end and while it waits for a retry or for leadership.'
    this.#options = options
    this.#active = metrics.gauge({ name: 'runnable_active', help, labels })
    this.#failures = metrics.counter({ name: 'runnable_failures_total', help: 'Failures of a runnable.', labels })
  }

  /** Starts the runnables after `mayRun` has resolved. Never rejects. */
  async run(mayRun: Promise<void> = Promise.resolve()): Promise<void> {
    const { runnables } = this.#options
    for (const { name } of runnables) this.#active.set({ runnable: name }, 0)
    try {
      await untilAborted(mayRun, this.#stopping.signal)
    } catch {
      return
    }
    for (const runnable of runnables) {
      this.#running.set(
        runnable.name,
        this.#keepRunning(runnable).finally(() => this.#running.delete(runnable.name)),
      )
    }
  }

  /** Aborts the runnables, waits up to `limitMs` for their end, and abandons the rest. */
  async stop(limitMs: number): Promise<void> {
    const { clock, instruments } = this.#options
    this.#stopping.abort(new DOMException('the operator stops', 'AbortError'))
    const limit = deadline(clock, limitMs, new AbortController().signal)
    await untilAborted(Promise.all(this.#running.values()), limit.signal).catch(() => {})
    limit.clear()
    const runnables = [...this.#running.keys()]
    if (runnables.length > 0) instruments.log.error({ runnables }, 'runnables ignore their signal and are left behind')
  }

  async #keepRunning(runnable: Runnable): Promise<void> {
    const { clock, random, instruments, identity, client: shared, namespaces } = this.#options
    const { name } = runnable
    const labels = { runnable: name }
    const log = instruments.log.with(labels)
    const { signal } = this.#stopping
    const client = new OperatorClient({
      client: shared,
      openWatch: openWatchOf({ clock, random, instruments, client: shared }),
      fieldManager: clientManagerOf(identity, name),
      signal,
    })
    const onFailure = (thrown: unknown, delayMs: number) => {
      this.#failures.add(labels)
      log.warn({ error: messageOf(thrown), delayMs }, 'the runnable failed; it is begun again')
    }
    const work = async () => {
      this.#active.set(labels, 1)
      try {
        await runnable.run({ client, namespaces, signal, log })
      } finally {
        this.#active.set(labels, 0)
      }
    }
    log.info({}, 'the runnable begins')
    await runRestarting({ clock, random, onFailure }, work, signal)
    log.info({}, 'the runnable has ended')
  }
}
