// Tells one controller whether the cluster of its children is usable: the cluster responds, and its caches are filled.
// An unreachable cluster delays the start of its controllers by at most ten seconds; their resources then report the
// reason.
import { type Clock, deadline } from '../base/clock.ts'
import type { Cause } from '../queue/cause.ts'
import type { ClusterState } from './cluster-doubt.ts'
import type { ClusterWatcher } from './cluster-watcher.ts'
import type { HeldKind } from './controller-view.ts'

export interface ClusterStateWatcherOptions {
  readonly clock: Clock
  /** Undefined: the children are in the cluster of their parents. */
  readonly cluster: ClusterWatcher | undefined
  /** The kinds in that cluster. */
  readonly kinds: readonly HeldKind[]
}

/**
 * Time in which a reachable cluster fills the caches of most operators. After it, a slower cluster is treated as an
 * unreachable one.
 */
const startLimitMs = 10_000

export class ClusterStateWatcher {
  readonly #options: ClusterStateWatcherOptions

  constructor(options: ClusterStateWatcherOptions) {
    this.#options = options
  }

  get state(): ClusterState {
    const { cluster, kinds } = this.#options
    const [unknown] = kinds.filter(({ informer }) => !informer.hasSynced && informer.isServed)
    const [health] = unknown?.informer.health.filter(({ state }) => state !== 'synced') ?? []
    const listing =
      health && `has not listed ${health.resource} yet: ${health.lastError ?? 'the first list is under way'}`
    return { cluster, trouble: cluster?.trouble ?? listing }
  }

  /** Resolves when the cluster is usable, or after ten seconds. Rejects with the signal's reason. */
  async waitUntilUsable(signal: AbortSignal): Promise<void> {
    const limit = deadline(this.#options.clock, startLimitMs, signal)
    try {
      await this.#untilUsable(limit.signal)
    } catch (thrown) {
      if (!limit.hasPassed()) throw thrown
    } finally {
      limit.clear()
    }
  }

  /**
   * Calls back with a cause to reconcile all resources whenever the cluster becomes usable or unusable, until the
   * signal aborts.
   */
  watch(onCause: (cause: Cause) => void, signal: AbortSignal): void {
    const { cluster } = this.#options
    if (cluster === undefined) return
    const onChange = () => {
      const change = this.state.trouble === undefined ? 'can be reached' : 'cannot be reached'
      onCause({ kind: 'watched', detail: `cluster ${cluster.name} ${change}` })
    }
    const remove = cluster.addHandler(onChange)
    signal.addEventListener('abort', remove, { once: true })
    // Rejects only when the signal aborts.
    if (this.state.trouble !== undefined) void this.#untilUsable(signal).then(onChange, () => {})
  }

  async #untilUsable(signal: AbortSignal): Promise<void> {
    const { cluster, kinds } = this.#options
    await cluster?.waitUntilReached(signal)
    await Promise.all(kinds.map(({ informer }) => informer.waitUntilKnown(signal)))
  }
}
