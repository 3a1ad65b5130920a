// The cluster of a controller's children, where it is not the cluster of their parents. Clusters are known by the UID of their namespace
// kube-system, because a connection can lead to another cluster tomorrow. Invariant: nothing that one cluster says changes what a parent
// recorded in another. Pure.

export interface ChildCluster {
  /** The name of the connection, as in `childrenIn`. */
  readonly name: string
  /** Undefined until the cluster has been reached. */
  readonly uid: string | undefined
  /** Of the cluster of the parents. */
  readonly homeUid: string
}

/** ` in cluster edge`, or nothing for a child in the cluster of its parent: ends the name of an object in a message. */
export function describeCluster(cluster: Pick<ChildCluster, 'name'> | undefined): string {
  return cluster === undefined ? '' : ` in cluster ${cluster.name}`
}
