// Watches whether the cluster behind a named connection is reachable and remains the same cluster. Invariant: `uid` is
// that of the cluster that responded first. While the connection leads to another cluster, the cluster counts as
// unreachable.
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

/**
 * Interval of the probes while the cluster is reachable: one request per cluster, whatever the number of resources with
 * children there.
 */
const probeIntervalMs = 30_000
/** Interval of the probes after a failure. */
const retryIntervalMs = 5_000
const probeLimitMs = 10_000
/** Failures in a row after which the cluster counts as unreachable: one lost request is no outage. */
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

  /**
   * Reason why the cluster is unreachable, worded to follow its name: `cannot be reached: connection refused`.
   * Undefined if it is reachable.
   */
  get trouble(): string | undefined {
    return this.#trouble
  }

  /** Calls back when `trouble` appears or disappears. Returns a function that removes the handler. */
  addHandler(handler: () => void): () => void {
    this.#handlers.add(handler)
    return () => void this.#handlers.delete(handler)
  }

  /** Resolves when the cluster is reachable, or rejects with the signal's reason. */
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

  /**
   * Confirms the identity of the cluster. Rejects with a KubeError, or with a CodedError `ClusterUnreachable` if it is
   * another cluster than before.
   */
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
    // Before the first success there is no earlier state to keep.
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

/**
 * Every cluster has this namespace, and nothing deletes it. Its UID is the identity of a cluster for other tools too.
 * Source: KEP-2149, `cluster.clusterset.k8s.io`.
 */
const identifyingNamespace = 'kube-system'

/** Returns the identity of the cluster: the UID of its namespace kube-system. Rejects with a KubeError. */
export async function loadClusterUid(client: Pick<KubeClient, 'get'>, signal: AbortSignal): Promise<string> {
  return (await client.get(Namespace, { name: identifyingNamespace }, signal)).metadata.uid
}
