// Model of an API server at the network boundary, as the cache sees it. An immutable log by resourceVersion, read by
// list and watch with the semantics of Kubernetes 1.36, and the faults of a network and a server.
import type { Clock } from '../../src/base/clock.ts'
import type { KubeClient, ListOptions, ListPage, Selection, WatchFrame, WatchOptions } from '../../src/kube/client.ts'
import { KubeError, kubeErrorOf } from '../../src/kube/kube-errors.ts'
import type { LiveObject } from '../../src/object/object.ts'
import { keyOf } from '../../src/object/ref.ts'
import type { Resource } from '../../src/object/resource.ts'
import { type ConfigMapFields, configMap } from './objects.ts'

interface Entry {
  readonly version: number
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED'
  readonly object: LiveObject
}

const bookmarkIntervalMs = 60_000

/** Serves ConfigMaps. */
export class ModelServer implements KubeClient {
  readonly #clock: Clock
  readonly #log: Entry[] = []
  readonly #streams = new Set<Stream>()
  #version = 100
  #compacted = 0
  #incarnations = 0

  /** True if the server supports sendInitialEvents. */
  hasWatchList = true
  sendsBookmarks = true
  /** Every request fails with this error, and streams break when it is set. */
  #outage: KubeError | undefined
  /** The next list request fails with this error, once. */
  nextListError: KubeError | undefined
  #frozenAt: number | undefined
  /** The requests, e.g. `watch 12` or `list limit=500`. */
  readonly requests: { readonly text: string; readonly atMs: number; readonly options: ListOptions | WatchOptions }[] =
    []

  constructor(clock: Clock) {
    this.#clock = clock
  }

  get version(): number {
    return this.#version
  }

  get openStreams(): number {
    return this.#streams.size
  }

  /** Returns the current objects, sorted by key. */
  objects(): readonly LiveObject[] {
    return this.#objectsAt(this.#version)
  }

  find(name: string, namespace = 'default'): LiveObject | undefined {
    return this.objects().find(({ metadata }) => metadata.name === name && metadata.namespace === namespace)
  }

  /** Creates or updates, and returns the writer's response. */
  write(name: string, fields: Partial<Omit<ConfigMapFields, 'version'>> = {}): LiveObject {
    const existing = this.find(name, fields.namespace)
    if (existing === undefined) this.#incarnations += 1
    const uid = existing?.metadata.uid ?? `${name}-${this.#incarnations}`
    const object = configMap(name, { uid, ...fields, version: this.#next() })
    this.#append({ version: this.#version, type: existing === undefined ? 'ADDED' : 'MODIFIED', object })
    return object
  }

  remove(name: string, namespace = 'default'): void {
    const existing = this.find(name, namespace)
    if (existing === undefined) return
    const object = { ...existing, metadata: { ...existing.metadata, resourceVersion: String(this.#next()) } }
    this.#append({ version: this.#version, type: 'DELETED', object })
  }

  /** Drops all history, so that every older version is expired. */
  compact(): void {
    this.#compacted = this.#version
  }

  /** Simulates an unrelated write in the cluster: the version advances without an event. */
  tick(): void {
    this.#next()
  }

  set outage(error: KubeError | undefined) {
    this.#outage = error
    if (error !== undefined) this.breakStreams(error)
  }

  breakStreams(error: KubeError = new KubeError({ code: 'Unreachable', message: 'the connection broke' })): void {
    for (const stream of this.#streams) stream.fail(error)
  }

  endStreams(): void {
    for (const stream of this.#streams) stream.end()
  }

  /** Simulates half-open connections: keeps them open, and sends nothing any more. */
  silenceStreams(): void {
    for (const stream of this.#streams) stream.isSilent = true
  }

  sendError(code: number, reason: string): void {
    for (const stream of this.#streams)
      stream.push({ type: 'ERROR', object: { kind: 'Status', code, reason, message: reason } })
  }

  /** Simulates a stale server: responses come from the state at `version`. */
  freeze(version: number = this.#version): void {
    this.#frozenAt = Math.min(version, this.#shown())
  }

  /** Ends `freeze`. */
  thaw(): void {
    this.#frozenAt = undefined
    for (const stream of this.#streams) for (const entry of this.#log) this.#send(stream, entry)
  }

  bookmark(): void {
    for (const stream of this.#streams) stream.push(bookmarkAt(this.#shown()))
  }

  async list(resource: Resource, options: ListOptions, signal: AbortSignal): Promise<ListPage> {
    signal.throwIfAborted()
    this.#note(
      `list ${options.continueToken ?? options.resourceVersion ?? ''} limit=${options.limit ?? 'none'}`,
      options,
    )
    this.#refuse(`list ${resource.plural}`)
    const error = this.nextListError
    this.nextListError = undefined
    if (error !== undefined) throw error
    const [version = 0, start = 0] = options.continueToken?.split('@').map(Number) ?? [this.#shown(), 0]
    if (options.continueToken !== undefined && version < this.#compacted) {
      throw new KubeError({ code: 'Expired', message: 'The provided continue parameter is too old' })
    }
    const all = this.#objectsAt(version).filter((object) => isSelected(object, options))
    const end = start + (options.limit ?? all.length)
    const more = end < all.length ? { continueToken: `${version}@${end}` } : {}
    return { resourceVersion: String(version), items: all.slice(start, end), ...more }
  }

  async *watch(resource: Resource, options: WatchOptions, signal: AbortSignal): AsyncIterable<WatchFrame> {
    signal.throwIfAborted()
    const { resourceVersion = '', sendInitialEvents = false, timeoutSeconds = 1_800 } = options
    this.#note(`watch ${sendInitialEvents ? 'all ' : ''}${resourceVersion}`, options)
    this.#refuse(`watch ${resource.plural}`)
    if (sendInitialEvents && !this.hasWatchList) {
      const message =
        'sendInitialEvents: Forbidden: sendInitialEvents is forbidden for watch unless the WatchList feature gate is enabled'
      throw new KubeError({ code: 'Invalid', message, httpStatus: 422 })
    }
    const since = resourceVersion === '' ? this.#shown() : Number(resourceVersion)
    if (sendInitialEvents && since > this.#shown()) {
      const message = `Too large resource version: ${since}, current: ${this.#shown()}`
      throw kubeErrorOf({ attempt: 'watch', httpStatus: 504, body: { message, details: { retryAfterSeconds: 1 } } })
    }
    const stream = new Stream()
    this.#streams.add(stream)
    options.onAnswered?.()
    const onAbort = () => stream.fail(signal.reason)
    signal.addEventListener('abort', onAbort, { once: true })
    const deadline = this.#clock.setTimer(timeoutSeconds * 1_000, () => stream.end())
    const bookmarks = this.#every(
      bookmarkIntervalMs,
      () => this.sendsBookmarks && stream.push(bookmarkAt(this.#shown())),
    )
    try {
      stream.selection = options
      stream.position = since
      this.#begin(stream, since, sendInitialEvents)
      yield* stream.frames()
    } finally {
      this.#streams.delete(stream)
      signal.removeEventListener('abort', onAbort)
      deadline.cancel()
      bookmarks.cancel()
    }
  }

  get = refused
  create = refused
  apply = refused
  patch = refused
  delete = refused
  update = refused
  deleteCollection = refused
  read = refused

  #begin(stream: Stream, since: number, sendInitialEvents: boolean): void {
    if (sendInitialEvents) {
      const objects = this.#objectsAt(this.#shown()).filter((object) => isSelected(object, stream.selection))
      for (const object of objects) stream.push({ type: 'ADDED', object })
      stream.position = this.#shown()
      stream.push(bookmarkAt(this.#shown(), { 'k8s.io/initial-events-end': 'true' }))
      return
    }
    if (since < this.#compacted) {
      const object = { kind: 'Status', code: 410, reason: 'Expired', message: `too old resource version: ${since}` }
      stream.push({ type: 'ERROR', object })
      stream.end()
      return
    }
    for (const entry of this.#log)
      if (entry.version > since && entry.version <= this.#shown()) this.#send(stream, entry)
  }

  #append(entry: Entry): void {
    this.#log.push(entry)
    if (this.#frozenAt === undefined) for (const stream of this.#streams) this.#send(stream, entry)
  }

  #send(stream: Stream, { version, type, object }: Entry): void {
    if (version <= stream.position) return
    stream.position = version
    if (isSelected(object, stream.selection)) stream.push({ type, object })
  }

  #objectsAt(version: number): readonly LiveObject[] {
    const objects = new Map<string, LiveObject>()
    for (const entry of this.#log) {
      if (entry.version > version) break
      if (entry.type === 'DELETED') objects.delete(keyOf(entry.object))
      else objects.set(keyOf(entry.object), entry.object)
    }
    return [...objects].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, object]) => object)
  }

  #shown(): number {
    return this.#frozenAt ?? this.#version
  }

  #next(): number {
    this.#version += 1
    return this.#version
  }

  #note(text: string, options: ListOptions | WatchOptions): void {
    this.requests.push({ text, atMs: this.#clock.monotonicMs(), options })
  }

  #refuse(attempt: string): void {
    if (this.#outage === undefined) return
    const { code, message, httpStatus, retryAfterMs } = this.#outage
    throw new KubeError({ code, message: `${attempt}: ${message}`, httpStatus, retryAfterMs })
  }

  #every(intervalMs: number, run: () => void): { cancel(): void } {
    const next = () => {
      run()
      timer = this.#clock.setTimer(intervalMs, next)
    }
    let timer = this.#clock.setTimer(intervalMs, next)
    return { cancel: () => timer.cancel() }
  }
}

/** Pending frames. */
class Stream {
  readonly #queue: WatchFrame[] = []
  #close: { readonly error?: unknown } | undefined
  #wake = () => {}
  isSilent = false
  /** The version up to which events were sent. */
  position = 0
  selection: Selection = {}

  push(frame: WatchFrame): void {
    if (this.isSilent || this.#close !== undefined) return
    this.#queue.push(frame)
    this.#wake()
  }

  end(): void {
    if (!this.isSilent) this.#finish({})
  }

  /** Fails the stream; pending frames are lost. */
  fail(error: unknown): void {
    this.#queue.length = 0
    this.#finish({ error })
  }

  async *frames(): AsyncIterable<WatchFrame> {
    for (;;) {
      for (let frame = this.#queue.shift(); frame !== undefined; frame = this.#queue.shift()) yield frame
      if (this.#close !== undefined) {
        if ('error' in this.#close) throw this.#close.error
        return
      }
      await new Promise<void>((resolve) => {
        this.#wake = resolve
      })
    }
  }

  #finish(close: { readonly error?: unknown }): void {
    this.#close ??= close
    this.#wake()
  }
}

function bookmarkAt(version: number, annotations?: Readonly<Record<string, string>>): WatchFrame {
  const metadata = { name: '', resourceVersion: String(version), ...(annotations === undefined ? {} : { annotations }) }
  return { type: 'BOOKMARK', object: { apiVersion: 'v1', kind: 'ConfigMap', metadata } }
}

/** Supports label selectors of the form `key=value` only. */
function isSelected({ metadata }: LiveObject, { namespace, labelSelector }: Selection): boolean {
  if (namespace !== undefined && metadata.namespace !== namespace) return false
  if (labelSelector === undefined) return true
  const [label = '', value] = labelSelector.split('=')
  return metadata.labels?.[label] === value
}

function refused(): never {
  throw new Error('the model server only lists and watches')
}
