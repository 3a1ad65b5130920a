// Open watches: each receives the commits of its kind in order, gets bookmarks, and ends at its deadline.
// A watch is only a cursor over the log, so tests can freeze, move and drop it.
import type { Clock, Timer } from '../base/clock.ts'
import type { Random } from '../base/random.ts'
import type { StreamSink } from './exchange.ts'
import type { LogEntry, ObjectLog, StorageShelf } from './object-log.ts'
import { bookmarkLine, eventLine, eventOf, type WatchScope } from './watch-events.ts'

export interface Watch {
  readonly shelf: StorageShelf
  readonly scope: WatchScope
  /** Revision after which events are sent; with `sendsState`, the current objects are sent first. */
  readonly fromRevision: number
  readonly sendsState: boolean
  /** True if a bookmark marks the end of the initial objects. */
  readonly endsStateWithBookmark: boolean
  readonly allowsBookmarks: boolean
  readonly timeoutSeconds: number | undefined
}

/** Interval of bookmarks. Source: cacher.go, bookmarkFrequency. */
const bookmarkMs = 60_000
/** Time of the last bookmark before the deadline. */
const lastBookmarkMs = 2_000
/** Characters to write before the hub waits for a slow client. */
const burstLength = 1024 * 1024
/** Lifetime of a watch without a timeout: between this and twice as long. Source: --min-request-timeout. */
const minTimeoutSeconds = 1_800

export interface WatchHubOptions {
  readonly clock: Clock
  readonly random: Random
  readonly log: ObjectLog
}

export class WatchHub {
  readonly #clock: Clock
  readonly #random: Random
  readonly #log: ObjectLog
  readonly #open = new Map<StorageShelf, Set<OpenWatch>>()
  #since = 0

  constructor({ clock, random, log }: WatchHubOptions) {
    this.#clock = clock
    this.#random = random
    this.#log = log
    log.listen((entry) => {
      for (const watch of [...(this.#open.get(entry.place.shelf) ?? [])]) watch.hear(entry)
    })
  }

  /** Oldest revision from which a watch can start. */
  get oldestRevision(): number {
    return Math.max(this.#since, this.#log.compactedRevision)
  }

  /** Hides all earlier revisions: a restarted server has no events from before its start. */
  begin(): void {
    this.#since = this.#log.revision
  }

  /** Number of open watches. */
  get size(): number {
    return [...this.#open.values()].reduce((sum, watches) => sum + watches.size, 0)
  }

  /** Starts a watch. Returns the function that ends it from the client's side. */
  start(watch: Watch, sink: StreamSink): () => void {
    const watches = this.#open.get(watch.shelf) ?? new Set<OpenWatch>()
    this.#open.set(watch.shelf, watches)
    const seconds = watch.timeoutSeconds ?? Math.floor(minTimeoutSeconds * (1 + this.#random.next()))
    const open = new OpenWatch({
      watch,
      sink,
      clock: this.#clock,
      log: this.#log,
      seconds,
      forget: () => watches.delete(open),
    })
    watches.add(open)
    open.begin()
    return () => open.end()
  }

  /** Ends all watches regularly, as a stopping server does. */
  close(): void {
    for (const watches of this.#open.values()) for (const watch of [...watches]) watch.close()
  }

  /** Ends the watches of a kind that is no longer served. */
  closeShelf(shelf: StorageShelf): void {
    for (const watch of [...(this.#open.get(shelf) ?? [])]) watch.close()
  }
}

interface OpenWatchOptions {
  readonly watch: Watch
  readonly sink: StreamSink
  readonly clock: Clock
  readonly log: ObjectLog
  readonly seconds: number
  readonly forget: () => void
}

class OpenWatch {
  readonly #options: OpenWatchOptions
  readonly #timers = new Map<'deadline' | 'bookmark' | 'last bookmark', Timer>()
  #isOpen = true
  /** True once the backlog has been sent. Before that, the watch reads commits from the log. */
  #isLive = false
  #scope: WatchScope

  constructor(options: OpenWatchOptions) {
    this.#options = options
    this.#scope = options.watch.scope
  }

  begin(): void {
    const { watch, clock, seconds } = this.#options
    const limitMs = seconds * 1_000
    this.#timers.set(
      'deadline',
      clock.setTimer(limitMs, () => this.close()),
    )
    if (watch.allowsBookmarks) {
      if (limitMs > lastBookmarkMs)
        this.#timers.set(
          'last bookmark',
          clock.setTimer(limitMs - lastBookmarkMs, () => this.#bookmark()),
        )
      this.#bookmarkLater()
    }
    this.#send(this.#backlog())
  }

  hear(entry: LogEntry): void {
    if (!this.#isLive) return
    const line = this.#lineOf(entry)
    if (line !== undefined) this.#options.sink.write(line)
  }

  /**
   * Sends the backlog, at the client's pace if the sink supports it.
   * The initial state may exceed the limit for unsent bytes.
   */
  #send(backlog: Generator<string, void>): void {
    const { sink } = this.#options
    let sent = 0
    for (let next = backlog.next(); next.done !== true; next = backlog.next()) {
      if (!this.#isOpen) return
      sink.write(next.value)
      sent += next.value.length
      if (sent < burstLength || sink.drained === undefined) continue
      void sink.drained().then(() => this.#send(backlog))
      return
    }
  }

  /** Yields the initial state, then all entries committed until both have been sent. */
  *#backlog(): Generator<string, void> {
    const { watch, log } = this.#options
    let revision = watch.fromRevision
    if (watch.sendsState) {
      revision = log.revision
      yield* this.#stateLines()
    }
    let endsWithBookmark = watch.endsStateWithBookmark
    for (;;) {
      // A client so slow that its history is compacted is ended regularly; it reconnects.
      if (revision < log.compactedRevision) return this.close()
      const missed = log.entriesAfter(revision)
      for (const entry of missed) {
        revision = entry.revision
        const line = entry.place.shelf === watch.shelf ? this.#lineOf(entry) : undefined
        if (line !== undefined) yield line
      }
      if (endsWithBookmark) yield bookmarkLine(revision, watch.scope, true)
      else if (missed.length === 0) break
      endsWithBookmark = false
    }
    this.#isLive = true
  }

  #lineOf(entry: LogEntry): string | undefined {
    const { watch, clock } = this.#options
    if (entry.revision <= watch.fromRevision) return undefined // The watch starts at a future revision.
    const event = eventOf(entry, watch.scope)
    return event === undefined ? undefined : eventLine(event, this.#nextScope(), clock.now())
  }

  /** Returns the scope of the next event. Only the first table has column definitions. */
  #nextScope(): WatchScope {
    const scope = this.#scope
    if (!scope.output.leavesOutColumns) this.#scope = { ...scope, output: { ...scope.output, leavesOutColumns: true } }
    return scope
  }

  /** Ends the stream regularly. */
  close(): void {
    if (!this.#isOpen) return
    this.end()
    this.#options.sink.close()
  }

  /** Releases the watch after the client has disconnected. */
  end(): void {
    this.#isOpen = false
    for (const timer of this.#timers.values()) timer.cancel()
    this.#options.forget()
  }

  *#stateLines(): Generator<string, void> {
    const { watch, clock, log } = this.#options
    const { resource, namespace } = watch.scope
    // The list is immutable, so commits meanwhile do not affect it.
    for (const state of log.list(watch.shelf, resource.isNamespaced ? namespace : undefined)) {
      const event = eventOf(
        { kind: 'created', revision: state.revision, place: state.place, now: state, before: undefined },
        watch.scope,
      )
      if (event !== undefined) yield eventLine(event, this.#nextScope(), clock.now())
    }
  }

  #bookmarkLater(): void {
    const timer = this.#options.clock.setTimer(bookmarkMs, () => {
      this.#bookmark()
      this.#bookmarkLater()
    })
    this.#timers.set('bookmark', timer)
  }

  #bookmark(): void {
    const { watch, sink, log } = this.#options
    if (this.#isLive) sink.write(bookmarkLine(log.revision, watch.scope, false))
  }
}
