// What the controllers of one process share of another cluster.
import type { Informers } from '../cache/informers.ts'
import type { KubeClient } from '../kube/client.ts'
import type { ClusterWatcher } from './cluster-watcher.ts'
import type { InventoryLoaderOptions } from './inventory-loader.ts'

/** Another cluster, as all controllers of the process share it that have their children there. */
export interface RemoteCluster {
  readonly watcher: ClusterWatcher
  readonly client: KubeClient
  readonly discovery: InventoryLoaderOptions['discovery']
  readonly informers: Informers
}
