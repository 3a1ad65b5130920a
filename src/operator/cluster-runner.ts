// Runs what the controllers of one operator share of another cluster: its client, caches and discovery, and the watcher that tells whether it can be
// reached. Invariant: no request to it is waited for by anything that concerns the operator's own cluster alone.
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
  /** Fenced by the lease in the operator's own cluster, where there is one. */
  readonly client: KubeClient
  /** The name of the connection. */
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
    // Its messages begin with the name of the cluster themselves.
    this.watcher = new ClusterWatcher({ clock, instruments, client: options.client, name, homeUid })
    this.discovery = new DiscoveryClient({ clock, client })
    this.informers = new Informers({ clock, random, instruments, client, cluster: name, keepsFieldsOf, namespaces })
  }

  /** Runs until the signal aborts; `stop` waits for the end. */
  start(signal: AbortSignal): void {
    this.informers.start(signal)
    this.#running = this.watcher.run(signal)
  }

  async stop(): Promise<void> {
    await this.#running
    await this.informers.stop()
  }

  /** Never fails: an operator that is ready can replace another one, whether this cluster can be reached or not. */
  get readinessCheck(): HealthCheck {
    const { name } = this.watcher
    const note = () => `cluster ${name} ${this.watcher.trouble ?? 'can be reached'}`
    return { probe: 'ready', name: `cluster-${name}`, check: () => undefined, note }
  }
}

export type ClusterRunners = ReadonlyMap<string, ClusterRunner>

/** Throws a CodedError `UnknownCluster` if a controller has its children in a cluster of which there is no connection. */
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
 * One runner for each cluster that a controller has its children in. Rejects with a CodedError `HomeClusterUnknown` if the operator's own cluster does
 * not say which it is.
 */
export async function openClusters(
  {
    client,
    controllers,
    clients,
    ...shared
  }: Omit<ClusterRunnerOptions, 'name' | 'homeUid'> & {
    readonly controllers: readonly Controller[]
    /** By the names of the connections. */
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
