// The cluster of a controller's children, if it is not the cluster of their parents. Its identity is the UID of its
// namespace kube-system, because a connection can lead to another cluster later. Invariant: the state of one cluster
// never changes what a parent recorded in another. Pure.

export interface ChildCluster {
  /** The name of the connection, as in `childrenIn`. */
  readonly name: string
  /** Undefined until the cluster has been reached. */
  readonly uid: string | undefined
  /** UID of the cluster of the parents. */
  readonly homeUid: string
}

/** ` in cluster edge`, or nothing for a child in the cluster of its parent: ends the name of an object in a message. */
export function describeCluster(cluster: Pick<ChildCluster, 'name'> | undefined): string {
  return cluster === undefined ? '' : ` in cluster ${cluster.name}`
}
