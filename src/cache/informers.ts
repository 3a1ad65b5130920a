// The informers of a process: one per resource, selection and transform, for any number of controllers; each runs while
// it has a holder. If the process is confined to namespaces, there is one for each of them, read as one.
import { assert } from '../base/assert.ts'
import type { Clock } from '../base/clock.ts'
import type { Instruments } from '../base/instrument.ts'
import type { Random } from '../base/random.ts'
import { Slices } from '../base/slices.ts'
import type { KubeClient, Selection } from '../kube/client.ts'
import { untilAborted } from '../kube/shared-runner.ts'
import type { LiveObject } from '../object/object.ts'
import { apiVersionOf, groupResourceOf, type ObjectOf, type Resource } from '../object/resource.ts'
import { FieldSetPool } from './field-set-pool.ts'
import { Informer, type InformerHealth } from './informer.ts'
import { InformerView } from './informer-view.ts'
import type { Transform } from './reduction.ts'
import { selectionText } from './selection-text.ts'
import type { Indexes } from './store.ts'
import type { TrimOptions } from './trim.ts'
import { WatchTally } from './watch-tally.ts'

export interface InformersOptions {
  readonly clock: Clock
  readonly random: Random
  readonly instruments: Instruments
  readonly client: KubeClient
  /** Names the cluster in metrics and messages; absent: the operator's own. */
  readonly cluster?: string | undefined
  /** Field managers whose entries are kept with each object that is cached whole; undefined: none. */
  readonly keepsFieldsOf: TrimOptions['keepsFieldsOf']
  /** Confines watches of namespaced resources without their own namespace; absent: the whole cluster. */
  readonly namespaces?: readonly string[] | undefined
}

export interface InformerRequest<Spec = unknown, Status = unknown> extends Selection {
  readonly resource: Resource<Spec, Status>
  /** Some of the namespaces of the process; default: all. No effect on cluster-scoped resources. */
  readonly namespaces?: readonly string[] | undefined
  readonly indexes?: Indexes<ObjectOf<Resource<Spec, Status>>> | undefined
  /** Informers are shared only among requests with the same function. */
  readonly transform?: Transform<ObjectOf<Resource<Spec, Status>>> | undefined
  /** Caches an object whole if `transform` throws; default: its metadata only. */
  readonly keepsWhole?: boolean | undefined
  /** Objects that it rejects are not cached. Informers are shared only among requests with the same function. */
  readonly keeps?: ((object: LiveObject) => boolean) | undefined
}

interface Shared {
  readonly informer: Informer
  /** True if the informer caches only a part of the objects that it reads. */
  readonly isPartial: boolean
  holders: number
}

/** The informers of one process. */
export class Informers {
  readonly #options: InformersOptions
  readonly #fieldSets = new FieldSetPool()
  readonly #tally = new WatchTally()
  /** Splits long work over the objects, so that other work can run. */
  readonly slices: Slices
  readonly #shared = new Map<string, Shared>()
  readonly #functionIds = new WeakMap<object, number>()
  #functions = 0
  #signal: AbortSignal | undefined

  constructor(options: InformersOptions) {
    assert(options.namespaces?.length !== 0, 'an operator confined to namespaces names at least one')
    this.#options = options
    this.slices = new Slices(options.clock)
  }

  /**
   * Returns a view, which its holder releases later. It runs from `start` on, or at once after `start`.
   *
   * @example const pods = informers.informerFor({ resource: Pod, labelSelector: 'app=store', indexes: { labels: ['app']
   * } })
   */
  informerFor<Spec, Status>(request: InformerRequest<Spec, Status>): InformerView<ObjectOf<Resource<Spec, Status>>> {
    const namespaces = this.#namespacesFor(request)
    const held = namespaces.map((namespace) => ({ namespace, ...this.#hold(request, namespace) }))
    return new InformerView({
      parts: new Map(held.map(({ namespace, informer }) => [namespace, informer])),
      onRelease: async () => void (await Promise.all(held.map(({ key }) => this.#letGo(key)))),
    })
  }

  /** Starts all informers, also later ones; they end with `signal` or with `stop`. */
  start(signal: AbortSignal): void {
    assert(this.#signal === undefined, 'informers start once')
    this.#signal = signal
    for (const { informer } of this.#shared.values()) informer.start(signal)
  }

  /** Resolves when all have ended. */
  async stop(): Promise<void> {
    await Promise.all([...this.#shared.values()].reverse().map(({ informer }) => informer.stop()))
  }

  get hasSynced(): boolean {
    return [...this.#shared.values()].every(({ informer }) => informer.hasSynced)
  }

  /** Waits for the current informers; rejects with the signal's reason; the signal limits the wait. */
  async waitUntilSynced(signal: AbortSignal): Promise<void> {
    await Promise.all([...this.#shared.values()].map(({ informer }) => informer.waitUntilSynced(signal)))
  }

  /**
   * Waits until each current informer has synced, or knows that its kind is not served; rejects with the signal's
   * reason.
   */
  async waitUntilKnown(signal: AbortSignal): Promise<void> {
    await Promise.all([...this.#shared.values()].map(({ informer }) => informer.waitUntilKnown(signal)))
  }

  /** Reads all objects of the partial informers again; rejects with the signal's reason. */
  async refill(signal: AbortSignal): Promise<void> {
    const refills = this.#partial.map((informer) => informer.refill())
    await untilAborted(Promise.all(refills), signal)
  }

  /** Drops the objects that are not accepted any more. */
  prune(): void {
    for (const informer of this.#partial) informer.prune()
  }

  get #partial(): readonly Informer[] {
    return [...this.#shared.values()].flatMap(({ informer, isPartial }) => (isPartial ? [informer] : []))
  }

  /** One line per informer, for `/readyz`. */
  health(): readonly InformerHealth[] {
    return [...this.#shared.values()].map(({ informer }) => informer.health)
  }

  #namespacesFor({
    resource,
    namespace,
    namespaces = this.#options.namespaces,
  }: Pick<InformerRequest, 'resource' | 'namespace' | 'namespaces'>): readonly (string | undefined)[] {
    if (resource.scope === 'Cluster') return [undefined]
    if (namespace !== undefined) return [namespace]
    const outside = namespaces?.find((name) => this.#options.namespaces?.includes(name) === false)
    assert(
      outside === undefined,
      `${groupResourceOf(resource)} are watched in the namespace ${outside}, which the operator does not serve; add it to the namespaces of the operator`,
    )
    return namespaces === undefined ? [undefined] : [...new Set(namespaces)]
  }

  #hold<Spec, Status>(request: InformerRequest<Spec, Status>, namespace: string | undefined) {
    const { resource, labelSelector, fieldSelector, metadataOnly, indexes, transform, keepsWhole, keeps } = request
    const selection = { namespace, labelSelector, fieldSelector, metadataOnly }
    const key = `${apiVersionOf(resource)}/${resource.plural}?${selectionText(selection)}#${this.#functionId(transform)}#${this.#functionId(keeps)}`
    const existing = this.#shared.get(key)
    if (existing !== undefined) {
      existing.holders += 1
      // The key names the resource, and the descriptor of a resource has its one pair of wire types.
      const informer = existing.informer as unknown as Informer<ObjectOf<Resource<Spec, Status>>>
      if (indexes !== undefined) informer.addIndexes(indexes)
      return { key, informer }
    }
    const { clock, random, instruments, client, cluster } = this.#options
    // The owners of fields are useless without the fields.
    const keepsFieldsOf = metadataOnly === true ? undefined : this.#options.keepsFieldsOf
    const shared = { keepsFieldsOf, fieldSets: this.#fieldSets, tally: this.#tally, slices: this.slices }
    const informer = new Informer({
      clock,
      random,
      instruments,
      client,
      cluster,
      ...shared,
      resource,
      selection,
      indexes,
      transform,
      keepsWhole,
      keeps,
    })
    // Stored for all requests with this key, and returned with its types again, as above.
    this.#shared.set(key, { informer: informer as unknown as Informer, isPartial: keeps !== undefined, holders: 1 })
    if (this.#signal !== undefined) informer.start(this.#signal)
    return { key, informer }
  }

  async #letGo(key: string): Promise<void> {
    const shared = this.#shared.get(key)
    assert(shared !== undefined && shared.holders > 0, 'who lets go of an informer has held it')
    shared.holders -= 1
    if (shared.holders > 0) return
    this.#shared.delete(key)
    await shared.informer.stop()
  }

  #functionId(given: object | undefined): number {
    if (given === undefined) return 0
    const known = this.#functionIds.get(given)
    if (known !== undefined) return known
    this.#functions += 1
    this.#functionIds.set(given, this.#functions)
    return this.#functions
  }
}
