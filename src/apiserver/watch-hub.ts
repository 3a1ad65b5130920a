// Who watches what? Each open watch hears of the commits on its shelf in their order, gets bookmarks, and ends at its deadline.
// A watch is a cursor over the log and nothing more, so it can be frozen, moved and dropped by whoever tests with it.
import type { Clock, Timer } from '../base/clock.ts'
import type { Random } from '../base/random.ts'
import type { StreamSink } from './exchange.ts'
import type { LogEntry, ObjectLog, Shelf } from './object-log.ts'
import { bookmarkLine, eventLine, eventOf, type WatchScope } from './watch-events.ts'

export interface Watch {
  readonly shelf: Shelf
  readonly scope: WatchScope
  /** Events after this revision are sent; what stands at it is sent before if `sendsState`. */
  readonly fromRevision: number
  readonly sendsState: boolean
  /** Closes what stood there with a bookmark. */
  readonly endsStateWithBookmark: boolean
  readonly allowsBookmarks: boolean
  readonly timeoutSeconds: number | undefined
}

/** From one bookmark to the next. Source: cacher.go, bookmarkFrequency. */
const bookmarkMs = 60_000
/** The last bookmark before the deadline. */
const lastBookmarkMs = 2_000
/** Characters that are written before it is asked whether the client reads. */
const burstLength = 1024 * 1024
/** Without a timeout a watch lives between this and twice as long. Source: --min-request-timeout. */
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
  readonly #open = new Map<Shelf, Set<OpenWatch>>()
  #since = 0

  constructor({ clock, random, log }: WatchHubOptions) {
    this.#clock = clock
    this.#random = random
    this.#log = log
    log.listen((entry) => {
      for (const watch of [...(this.#open.get(entry.place.shelf) ?? [])]) watch.hear(entry)
    })
  }

  /** Nothing can be watched from a revision before this one. */
  get oldestRevision(): number {
    return Math.max(this.#since, this.#log.compactedRevision)
  }

  /** What came before now is not told any more: a server that starts has no events of its life before. */
  begin(): void {
    this.#since = this.#log.revision
  }

  /** How many watches are open. */
  get size(): number {
    return [...this.#open.values()].reduce((sum, watches) => sum + watches.size, 0)
  }

  /** Begins to send; what it gives back ends the watch from the client's side. */
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

  /** Ends all watches in order, as a server that stops does. */
  close(): void {
    for (const watches of this.#open.values()) for (const watch of [...watches]) watch.close()
  }

  /** Ends the watches on a shelf whose kind has gone. */
  closeShelf(shelf: Shelf): void {
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
  /** Has all been sent that was there before? Until then commits wait in the log. */
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

  /** In one go, or as fast as the client reads where the sink can tell: the state may be larger than what a watch may have unsent. */
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

  /** What stands at the beginning, and what is committed until all of that has been sent. */
  *#backlog(): Generator<string, void> {
    const { watch, log } = this.#options
    let revision = watch.fromRevision
    if (watch.sendsState) {
      revision = log.revision
      yield* this.#stateLines()
    }
    let endsWithBookmark = watch.endsStateWithBookmark
    for (;;) {
      // Ended in order, when the client reads so slowly that the history is gone: it begins again.
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
    if (entry.revision <= watch.fromRevision) return undefined // The watch begins in the future.
    const event = eventOf(entry, watch.scope)
    return event === undefined ? undefined : eventLine(event, this.#nextScope(), clock.now())
  }

  /** A watch names the columns of its table once. */
  #nextScope(): WatchScope {
    const scope = this.#scope
    if (!scope.output.leavesOutColumns) this.#scope = { ...scope, output: { ...scope.output, leavesOutColumns: true } }
    return scope
  }

  /** Ends the stream in order. */
  close(): void {
    if (!this.#isOpen) return
    this.end()
    this.#options.sink.close()
  }

  /** The client has gone. */
  end(): void {
    this.#isOpen = false
    for (const timer of this.#timers.values()) timer.cancel()
    this.#options.forget()
  }

  *#stateLines(): Generator<string, void> {
    const { watch, clock, log } = this.#options
    const { resource, namespace } = watch.scope
    // The list stays as it is when objects change.
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
