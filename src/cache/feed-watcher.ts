// Watches for an author: the list/watch of an informer without its store, read as an AsyncIterable. Invariant: it
// survives lost connections and expired versions.
// It ends when the reader leaves, when the signal aborts, or when the API server rejects it before its first snapshot.
import type { Clock } from '../base/clock.ts'
import type { Instruments } from '../base/instrument.ts'
import type { Random } from '../base/random.ts'
import type { KubeClient, Selection } from '../kube/client.ts'
import type { ObjectEvent, OpenWatch } from '../kube/object-event.ts'
import type { LiveObject } from '../object/object.ts'
import type { Resource } from '../object/resource.ts'
import { ChangeFeed } from './change-feed.ts'
import type { Failure } from './watch-failure.ts'
import type { DataFrame } from './watch-state.ts'
import { Watcher, type WatchSink } from './watcher.ts'

export interface FeedWatcherOptions {
  readonly clock: Clock
  readonly random: Random
  readonly instruments: Instruments
  readonly client: KubeClient
}

/** Returns a function that opens a separate watch with each call. */
export function openWatchOf(options: FeedWatcherOptions): OpenWatch {
  return (resource, selection, signal) => read({ ...options, resource, selection }, signal)
}

async function* read(
  options: FeedWatcherOptions & { readonly resource: Resource; readonly selection: Selection },
  signal: AbortSignal,
): AsyncGenerator<ObjectEvent, void> {
  const leaving = new AbortController()
  const until = AbortSignal.any([signal, leaving.signal])
  const sink = new FeedSink(until)
  const running = new Watcher({ ...options, sink }).run(until).catch((thrown: unknown) => sink.fail(thrown))
  try {
    while (!signal.aborted) {
      const events = sink.feed.take()
      if (events.length === 0) await sink.nextChange()
      for (const event of events) yield event
    }
  } finally {
    leaving.abort(new DOMException('the reader of the watch has left', 'AbortError'))
    await running
  }
}

/** Notifies the reader. */
class FeedSink implements WatchSink {
  readonly feed = new ChangeFeed()
  #change = Promise.withResolvers<void>()
  /** The error that ended the watch. */
  #failure: { readonly thrown: unknown } | undefined

  constructor(until: AbortSignal) {
    until.addEventListener('abort', () => this.#change.resolve(), { once: true })
  }

  /** Resolves at the next change; rejects once the watch has failed permanently. */
  async nextChange(): Promise<void> {
    await this.#change.promise
    this.#change = Promise.withResolvers()
    if (this.#failure !== undefined) throw this.#failure.thrown
  }

  fail(thrown: unknown): void {
    this.#failure = { thrown }
    this.#change.resolve()
  }

  collect(object: LiveObject): void {
    this.feed.collect(object)
  }

  uncollect(object: LiveObject): void {
    this.feed.uncollect(object)
  }

  discard(): void {
    this.feed.discard()
  }

  async replace(): Promise<void> {
    this.feed.replace()
    this.#change.resolve()
  }

  apply(frame: DataFrame): void {
    this.feed.apply(frame)
    this.#change.resolve()
  }

  reached(): void {}

  async absent(): Promise<void> {
    this.feed.absent()
    this.#change.resolve()
  }

  /** After the first snapshot a rejection may pass, as while an API server restarts. */
  failed({ kind, error }: Failure): void {
    const isRejected = kind === 'denied' || kind === 'notServed' || kind === 'rejected'
    if (isRejected && error !== undefined && !this.feed.hasBegun) this.fail(error)
  }
}
