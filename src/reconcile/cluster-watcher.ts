// Watches whether the cluster behind a named connection can be reached, and that it stays the same cluster. Invariant: the UID is that of the
// cluster that answered first; while the connection leads to another one, the cluster counts as unreachable.
import type { ChildCluster } from '../apply/child-cluster.ts'
import { type Clock, deadline, sleep } from '../base/clock.ts'
import { CodedError, messageOf } from '../base/errors.ts'
import type { Gauge, Instruments } from '../base/instrument.ts'
import type { KubeClient } from '../kube/client.ts'
import { Namespace } from '../object/built-in.ts'

export interface ClusterWatcherOptions {
  readonly clock: Clock
  readonly instruments: Instruments
  readonly client: Pick<KubeClient, 'get'>
  readonly name: string
  readonly homeUid: string
}

/** Between two requests while all is well: one request for a cluster, however many resources have children there. */
const probeIntervalMs = 30_000
/** After a failure. */
const retryIntervalMs = 5_000
const probeLimitMs = 10_000
/** One lost request is no outage. */
const failuresToTell = 2

export class ClusterWatcher implements ChildCluster {
  readonly name: string
  readonly homeUid: string
  readonly #options: ClusterWatcherOptions
  readonly #gauge: Gauge
  readonly #handlers = new Set<() => void>()
  #uid: string | undefined
  #trouble: string | undefined = 'has not been reached yet'
  #failures = 0

  constructor(options: ClusterWatcherOptions) {
    this.#options = options
    this.name = options.name
    this.homeUid = options.homeUid
    this.#gauge = options.instruments.metrics.gauge({
      name: 'cluster_reachable',
      help: '1 while the cluster of a named connection responds, 0 while it is unreachable.',
      labels: ['cluster'],
    })
  }

  get uid(): string | undefined {
    return this.#uid
  }

  /** Why the cluster cannot be reached, to follow its name: `cannot be reached: connection refused`. Undefined: it can. */
  get trouble(): string | undefined {
    return this.#trouble
  }

  /** Calls back when `trouble` comes or goes. Returns how to stop it. */
  addHandler(handler: () => void): () => void {
    this.#handlers.add(handler)
    return () => void this.#handlers.delete(handler)
  }

  /** Resolves when the cluster is reached, or rejects with the signal's reason. */
  waitUntilReached(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#trouble === undefined) return resolve()
      if (signal.aborted) return reject(signal.reason)
      const onAbort = () => {
        remove()
        reject(signal.reason)
      }
      const remove = this.addHandler(() => {
        if (this.#trouble !== undefined) return
        remove()
        signal.removeEventListener('abort', onAbort)
        resolve()
      })
      signal.addEventListener('abort', onAbort, { once: true })
    })
  }

  /** Probes until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock } = this.#options
    while (!signal.aborted) {
      await this.#probe(signal)
      const waitMs = this.#failures === 0 ? probeIntervalMs : retryIntervalMs
      await sleep(clock, waitMs, signal).catch(() => {})
    }
  }

  /** Asks the cluster who it is. Rejects with a KubeError, or with a CodedError `ClusterUnreachable` if it is another one than before. */
  async confirm(signal: AbortSignal): Promise<void> {
    const uid = await this.#load(signal)
    if (uid === this.#uid) return
    const message = `cluster ${this.name} ${this.#otherCluster(uid)}`
    throw new CodedError({ code: 'ClusterUnreachable', message, remedy: 'retry' })
  }

  async #probe(signal: AbortSignal): Promise<void> {
    const limit = deadline(this.#options.clock, probeLimitMs, signal)
    try {
      const uid = await this.#load(limit.signal)
      this.#uid ??= uid
      if (uid === this.#uid) return this.#reached()
      this.#failed(this.#otherCluster(uid))
    } catch (thrown) {
      if (signal.aborted) return
      const why = limit.hasPassed() ? `no answer within ${probeLimitMs / 1_000} s` : messageOf(thrown)
      this.#failed(`cannot be reached: ${why}`)
    } finally {
      limit.clear()
    }
  }

  async #load(signal: AbortSignal): Promise<string> {
    const { metadata } = await this.#options.client.get(Namespace, { name: identifyingNamespace }, signal)
    return metadata.uid
  }

  #otherCluster(uid: string): string {
    return `is another cluster than before (UID ${uid}, not ${this.#uid}); connect it to the former one, or restart the operator`
  }

  #reached(): void {
    this.#failures = 0
    this.#set(undefined)
  }

  #failed(trouble: string): void {
    this.#failures += 1
    // Before it was reached for the first time, nothing else can be told.
    if (this.#uid === undefined || this.#failures >= failuresToTell) this.#set(trouble)
  }

  #set(trouble: string | undefined): void {
    const { log } = this.#options.instruments
    const isNews = (this.#trouble === undefined) !== (trouble === undefined)
    const isFirstTrouble = this.#failures === 1 && trouble !== undefined
    this.#trouble = trouble
    this.#gauge.set({ cluster: this.name }, trouble === undefined ? 1 : 0)
    if (trouble === undefined && isNews)
      log.info({ cluster: this.name, uid: this.#uid }, `cluster ${this.name} is reached`)
    if (trouble !== undefined && (isNews || isFirstTrouble))
      log.warn({ cluster: this.name }, `cluster ${this.name} ${trouble}`)
    if (isNews) for (const handler of [...this.#handlers]) handler()
  }
}

/** Every cluster has it, nothing deletes it, and its UID is what others take for the identity of a cluster too. Source: KEP-2149, `cluster.clusterset.k8s.io`. */
const identifyingNamespace = 'kube-system'

/** Which cluster this is: the UID of its namespace kube-system. Rejects with a KubeError. */
export async function loadClusterUid(client: Pick<KubeClient, 'get'>, signal: AbortSignal): Promise<string> {
  return (await client.get(Namespace, { name: identifyingNamespace }, signal)).metadata.uid
}
