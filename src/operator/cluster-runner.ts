// Shared parts of the controllers for another cluster: client, caches, discovery, and the watcher of its reachability.
// Invariant: work that concerns only the operator's own cluster never waits for a request to another one.
import type { Clock } from '../base/clock.ts'
import { CodedError, messageOf } from '../base/errors.ts'
import type { Instruments } from '../base/instrument.ts'
import type { Random } from '../base/random.ts'
import { Informers } from '../cache/informers.ts'
import type { KubeClient } from '../kube/client.ts'
import { DiscoveryClient } from '../kube/discovery-client.ts'
import { DiscreetClient } from '../kube/discreet-client.ts'
import { isChildManager } from '../object/identity.ts'
import { ClusterWatcher, loadClusterUid } from '../reconcile/cluster-watcher.ts'
import type { Controller } from '../reconcile/definition.ts'
import type { RemoteCluster } from '../reconcile/remote-cluster.ts'
import type { HealthCheck } from '../telemetry/health.ts'

export interface ClusterRunnerOptions {
  readonly clock: Clock
  readonly random: Random
  readonly instruments: Instruments
  /** Client of the cluster; fenced by the Lease in the operator's own cluster if there is one. */
  readonly client: KubeClient
  /** Name of the connection. */
  readonly name: string
  readonly homeUid: string
  readonly namespaces?: readonly string[] | undefined
}

export class ClusterRunner implements RemoteCluster {
  readonly watcher: ClusterWatcher
  readonly client: KubeClient
  readonly discovery: DiscoveryClient
  readonly informers: Informers
  #running: Promise<void> | undefined

  constructor({ clock, random, instruments, name, homeUid, namespaces, ...options }: ClusterRunnerOptions) {
    const client = new DiscreetClient(options.client, { cluster: name })
    const keepsFieldsOf = isChildManager
    this.client = client
    // The unwrapped client, because the watcher's messages already start with the name of the cluster.
    this.watcher = new ClusterWatcher({ clock, instruments, client: options.client, name, homeUid })
    this.discovery = new DiscoveryClient({ clock, client })
    this.informers = new Informers({ clock, random, instruments, client, cluster: name, keepsFieldsOf, namespaces })
  }

  /** Starts the caches and the watcher; they run until the signal aborts. `stop` waits for their end. */
  start(signal: AbortSignal): void {
    this.informers.start(signal)
    this.#running = this.watcher.run(signal)
  }

  async stop(): Promise<void> {
    await this.#running
    await this.informers.stop()
  }

  /**
   * Readiness check that never fails: a rollout of the operator must not depend on whether this cluster is reachable.
   */
  get readinessCheck(): HealthCheck {
    const { name } = this.watcher
    const note = () => `cluster ${name} ${this.watcher.trouble ?? 'can be reached'}`
    return { probe: 'ready', name: `cluster-${name}`, check: () => undefined, note }
  }
}

export type ClusterRunners = ReadonlyMap<string, ClusterRunner>

/** Throws a CodedError `UnknownCluster` if a controller has its children in a cluster without a connection. */
export function assertConnected(controllers: readonly Controller[], connections: readonly string[]): void {
  const lost = controllers.find(({ childrenIn }) => childrenIn !== undefined && !connections.includes(childrenIn))
  if (lost === undefined) return
  throw new CodedError({
    code: 'UnknownCluster',
    message: `${lost.name} has its children in cluster ${lost.childrenIn}, and the operator has no connection of that name; add it to clusters`,
    remedy: 'stop',
  })
}

/**
 * Returns one runner for each cluster that holds children of a controller. Rejects with a CodedError
 * `HomeClusterUnknown` if the operator cannot read the identity of its own cluster.
 */
export async function openClusters(
  {
    client,
    controllers,
    clients,
    ...shared
  }: Omit<ClusterRunnerOptions, 'name' | 'homeUid'> & {
    readonly controllers: readonly Controller[]
    /** Clients by the names of their connections. */
    readonly clients: Readonly<Record<string, KubeClient>>
  },
  signal: AbortSignal,
): Promise<ClusterRunners> {
  const names = new Set(controllers.flatMap(({ childrenIn }) => childrenIn ?? []))
  if (names.size === 0) return new Map()
  const homeUid = await homeUidOf(client, signal)
  return new Map(
    Object.entries(clients)
      .filter(([name]) => names.has(name))
      .map(([name, remote]) => [name, new ClusterRunner({ ...shared, name, homeUid, client: remote })]),
  )
}

async function homeUidOf(client: KubeClient, signal: AbortSignal): Promise<string> {
  try {
    return await loadClusterUid(client, signal)
  } catch (thrown) {
    signal.throwIfAborted()
    throw new CodedError({
      code: 'HomeClusterUnknown',
      message: `children in other clusters bear the UID of this cluster's namespace kube-system, which cannot be read: ${messageOf(thrown)}; grant the operator the verb get on it`,
      remedy: 'stop',
      cause: thrown,
    })
  }
}
