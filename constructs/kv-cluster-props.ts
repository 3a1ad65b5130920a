// Props of KvCluster, and their derivation from a spec. The operator, `konverge preview` and the samples use the same
// one, so all three give the same manifests.
import type {
  ReplicatedKVStoreSpecEnv,
  ReplicatedKVStoreSpecInput,
  ReplicatedKVStoreSpecPdbInput,
  ReplicatedKVStoreSpecPodTemplate,
  ReplicatedKVStoreSpecProbes,
  ReplicatedKVStoreSpecPvcRetentionInput,
  ReplicatedKVStoreSpecResources,
  ReplicatedKVStoreSpecUpdateStrategy,
} from '../imports/wire/replicated-kv-store.ts'

/** Volume of each replica. */
export interface KvStorage {
  /**
   * A quantity, such as `10Gi`. StatefulSets cannot change it later.
   *
   * @default '1Gi'
   */
  readonly size?: string
  /**
   * StorageClass; the empty string selects existing volumes.
   *
   * @default - the cluster's default class
   */
  readonly storageClassName?: string
}

/** A store, in the terms of a ReplicatedKVStore's spec. */
export interface KvClusterProps {
  /** Name of the store and of its objects: a DNS-1035 label of at most 52 characters. */
  readonly name: string
  /** Container image of every replica. It serves on `port` and keeps its data in /data. */
  readonly image: string
  /** @default 1 */
  readonly replicas?: number
  /** @default - 1Gi of the cluster's default class */
  readonly storage?: KvStorage
  /**
   * TCP port on which every replica serves clients and peers.
   *
   * @default 6379
   */
  readonly port?: number
  /**
   * Environment of the container, besides POD_NAME (the replica's own name) and KV_PEERS (`host:port` that resolves to
   * every replica).
   *
   * @default - none
   */
  readonly env?: readonly ReplicatedKVStoreSpecEnv[]
  /** @default - the image's own */
  readonly args?: readonly string[]
  /** @default - no requests and no limits */
  readonly resources?: ReplicatedKVStoreSpecResources
  /**
   * Placement, labels and annotations of the pods.
   *
   * @default - anywhere
   */
  readonly podTemplate?: ReplicatedKVStoreSpecPodTemplate
  /** @default - the port must accept a connection, for readiness and for liveness */
  readonly probes?: ReplicatedKVStoreSpecProbes
  /**
   * Fate of volume claims that are no longer used.
   *
   * @default - Retain, in both cases
   */
  readonly pvcRetention?: ReplicatedKVStoreSpecPvcRetentionInput
  /** @default - one replica after the other */
  readonly updateStrategy?: ReplicatedKVStoreSpecUpdateStrategy
  /** @default - enabled; never created for a single replica, because it would block node drains */
  readonly pdb?: ReplicatedKVStoreSpecPdbInput
}

/**
 * Returns the props for a spec, as people write it or as the API server returns it: the construct and the CRD have the
 * same defaults.
 *
 * @example new KvCluster(chart, 'store', kvClusterProps(object.metadata.name, object.spec))
 */
export function kvClusterProps(name: string, spec: ReplicatedKVStoreSpecInput): KvClusterProps {
  // Only the operator reads these fields; they do not change the desired objects.
  const { storageClassName, storage = {}, suspend: _, ...same } = spec
  const { reuseRetained: __, ...volume } = storage
  return { ...same, name, storage: { ...volume, ...(storageClassName === undefined ? {} : { storageClassName }) } }
}
