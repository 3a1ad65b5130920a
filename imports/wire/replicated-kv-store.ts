// Generated from crds/replicated-kv-store.yaml by `konverge generate`. Do not edit: change the definition and generate again.
// How ReplicatedKVStore of data.konverge.dev looks on the wire.

/** Replicated key-value store. Each replica has a stable DNS name and its own volume. */
export const ReplicatedKVStore: ReplicatedKVStoreResource = Object.freeze({
  group: 'data.konverge.dev',
  version: 'v1alpha1',
  kind: 'ReplicatedKVStore',
  plural: 'replicatedkvstores',
  scope: 'Namespaced',
})

/** The type of the descriptor `ReplicatedKVStore`: a Resource<ReplicatedKVStoreSpec, ReplicatedKVStoreStatus>. */
export interface ReplicatedKVStoreResource {
  readonly group: 'data.konverge.dev'
  readonly version: 'v1alpha1'
  readonly kind: 'ReplicatedKVStore'
  readonly plural: 'replicatedkvstores'
  readonly scope: 'Namespaced'
  /** Types only; never present at run time. */
  readonly types?: { readonly spec: ReplicatedKVStoreSpec; readonly status: ReplicatedKVStoreStatus }
}

/**
 * Desired state of the store.
 * Rule: storageClassName is immutable: volumes cannot change their class; create another store and copy the data.
 * Rule: partition must not be greater than replicas.
 */
export interface ReplicatedKVStoreSpec {
  /**
   * Suspends reconciliation. The operator changes nothing, a deletion waits, and the pods keep running. The annotation
   * konverge.dev/paused does the same without a spec change. Default: false.
   */
  readonly suspend?: boolean
  /**
   * Number of replicas. The operator replaces lost pods and never scales the store by itself. Range: 1 to 1000.
   * Default: 1.
   * At least 1. At most 1000. Format int32.
   * @default 1
   */
  readonly replicas: number
  /**
   * Container image of the replicas. It runs as user 65532 with a read-only root file system. It can write to the
   * volume at /data and to /tmp.
   * At least 1 character. At most 1024 characters.
   */
  readonly image: string
  /**
   * StorageClass of the volumes. Default: the cluster's default class. The empty string selects existing volumes.
   * Immutable.
   * At most 253 characters.
   */
  readonly storageClassName?: string
  /**
   * Storage of each replica.
   * @default {}
   */
  readonly storage: ReplicatedKVStoreSpecStorage
  /**
   * TCP port for clients and peers. Range: 1 to 65535. Default: 6379.
   * At least 1. At most 65535. Format int32.
   * @default 6379
   */
  readonly port: number
  /**
   * Environment variables of the container. The operator adds POD_NAME and KV_PEERS.
   * At most 100 items. One item for each name.
   */
  readonly env?: readonly ReplicatedKVStoreSpecEnv[]
  /**
   * Arguments of the entry point. Default: the arguments of the image.
   * At most 100 items.
   */
  readonly args?: readonly string[]
  /** Compute resources of the container. */
  readonly resources?: ReplicatedKVStoreSpecResources
  /** Scheduling and annotations of the pods. */
  readonly podTemplate?: ReplicatedKVStoreSpecPodTemplate
  /**
   * Health checks of each replica. A probe that is absent or has no check opens a TCP connection to the store's port.
   */
  readonly probes?: ReplicatedKVStoreSpecProbes
  /**
   * Retention of volume claims that are no longer used.
   * @default {}
   */
  readonly pvcRetention: ReplicatedKVStoreSpecPvcRetention
  /** Rolling update of the replicas. Default: one replica at a time, highest ordinal first. */
  readonly updateStrategy?: ReplicatedKVStoreSpecUpdateStrategy
  /**
   * PodDisruptionBudget that allows the eviction of one replica at a time.
   * @default {}
   */
  readonly pdb: ReplicatedKVStoreSpecPdb
}

/**
 * Desired state of the store.
 * Rule: storageClassName is immutable: volumes cannot change their class; create another store and copy the data.
 * Rule: partition must not be greater than replicas.
 */
export interface ReplicatedKVStoreSpecInput {
  /**
   * Suspends reconciliation. The operator changes nothing, a deletion waits, and the pods keep running. The annotation
   * konverge.dev/paused does the same without a spec change. Default: false.
   */
  readonly suspend?: boolean
  /**
   * Number of replicas. The operator replaces lost pods and never scales the store by itself. Range: 1 to 1000.
   * Default: 1.
   * At least 1. At most 1000. Format int32.
   * @default 1
   */
  readonly replicas?: number
  /**
   * Container image of the replicas. It runs as user 65532 with a read-only root file system. It can write to the
   * volume at /data and to /tmp.
   * At least 1 character. At most 1024 characters.
   */
  readonly image: string
  /**
   * StorageClass of the volumes. Default: the cluster's default class. The empty string selects existing volumes.
   * Immutable.
   * At most 253 characters.
   */
  readonly storageClassName?: string
  /**
   * Storage of each replica.
   * @default {}
   */
  readonly storage?: ReplicatedKVStoreSpecStorageInput
  /**
   * TCP port for clients and peers. Range: 1 to 65535. Default: 6379.
   * At least 1. At most 65535. Format int32.
   * @default 6379
   */
  readonly port?: number
  /**
   * Environment variables of the container. The operator adds POD_NAME and KV_PEERS.
   * At most 100 items. One item for each name.
   */
  readonly env?: readonly ReplicatedKVStoreSpecEnv[]
  /**
   * Arguments of the entry point. Default: the arguments of the image.
   * At most 100 items.
   */
  readonly args?: readonly string[]
  /** Compute resources of the container. */
  readonly resources?: ReplicatedKVStoreSpecResources
  /** Scheduling and annotations of the pods. */
  readonly podTemplate?: ReplicatedKVStoreSpecPodTemplate
  /**
   * Health checks of each replica. A probe that is absent or has no check opens a TCP connection to the store's port.
   */
  readonly probes?: ReplicatedKVStoreSpecProbes
  /**
   * Retention of volume claims that are no longer used.
   * @default {}
   */
  readonly pvcRetention?: ReplicatedKVStoreSpecPvcRetentionInput
  /** Rolling update of the replicas. Default: one replica at a time, highest ordinal first. */
  readonly updateStrategy?: ReplicatedKVStoreSpecUpdateStrategy
  /**
   * PodDisruptionBudget that allows the eviction of one replica at a time.
   * @default {}
   */
  readonly pdb?: ReplicatedKVStoreSpecPdbInput
}

/** Observed state of the store. */
export interface ReplicatedKVStoreStatus {
  /**
   * Generation of the spec that this status describes.
   * Format int64.
   */
  readonly observedGeneration?: number
  /** Value of the annotation konverge.dev/reconcile-now at the last completed reconciliation. */
  readonly lastHandledReconcileAt?: string
  /**
   * Number of existing pods.
   * Format int32.
   */
  readonly replicas?: number
  /**
   * Number of ready pods.
   * Format int32.
   */
  readonly readyReplicas?: number
  /**
   * Number of pods at the update revision.
   * Format int32.
   */
  readonly updatedReplicas?: number
  /** Revision of the replicas below the partition. */
  readonly currentRevision?: string
  /** Newest revision. */
  readonly updateRevision?: string
  /** Label selector of the pods as text, for the scale subresource. */
  readonly selector?: string
  /** Stable DNS name and port of each replica, by ordinal. */
  readonly endpoints?: readonly string[]
  /**
   * Claims of removed replicas that no replica uses; see spec.storage.reuseRetained.
   * No item twice.
   */
  readonly retainedPVCs?: readonly string[]
  /**
   * Conditions of the store. Always: Ready, Progressing, Degraded and Available. While true: Reconciling and Stalled.
   * One item for each type.
   */
  readonly conditions?: readonly ReplicatedKVStoreStatusConditions[]
}

/** Storage of each replica. */
export interface ReplicatedKVStoreSpecStorage {
  /**
   * Size of each volume, e.g. 10Gi. It can only increase. Existing volumes grow without a restart of the pods if their
   * StorageClass allows expansion. Default: 1Gi.
   * At least 1 character. At most 32 characters.
   * Rule: size must be a quantity greater than zero, e.g. 10Gi.
   * Rule: size cannot decrease: volumes cannot shrink.
   * @default "1Gi"
   */
  readonly size: string
  /**
   * Reuse of a retained volume by an added replica with the same ordinal. The data of that volume is older than the
   * store. Refuse keeps the current replica count until the claim is deleted or the value is Allow. A new store always
   * reuses the volumes of its name. Default: Refuse.
   * @default "Refuse"
   */
  readonly reuseRetained: 'Refuse' | 'Allow'
}

/**
 * Rule: POD_NAME and KV_PEERS are set by the operator.
 * Rule: set only one of value and valueFrom.
 */
export interface ReplicatedKVStoreSpecEnv {
  /**
   * Name of the variable.
   * At least 1 character. At most 256 characters. Matches `^[^=]+$`.
   */
  readonly name: string
  /** Value of the variable. References of the form `$(NAME)` are expanded. */
  readonly value?: string
  /**
   * Source of the value. Exactly one source is required.
   * Rule: set exactly one of configMapKeyRef, fieldRef and secretKeyRef.
   */
  readonly valueFrom?: ReplicatedKVStoreSpecEnvValueFrom
}

/**
 * Source of the value. Exactly one source is required.
 * Rule: set exactly one of configMapKeyRef, fieldRef and secretKeyRef.
 */
export interface ReplicatedKVStoreSpecEnvValueFrom {
  /** Key of a ConfigMap in the same namespace. */
  readonly configMapKeyRef?: ReplicatedKVStoreSpecEnvValueFromConfigMapKeyRef
  /** Field of the pod. */
  readonly fieldRef?: ReplicatedKVStoreSpecEnvValueFromFieldRef
  /**
   * Key of a Secret in the same namespace. The Secret must exist and have the label
   * data.konverge.dev/usable-by-replicatedkvstore.
   */
  readonly secretKeyRef?: ReplicatedKVStoreSpecEnvValueFromSecretKeyRef
}

/** Key of a ConfigMap in the same namespace. */
export interface ReplicatedKVStoreSpecEnvValueFromConfigMapKeyRef {
  /**
   * Name of the ConfigMap.
   * At least 1 character. At most 253 characters.
   */
  readonly name: string
  /**
   * Key in the data of the ConfigMap.
   * At least 1 character. At most 253 characters.
   */
  readonly key: string
  /** Starts the pod without the ConfigMap or the key. Default: false. */
  readonly optional?: boolean
}

/** Field of the pod. */
export interface ReplicatedKVStoreSpecEnvValueFromFieldRef {
  /**
   * Path of the field, e.g. status.podIP.
   * At least 1 character. At most 512 characters.
   */
  readonly fieldPath: string
}

/**
 * Key of a Secret in the same namespace. The Secret must exist and have the label
 * data.konverge.dev/usable-by-replicatedkvstore.
 */
export interface ReplicatedKVStoreSpecEnvValueFromSecretKeyRef {
  /**
   * Name of the Secret.
   * At least 1 character. At most 253 characters.
   */
  readonly name: string
  /**
   * Key in the data of the Secret.
   * At least 1 character. At most 253 characters.
   */
  readonly key: string
  /** Starts the pod without the key. Default: false. */
  readonly optional?: boolean
}

/** Compute resources of the container. */
export interface ReplicatedKVStoreSpecResources {
  /**
   * Maximum compute resources, as quantities by resource name, e.g. cpu and memory.
   * At most 16 keys.
   */
  readonly limits?: Readonly<Record<string, number | string>>
  /**
   * Requested compute resources, as quantities by resource name, e.g. cpu and memory.
   * At most 16 keys.
   */
  readonly requests?: Readonly<Record<string, number | string>>
}

/** Scheduling and annotations of the pods. */
export interface ReplicatedKVStoreSpecPodTemplate {
  /** Scheduling constraints, as in spec.affinity of a Pod. */
  readonly affinity?: Readonly<Record<string, unknown>>
  /**
   * Tolerations of the pods.
   * At most 64 items.
   */
  readonly tolerations?: readonly ReplicatedKVStoreSpecPodTemplateTolerations[]
  /**
   * Labels that a node must have.
   * At most 64 keys.
   */
  readonly nodeSelector?: Readonly<Record<string, string>>
  /**
   * Annotations of the pods. Keys of konverge.dev and its subdomains are reserved.
   * At most 64 keys.
   * Rule: keys of konverge.dev and its subdomains are reserved; set them on the object with kubectl.
   */
  readonly annotations?: Readonly<Record<string, string>>
}

export interface ReplicatedKVStoreSpecPodTemplateTolerations {
  /** Key of the taint. Default: all keys. */
  readonly key?: string
  /** Comparison of key and value. Default: Equal. */
  readonly operator?: 'Equal' | 'Exists'
  /** Value of the taint. */
  readonly value?: string
  /** Effect of the taint. Default: all effects. */
  readonly effect?: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute'
  /**
   * Time in seconds for which a NoExecute taint is tolerated. Default: indefinitely.
   * Format int64.
   */
  readonly tolerationSeconds?: number
}

/** Health checks of each replica. A probe that is absent or has no check opens a TCP connection to the store's port. */
export interface ReplicatedKVStoreSpecProbes {
  /**
   * Readiness probe. A replica that fails it receives no traffic.
   * Rule: set at most one of exec, httpGet and tcpSocket.
   */
  readonly readiness?: ReplicatedKVStoreSpecProbesReadiness
  /**
   * Liveness probe. The kubelet restarts a replica that fails it.
   * Rule: set at most one of exec, httpGet and tcpSocket.
   */
  readonly liveness?: ReplicatedKVStoreSpecProbesLiveness
}

/**
 * Readiness probe. A replica that fails it receives no traffic.
 * Rule: set at most one of exec, httpGet and tcpSocket.
 */
export interface ReplicatedKVStoreSpecProbesReadiness {
  /** Command that succeeds with exit code 0. */
  readonly exec?: ReplicatedKVStoreSpecProbesReadinessExec
  /** HTTP GET request that succeeds with a status from 200 to 399. */
  readonly httpGet?: ReplicatedKVStoreSpecProbesReadinessHttpGet
  /** TCP connection that succeeds when it opens. */
  readonly tcpSocket?: ReplicatedKVStoreSpecProbesReadinessTcpSocket
  /**
   * Delay before the first check, in seconds. Default: 0.
   * At least 0. Format int32.
   */
  readonly initialDelaySeconds?: number
  /**
   * Interval between checks, in seconds. Default: 10.
   * At least 1. Format int32.
   */
  readonly periodSeconds?: number
  /**
   * Timeout of a check, in seconds. Default: 1.
   * At least 1. Format int32.
   */
  readonly timeoutSeconds?: number
  /**
   * Number of consecutive failures after which the probe fails. Default: 3.
   * At least 1. Format int32.
   */
  readonly failureThreshold?: number
}

/** Command that succeeds with exit code 0. */
export interface ReplicatedKVStoreSpecProbesReadinessExec {
  /**
   * Command and arguments. They do not run in a shell.
   * At least 1 item. At most 100 items.
   */
  readonly command: readonly string[]
}

/** HTTP GET request that succeeds with a status from 200 to 399. */
export interface ReplicatedKVStoreSpecProbesReadinessHttpGet {
  /**
   * Path of the request. Default: /.
   * At most 2048 characters.
   */
  readonly path?: string
  /**
   * Port of the request. Default: the store's port.
   * At least 1. At most 65535. Format int32.
   */
  readonly port?: number
  /** Scheme of the request. Default: HTTP. */
  readonly scheme?: 'HTTP' | 'HTTPS'
}

/** TCP connection that succeeds when it opens. */
export interface ReplicatedKVStoreSpecProbesReadinessTcpSocket {
  /**
   * Port of the connection. Default: the store's port.
   * At least 1. At most 65535. Format int32.
   */
  readonly port?: number
}

/**
 * Liveness probe. The kubelet restarts a replica that fails it.
 * Rule: set at most one of exec, httpGet and tcpSocket.
 */
export interface ReplicatedKVStoreSpecProbesLiveness {
  /** Command that succeeds with exit code 0. */
  readonly exec?: ReplicatedKVStoreSpecProbesLivenessExec
  /** HTTP GET request that succeeds with a status from 200 to 399. */
  readonly httpGet?: ReplicatedKVStoreSpecProbesLivenessHttpGet
  /** TCP connection that succeeds when it opens. */
  readonly tcpSocket?: ReplicatedKVStoreSpecProbesLivenessTcpSocket
  /**
   * Delay before the first check, in seconds. Default: 0.
   * At least 0. Format int32.
   */
  readonly initialDelaySeconds?: number
  /**
   * Interval between checks, in seconds. Default: 10.
   * At least 1. Format int32.
   */
  readonly periodSeconds?: number
  /**
   * Timeout of a check, in seconds. Default: 1.
   * At least 1. Format int32.
   */
  readonly timeoutSeconds?: number
  /**
   * Number of consecutive failures after which the probe fails. Default: 3.
   * At least 1. Format int32.
   */
  readonly failureThreshold?: number
}

/** Command that succeeds with exit code 0. */
export interface ReplicatedKVStoreSpecProbesLivenessExec {
  /**
   * Command and arguments. They do not run in a shell.
   * At least 1 item. At most 100 items.
   */
  readonly command: readonly string[]
}

/** HTTP GET request that succeeds with a status from 200 to 399. */
export interface ReplicatedKVStoreSpecProbesLivenessHttpGet {
  /**
   * Path of the request. Default: /.
   * At most 2048 characters.
   */
  readonly path?: string
  /**
   * Port of the request. Default: the store's port.
   * At least 1. At most 65535. Format int32.
   */
  readonly port?: number
  /** Scheme of the request. Default: HTTP. */
  readonly scheme?: 'HTTP' | 'HTTPS'
}

/** TCP connection that succeeds when it opens. */
export interface ReplicatedKVStoreSpecProbesLivenessTcpSocket {
  /**
   * Port of the connection. Default: the store's port.
   * At least 1. At most 65535. Format int32.
   */
  readonly port?: number
}

/** Retention of volume claims that are no longer used. */
export interface ReplicatedKVStoreSpecPvcRetention {
  /**
   * Retention when the store is deleted. Default: Retain.
   * @default "Retain"
   */
  readonly whenDeleted: 'Retain' | 'Delete'
  /**
   * Retention when a replica is removed. Default: Retain.
   * @default "Retain"
   */
  readonly whenScaled: 'Retain' | 'Delete'
}

/** Rolling update of the replicas. Default: one replica at a time, highest ordinal first. */
export interface ReplicatedKVStoreSpecUpdateStrategy {
  /**
   * Lowest ordinal to update, for canary updates. Range: 0 to replicas. Default: 0.
   * At least 0. Format int32.
   */
  readonly partition?: number
  /**
   * Maximum number of unavailable replicas during an update, as a number or a percentage. Requires Kubernetes 1.35.
   * Default: 1.
   * At least 1. Matches `^([1-9][0-9]?|100)%$`.
   */
  readonly maxUnavailable?: number | string
}

/** PodDisruptionBudget that allows the eviction of one replica at a time. */
export interface ReplicatedKVStoreSpecPdb {
  /**
   * Creates the PodDisruptionBudget. A store with one replica has none, because it would block node drains. Default:
   * true.
   * @default true
   */
  readonly enabled: boolean
}

/** Storage of each replica. */
export interface ReplicatedKVStoreSpecStorageInput {
  /**
   * Size of each volume, e.g. 10Gi. It can only increase. Existing volumes grow without a restart of the pods if their
   * StorageClass allows expansion. Default: 1Gi.
   * At least 1 character. At most 32 characters.
   * Rule: size must be a quantity greater than zero, e.g. 10Gi.
   * Rule: size cannot decrease: volumes cannot shrink.
   * @default "1Gi"
   */
  readonly size?: string
  /**
   * Reuse of a retained volume by an added replica with the same ordinal. The data of that volume is older than the
   * store. Refuse keeps the current replica count until the claim is deleted or the value is Allow. A new store always
   * reuses the volumes of its name. Default: Refuse.
   * @default "Refuse"
   */
  readonly reuseRetained?: 'Refuse' | 'Allow'
}

/** Retention of volume claims that are no longer used. */
export interface ReplicatedKVStoreSpecPvcRetentionInput {
  /**
   * Retention when the store is deleted. Default: Retain.
   * @default "Retain"
   */
  readonly whenDeleted?: 'Retain' | 'Delete'
  /**
   * Retention when a replica is removed. Default: Retain.
   * @default "Retain"
   */
  readonly whenScaled?: 'Retain' | 'Delete'
}

/** PodDisruptionBudget that allows the eviction of one replica at a time. */
export interface ReplicatedKVStoreSpecPdbInput {
  /**
   * Creates the PodDisruptionBudget. A store with one replica has none, because it would block node drains. Default:
   * true.
   * @default true
   */
  readonly enabled?: boolean
}

export interface ReplicatedKVStoreStatusConditions {
  /**
   * Type of the condition.
   * At least 1 character. At most 316 characters.
   */
  readonly type: string
  /** Status of the condition: True, False or Unknown. */
  readonly status: 'True' | 'False' | 'Unknown'
  /**
   * Generation of the spec that the condition was evaluated for.
   * At least 0. Format int64.
   */
  readonly observedGeneration?: number
  /**
   * Time of the last change of status.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly lastTransitionTime: string
  /**
   * Machine-readable reason in CamelCase.
   * At least 1 character. At most 1024 characters.
   */
  readonly reason: string
  /**
   * Human-readable details.
   * At most 32768 characters.
   */
  readonly message: string
}
