// What has to be said of a store, in a cdk8s app and in a ReplicatedKVStore? Props of KvCluster, and the way to them from a
// spec: the same for the operator, for `konverge preview` and for samples, so that all three give the same manifests.
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

/** The volume of each replica. */
export interface KvStorage {
  /**
   * A quantity, such as `10Gi`. StatefulSets cannot change it later.
   * @default '1Gi'
   */
  readonly size?: string
  /**
   * The StorageClass; the empty string means volumes that exist already.
   * @default - the cluster's default class
   */
  readonly storageClassName?: string
}

/** A store, in the terms of a ReplicatedKVStore's spec. */
export interface KvClusterProps {
  /** The name of the store and of its objects: a DNS-1035 label of at most 52 characters. */
  readonly name: string
  /** The container image that every replica runs. It serves on `port` and keeps its data in /data. */
  readonly image: string
  /** @default 1 */
  readonly replicas?: number
  /** @default - 1Gi of the cluster's default class */
  readonly storage?: KvStorage
  /**
   * The TCP port on which every replica serves clients and peers.
   * @default 6379
   */
  readonly port?: number
  /**
   * Environment of the container, besides POD_NAME (the replica's own name) and KV_PEERS (`host:port` that resolves to
   * every replica).
   * @default - none
   */
  readonly env?: readonly ReplicatedKVStoreSpecEnv[]
  /** @default - the image's own */
  readonly args?: readonly string[]
  /** @default - no requests and no limits */
  readonly resources?: ReplicatedKVStoreSpecResources
  /**
   * Where the pods run, and how they are marked.
   * @default - anywhere
   */
  readonly podTemplate?: ReplicatedKVStoreSpecPodTemplate
  /** @default - the port must accept a connection, for readiness and for liveness */
  readonly probes?: ReplicatedKVStoreSpecProbes
  /**
   * What becomes of volume claims that are no longer used.
   * @default - Retain, in both cases
   */
  readonly pvcRetention?: ReplicatedKVStoreSpecPvcRetentionInput
  /** @default - one replica after the other */
  readonly updateStrategy?: ReplicatedKVStoreSpecUpdateStrategy
  /** @default - enabled; there is none for a single replica all the same, because it would block node drains */
  readonly pdb?: ReplicatedKVStoreSpecPdbInput
}

/**
 * The props for a spec, be it as people write it or as the server returns it: the construct's defaults are the CRD's.
 *
 * @example new KvCluster(chart, 'store', kvClusterProps(object.metadata.name, object.spec))
 */
export function kvClusterProps(name: string, spec: ReplicatedKVStoreSpecInput): KvClusterProps {
  // Between a person and the operator; what should be stays the same.
  const { storageClassName, storage = {}, suspend: _, ...same } = spec
  const { reuseRetained: __, ...volume } = storage
  return { ...same, name, storage: { ...volume, ...(storageClassName === undefined ? {} : { storageClassName }) } }
}
