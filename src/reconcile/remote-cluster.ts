// Connection to another cluster that the controllers of one process share.
import type { Informers } from '../cache/informers.ts'
import type { KubeClient } from '../kube/client.ts'
import type { ClusterWatcher } from './cluster-watcher.ts'
import type { InventoryLoaderOptions } from './inventory-loader.ts'

/** Another cluster; shared by all controllers of the process that have their children there. */
export interface RemoteCluster {
  readonly watcher: ClusterWatcher
  readonly client: KubeClient
  readonly discovery: InventoryLoaderOptions['discovery']
  readonly informers: Informers
}
