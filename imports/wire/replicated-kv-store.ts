// Generated from crds/replicated-kv-store.yaml by `konverge generate`. Do not edit: change the definition and generate again.
// How ReplicatedKVStore of data.konverge.dev looks on the wire.

/** A replicated key-value store whose replicas have stable names and volumes of their own. */
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
 * What the store should be.
 * Rule: storageClassName is immutable, because volumes cannot change their class; create a new store and copy the data.
 * Rule: partition must not be greater than replicas.
 */
export interface ReplicatedKVStoreSpec {
  /**
   * Whether the operator leaves the store alone: while true nothing of it is changed, and its deletion waits. The pods
   * go on. For a while and by hand, the annotation konverge.dev/paused does the same.
   */
  readonly suspend?: boolean
  /**
   * How many pods keep the data. Only this field decides; pods that are lost are replaced, never given up.
   * At least 1. At most 1000. Format int32.
   * @default 1
   */
  readonly replicas: number
  /**
   * Container image of every replica. It runs as user 65532 with a read-only root: it can write to /data, the volume,
   * and /tmp.
   * At least 1 character. At most 1024 characters.
   */
  readonly image: string
  /**
   * The StorageClass of the volumes. Without it the cluster's default class is taken; the empty string means volumes
   * that exist already. Immutable.
   * At most 253 characters.
   */
  readonly storageClassName?: string
  /**
   * The volume of each replica.
   * @default {}
   */
  readonly storage: ReplicatedKVStoreSpecStorage
  /**
   * The TCP port on which every replica serves clients and peers.
   * At least 1. At most 65535. Format int32.
   * @default 6379
   */
  readonly port: number
  /**
   * Environment of the container, besides POD_NAME and KV_PEERS, which the operator sets.
   * At most 100 items. One item for each name.
   */
  readonly env?: readonly ReplicatedKVStoreSpecEnv[]
  /**
   * Arguments of the image's entry point. Without them the image's own are used.
   * At most 100 items.
   */
  readonly args?: readonly string[]
  /** Compute resources of the container. */
  readonly resources?: ReplicatedKVStoreSpecResources
  /** Where the pods run, and how they are marked. */
  readonly podTemplate?: ReplicatedKVStoreSpecPodTemplate
  /**
   * How a replica's health is checked. A probe that is not given, or names no check, opens a TCP connection to the
   * port.
   */
  readonly probes?: ReplicatedKVStoreSpecProbes
  /**
   * What becomes of volume claims that are no longer used.
   * @default {}
   */
  readonly pvcRetention: ReplicatedKVStoreSpecPvcRetention
  /** How a change reaches the replicas. Without it one after the other, the highest ordinal first. */
  readonly updateStrategy?: ReplicatedKVStoreSpecUpdateStrategy
  /**
   * The PodDisruptionBudget, which lets node drains take one replica at a time.
   * @default {}
   */
  readonly pdb: ReplicatedKVStoreSpecPdb
}

/**
 * What the store should be.
 * Rule: storageClassName is immutable, because volumes cannot change their class; create a new store and copy the data.
 * Rule: partition must not be greater than replicas.
 */
export interface ReplicatedKVStoreSpecInput {
  /**
   * Whether the operator leaves the store alone: while true nothing of it is changed, and its deletion waits. The pods
   * go on. For a while and by hand, the annotation konverge.dev/paused does the same.
   */
  readonly suspend?: boolean
  /**
   * How many pods keep the data. Only this field decides; pods that are lost are replaced, never given up.
   * At least 1. At most 1000. Format int32.
   * @default 1
   */
  readonly replicas?: number
  /**
   * Container image of every replica. It runs as user 65532 with a read-only root: it can write to /data, the volume,
   * and /tmp.
   * At least 1 character. At most 1024 characters.
   */
  readonly image: string
  /**
   * The StorageClass of the volumes. Without it the cluster's default class is taken; the empty string means volumes
   * that exist already. Immutable.
   * At most 253 characters.
   */
  readonly storageClassName?: string
  /**
   * The volume of each replica.
   * @default {}
   */
  readonly storage?: ReplicatedKVStoreSpecStorageInput
  /**
   * The TCP port on which every replica serves clients and peers.
   * At least 1. At most 65535. Format int32.
   * @default 6379
   */
  readonly port?: number
  /**
   * Environment of the container, besides POD_NAME and KV_PEERS, which the operator sets.
   * At most 100 items. One item for each name.
   */
  readonly env?: readonly ReplicatedKVStoreSpecEnv[]
  /**
   * Arguments of the image's entry point. Without them the image's own are used.
   * At most 100 items.
   */
  readonly args?: readonly string[]
  /** Compute resources of the container. */
  readonly resources?: ReplicatedKVStoreSpecResources
  /** Where the pods run, and how they are marked. */
  readonly podTemplate?: ReplicatedKVStoreSpecPodTemplate
  /**
   * How a replica's health is checked. A probe that is not given, or names no check, opens a TCP connection to the
   * port.
   */
  readonly probes?: ReplicatedKVStoreSpecProbes
  /**
   * What becomes of volume claims that are no longer used.
   * @default {}
   */
  readonly pvcRetention?: ReplicatedKVStoreSpecPvcRetentionInput
  /** How a change reaches the replicas. Without it one after the other, the highest ordinal first. */
  readonly updateStrategy?: ReplicatedKVStoreSpecUpdateStrategy
  /**
   * The PodDisruptionBudget, which lets node drains take one replica at a time.
   * @default {}
   */
  readonly pdb?: ReplicatedKVStoreSpecPdbInput
}

/** What the store is, as last seen by the operator. */
export interface ReplicatedKVStoreStatus {
  /**
   * The generation of the spec that this status is about.
   * Format int64.
   */
  readonly observedGeneration?: number
  /** The newest konverge.dev/reconcile-now annotation whose turn has ended. */
  readonly lastHandledReconcileAt?: string
  /**
   * Pods that exist.
   * Format int32.
   */
  readonly replicas?: number
  /**
   * Pods that serve.
   * Format int32.
   */
  readonly readyReplicas?: number
  /**
   * Pods of the newest revision.
   * Format int32.
   */
  readonly updatedReplicas?: number
  /** The revision that replicas below the partition run. */
  readonly currentRevision?: string
  /** The newest revision. */
  readonly updateRevision?: string
  /** The label selector of the pods in text form, for the scale subresource. */
  readonly selector?: string
  /** The stable DNS name and port of every replica, by ordinal. */
  readonly endpoints?: readonly string[]
  /**
   * Claims that no replica uses, left by replicas that were taken away; see spec.storage.reuseRetained.
   * No item twice.
   */
  readonly retainedPVCs?: readonly string[]
  /**
   * Ready, Progressing, Degraded and Available always; Reconciling and Stalled while they are true.
   * One item for each type.
   */
  readonly conditions?: readonly ReplicatedKVStoreStatusConditions[]
}

/** The volume of each replica. */
export interface ReplicatedKVStoreSpecStorage {
  /**
   * The size of each volume, a quantity such as 10Gi. It can grow, never shrink; volumes that exist grow with it if
   * their StorageClass allows expansion, and pods are left alone.
   * At least 1 character. At most 32 characters.
   * Rule: size is a quantity greater than zero, such as 10Gi.
   * Rule: size can only grow, because volumes cannot shrink.
   * @default "1Gi"
   */
  readonly size: string
  /**
   * Whether a replica that is added may begin with the volume that an earlier replica of its number left behind, whose
   * data is older than the store's. With Refuse the store stays at the replicas it has until that claim is deleted or
   * this is Allow. A store that is created takes the volumes of its name back either way.
   * @default "Refuse"
   */
  readonly reuseRetained: 'Refuse' | 'Allow'
}

/**
 * Rule: POD_NAME and KV_PEERS are set by the operator.
 * Rule: give value or valueFrom, not both.
 */
export interface ReplicatedKVStoreSpecEnv {
  /**
   * The name of the variable.
   * At least 1 character. At most 256 characters. Matches `^[^=]+$`.
   */
  readonly name: string
  /** The value as it stands. `$(NAME)` is replaced by the variable of that name. */
  readonly value?: string
  /**
   * Where the value comes from; exactly one source.
   * Rule: give exactly one of configMapKeyRef, fieldRef and secretKeyRef.
   */
  readonly valueFrom?: ReplicatedKVStoreSpecEnvValueFrom
}

/**
 * Where the value comes from; exactly one source.
 * Rule: give exactly one of configMapKeyRef, fieldRef and secretKeyRef.
 */
export interface ReplicatedKVStoreSpecEnvValueFrom {
  /** A key of a ConfigMap in the store's namespace. */
  readonly configMapKeyRef?: ReplicatedKVStoreSpecEnvValueFromConfigMapKeyRef
  /** A field of the pod itself. */
  readonly fieldRef?: ReplicatedKVStoreSpecEnvValueFromFieldRef
  /**
   * A key of a Secret in the store's namespace, which has the label data.konverge.dev/usable-by-replicatedkvstore. The
   * Secret has to exist; optional is about the key.
   */
  readonly secretKeyRef?: ReplicatedKVStoreSpecEnvValueFromSecretKeyRef
}

/** A key of a ConfigMap in the store's namespace. */
export interface ReplicatedKVStoreSpecEnvValueFromConfigMapKeyRef {
  /**
   * The object's name.
   * At least 1 character. At most 253 characters.
   */
  readonly name: string
  /**
   * The key in its data.
   * At least 1 character. At most 253 characters.
   */
  readonly key: string
  /** Whether the pod starts without it. Without this field it does not. */
  readonly optional?: boolean
}

/** A field of the pod itself. */
export interface ReplicatedKVStoreSpecEnvValueFromFieldRef {
  /**
   * The path, such as status.podIP.
   * At least 1 character. At most 512 characters.
   */
  readonly fieldPath: string
}

/**
 * A key of a Secret in the store's namespace, which has the label data.konverge.dev/usable-by-replicatedkvstore. The
 * Secret has to exist; optional is about the key.
 */
export interface ReplicatedKVStoreSpecEnvValueFromSecretKeyRef {
  /**
   * The object's name.
   * At least 1 character. At most 253 characters.
   */
  readonly name: string
  /**
   * The key in its data.
   * At least 1 character. At most 253 characters.
   */
  readonly key: string
  /** Whether the pod starts without it. Without this field it does not. */
  readonly optional?: boolean
}

/** Compute resources of the container. */
export interface ReplicatedKVStoreSpecResources {
  /**
   * The most it may use: quantities by resource name, such as cpu and memory.
   * At most 16 keys.
   */
  readonly limits?: Readonly<Record<string, number | string>>
  /**
   * What is set aside for it: quantities by resource name, such as cpu and memory.
   * At most 16 keys.
   */
  readonly requests?: Readonly<Record<string, number | string>>
}

/** Where the pods run, and how they are marked. */
export interface ReplicatedKVStoreSpecPodTemplate {
  /** Scheduling constraints, as `affinity` of a pod. */
  readonly affinity?: Readonly<Record<string, unknown>>
  /**
   * Taints that the pods tolerate.
   * At most 64 items.
   */
  readonly tolerations?: readonly ReplicatedKVStoreSpecPodTemplateTolerations[]
  /**
   * Labels that a node must have.
   * At most 64 keys.
   */
  readonly nodeSelector?: Readonly<Record<string, string>>
  /**
   * Annotations of the pods. Those of konverge.dev and its subdomains are reserved.
   * At most 64 keys.
   * Rule: keys of konverge.dev and its subdomains are reserved; set them on the object itself with kubectl.
   */
  readonly annotations?: Readonly<Record<string, string>>
}

export interface ReplicatedKVStoreSpecPodTemplateTolerations {
  /** The taint's key; without it every key. */
  readonly key?: string
  /** How value is compared; without it Equal. */
  readonly operator?: 'Equal' | 'Exists'
  /** The taint's value. */
  readonly value?: string
  /** The taint's effect; without it every effect. */
  readonly effect?: 'NoSchedule' | 'PreferNoSchedule' | 'NoExecute'
  /**
   * How many seconds a NoExecute taint is tolerated; without it for ever.
   * Format int64.
   */
  readonly tolerationSeconds?: number
}

/**
 * How a replica's health is checked. A probe that is not given, or names no check, opens a TCP connection to the port.
 */
export interface ReplicatedKVStoreSpecProbes {
  /**
   * Whether the replica gets traffic.
   * Rule: give at most one of exec, httpGet and tcpSocket.
   */
  readonly readiness?: ReplicatedKVStoreSpecProbesReadiness
  /**
   * Whether the replica is left running.
   * Rule: give at most one of exec, httpGet and tcpSocket.
   */
  readonly liveness?: ReplicatedKVStoreSpecProbesLiveness
}

/**
 * Whether the replica gets traffic.
 * Rule: give at most one of exec, httpGet and tcpSocket.
 */
export interface ReplicatedKVStoreSpecProbesReadiness {
  /** A command that exits with 0. */
  readonly exec?: ReplicatedKVStoreSpecProbesReadinessExec
  /** A request that is answered with a status from 200 to 399. */
  readonly httpGet?: ReplicatedKVStoreSpecProbesReadinessHttpGet
  /** A TCP connection that opens. */
  readonly tcpSocket?: ReplicatedKVStoreSpecProbesReadinessTcpSocket
  /**
   * Seconds before the first check.
   * At least 0. Format int32.
   */
  readonly initialDelaySeconds?: number
  /**
   * Seconds between checks.
   * At least 1. Format int32.
   */
  readonly periodSeconds?: number
  /**
   * Seconds after which a check has failed.
   * At least 1. Format int32.
   */
  readonly timeoutSeconds?: number
  /**
   * Failures in a row that count.
   * At least 1. Format int32.
   */
  readonly failureThreshold?: number
}

/** A command that exits with 0. */
export interface ReplicatedKVStoreSpecProbesReadinessExec {
  /**
   * The command and its arguments; no shell.
   * At least 1 item. At most 100 items.
   */
  readonly command: readonly string[]
}

/** A request that is answered with a status from 200 to 399. */
export interface ReplicatedKVStoreSpecProbesReadinessHttpGet {
  /**
   * The path; without it /.
   * At most 2048 characters.
   */
  readonly path?: string
  /**
   * The port; without it the store's.
   * At least 1. At most 65535. Format int32.
   */
  readonly port?: number
  /** The scheme; without it HTTP. */
  readonly scheme?: 'HTTP' | 'HTTPS'
}

/** A TCP connection that opens. */
export interface ReplicatedKVStoreSpecProbesReadinessTcpSocket {
  /**
   * The port; without it the store's.
   * At least 1. At most 65535. Format int32.
   */
  readonly port?: number
}

/**
 * Whether the replica is left running.
 * Rule: give at most one of exec, httpGet and tcpSocket.
 */
export interface ReplicatedKVStoreSpecProbesLiveness {
  /** A command that exits with 0. */
  readonly exec?: ReplicatedKVStoreSpecProbesLivenessExec
  /** A request that is answered with a status from 200 to 399. */
  readonly httpGet?: ReplicatedKVStoreSpecProbesLivenessHttpGet
  /** A TCP connection that opens. */
  readonly tcpSocket?: ReplicatedKVStoreSpecProbesLivenessTcpSocket
  /**
   * Seconds before the first check.
   * At least 0. Format int32.
   */
  readonly initialDelaySeconds?: number
  /**
   * Seconds between checks.
   * At least 1. Format int32.
   */
  readonly periodSeconds?: number
  /**
   * Seconds after which a check has failed.
   * At least 1. Format int32.
   */
  readonly timeoutSeconds?: number
  /**
   * Failures in a row that count.
   * At least 1. Format int32.
   */
  readonly failureThreshold?: number
}

/** A command that exits with 0. */
export interface ReplicatedKVStoreSpecProbesLivenessExec {
  /**
   * The command and its arguments; no shell.
   * At least 1 item. At most 100 items.
   */
  readonly command: readonly string[]
}

/** A request that is answered with a status from 200 to 399. */
export interface ReplicatedKVStoreSpecProbesLivenessHttpGet {
  /**
   * The path; without it /.
   * At most 2048 characters.
   */
  readonly path?: string
  /**
   * The port; without it the store's.
   * At least 1. At most 65535. Format int32.
   */
  readonly port?: number
  /** The scheme; without it HTTP. */
  readonly scheme?: 'HTTP' | 'HTTPS'
}

/** A TCP connection that opens. */
export interface ReplicatedKVStoreSpecProbesLivenessTcpSocket {
  /**
   * The port; without it the store's.
   * At least 1. At most 65535. Format int32.
   */
  readonly port?: number
}

/** What becomes of volume claims that are no longer used. */
export interface ReplicatedKVStoreSpecPvcRetention {
  /**
   * When the store is deleted.
   * @default "Retain"
   */
  readonly whenDeleted: 'Retain' | 'Delete'
  /**
   * When a replica is taken away.
   * @default "Retain"
   */
  readonly whenScaled: 'Retain' | 'Delete'
}

/** How a change reaches the replicas. Without it one after the other, the highest ordinal first. */
export interface ReplicatedKVStoreSpecUpdateStrategy {
  /**
   * Only replicas of this ordinal and above are updated; a canary. At most replicas.
   * At least 0. Format int32.
   */
  readonly partition?: number
  /**
   * How many replicas may be unavailable during an update, a number or a percentage. Needs Kubernetes 1.35.
   * At least 1. Matches `^([1-9][0-9]?|100)%$`.
   */
  readonly maxUnavailable?: number | string
}

/** The PodDisruptionBudget, which lets node drains take one replica at a time. */
export interface ReplicatedKVStoreSpecPdb {
  /**
   * Whether there is one. A store of one replica never has one, because it would block drains.
   * @default true
   */
  readonly enabled: boolean
}

/** The volume of each replica. */
export interface ReplicatedKVStoreSpecStorageInput {
  /**
   * The size of each volume, a quantity such as 10Gi. It can grow, never shrink; volumes that exist grow with it if
   * their StorageClass allows expansion, and pods are left alone.
   * At least 1 character. At most 32 characters.
   * Rule: size is a quantity greater than zero, such as 10Gi.
   * Rule: size can only grow, because volumes cannot shrink.
   * @default "1Gi"
   */
  readonly size?: string
  /**
   * Whether a replica that is added may begin with the volume that an earlier replica of its number left behind, whose
   * data is older than the store's. With Refuse the store stays at the replicas it has until that claim is deleted or
   * this is Allow. A store that is created takes the volumes of its name back either way.
   * @default "Refuse"
   */
  readonly reuseRetained?: 'Refuse' | 'Allow'
}

/** What becomes of volume claims that are no longer used. */
export interface ReplicatedKVStoreSpecPvcRetentionInput {
  /**
   * When the store is deleted.
   * @default "Retain"
   */
  readonly whenDeleted?: 'Retain' | 'Delete'
  /**
   * When a replica is taken away.
   * @default "Retain"
   */
  readonly whenScaled?: 'Retain' | 'Delete'
}

/** The PodDisruptionBudget, which lets node drains take one replica at a time. */
export interface ReplicatedKVStoreSpecPdbInput {
  /**
   * Whether there is one. A store of one replica never has one, because it would block drains.
   * @default true
   */
  readonly enabled?: boolean
}

export interface ReplicatedKVStoreStatusConditions {
  /**
   * What the condition is about.
   * At least 1 character. At most 316 characters.
   */
  readonly type: string
  /** Whether it holds. */
  readonly status: 'True' | 'False' | 'Unknown'
  /**
   * The generation that it was judged by.
   * At least 0. Format int64.
   */
  readonly observedGeneration?: number
  /**
   * When the status last changed.
   * A time as in RFC 3339, such as 2026-01-31T12:00:00Z.
   */
  readonly lastTransitionTime: string
  /**
   * One word for programs.
   * At least 1 character. At most 1024 characters.
   */
  readonly reason: string
  /**
   * A sentence for people.
   * At most 32768 characters.
   */
  readonly message: string
}
