// Recorder of the node's Events for `kubectl describe`, in the background and in order. Invariants: `record` never
// waits and never fails; an Event that cannot be written is dropped, because the status is authoritative.
import { type Clock, sleep } from '../base/clock.ts'
import { messageOf } from '../base/errors.ts'
import type { Log } from '../base/instrument.ts'
import type { KubeClient } from '../kube/client.ts'
import { isKubeError } from '../kube/kube-errors.ts'
import { CoreEvent } from '../object/built-in.ts'
import { EventBook, type EventWrite, type PodReport } from './event-book.ts'
import type { PodObject } from './pod.ts'
import { fieldManager } from './pod-recorder.ts'
import { isNoAnswer } from './source-loader.ts'

export interface EventRecorderOptions {
  readonly clock: Clock
  readonly log: Log
  readonly client: KubeClient
  readonly nodeName: string
  readonly signal: AbortSignal
}

const maxWaiting = 1_000
const maxAttempts = 12
/** Source: client-go's tools/record. */
const retryMs = 10_000

export class EventRecorder {
  readonly #options: EventRecorderOptions
  readonly #book: EventBook
  readonly #waiting: EventWrite[] = []
  readonly #ending = new AbortController()
  #running: Promise<void> | undefined

  constructor(options: EventRecorderOptions) {
    this.#options = options
    this.#book = new EventBook(options.nodeName)
  }

  record(pod: PodObject, report: PodReport): void {
    const write = this.#book.admit(pod, report, this.#options.clock.now())
    if (write === undefined || this.#waiting.length >= maxWaiting) return
    this.#waiting.push(write)
    this.#running ??= this.#run().finally(() => {
      this.#running = undefined
    })
  }

  /** Stops recording. Resolves when the queue is written, with at most one more attempt each. */
  async end(): Promise<void> {
    this.#ending.abort()
    while (this.#running !== undefined) await this.#running
  }

  async #run(): Promise<void> {
    const { signal } = this.#options
    for (let write = this.#waiting.shift(); write !== undefined && !signal.aborted; write = this.#waiting.shift())
      await this.#post(write)
  }

  async #post(write: EventWrite): Promise<void> {
    const { clock, log, signal } = this.#options
    for (let attempt = 1; !signal.aborted; attempt++) {
      try {
        return await this.#write(write)
      } catch (thrown) {
        if (!isNoAnswer(thrown) || attempt === maxAttempts || this.#ending.signal.aborted)
          return log.debug({ reason: write.event.kind, error: messageOf(thrown) }, 'an Event could not be written')
      }
      const until = AbortSignal.any([signal, this.#ending.signal])
      await sleep(clock, retryMs, until).catch(() => undefined) // Only the signals reject.
    }
  }

  async #write({ event, isNew }: EventWrite): Promise<void> {
    const { client, signal } = this.#options
    if (!isNew) {
      const { count, lastTimestamp, message, metadata } = event
      const patch = { type: 'merge', body: { count, lastTimestamp, message } } as const
      const at = { namespace: metadata.namespace, name: metadata.name }
      try {
        return void (await client.patch(CoreEvent, at, patch, { fieldManager }, signal))
      } catch (thrown) {
        // The API server has deleted the Event after its TTL.
        if (!isKubeError(thrown, 'NotFound')) throw thrown
      }
    }
    await client.create(CoreEvent, event, { fieldManager }, signal)
  }
}
