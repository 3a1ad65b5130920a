// Wire format of core/v1 Pod: the fields that this node reads. The API server has validated and defaulted them. All
// other fields remain in the object unchanged.
import type { Json, JsonObject } from '../base/json.ts'
import type { LiveObject } from '../object/object.ts'

export type PodObject = LiveObject<PodSpec, PodStatus> & { readonly spec: PodSpec }

export interface PodSpec {
  readonly containers: readonly ContainerSpec[]
  readonly initContainers?: readonly ContainerSpec[]
  readonly restartPolicy?: 'Always' | 'OnFailure' | 'Never'
  readonly nodeName?: string
  readonly hostname?: string
  readonly hostNetwork?: boolean
  readonly serviceAccountName?: string
  readonly activeDeadlineSeconds?: number
  readonly terminationGracePeriodSeconds?: number
  readonly volumes?: readonly Volume[]
  readonly securityContext?: PodSecurity
  readonly ephemeralContainers?: readonly JsonObject[]
  readonly hostAliases?: readonly JsonObject[]
  readonly dnsConfig?: JsonObject
  readonly readinessGates?: readonly { readonly conditionType: string }[]
}

/** Fields of a security context. This node implements those that are named; it only checks the presence of others. */
export interface Security {
  readonly runAsUser?: number
  readonly runAsGroup?: number
  readonly [field: string]: Json | undefined
}

export interface PodSecurity extends Security {
  readonly fsGroup?: number
}

export interface ContainerSpec {
  readonly name: string
  readonly image: string
  readonly command?: readonly string[]
  readonly args?: readonly string[]
  readonly workingDir?: string
  readonly env?: readonly EnvironmentEntry[]
  readonly envFrom?: readonly EnvironmentSource[]
  readonly ports?: readonly { readonly name?: string; readonly containerPort: number; readonly hostPort?: number }[]
  readonly volumeMounts?: readonly VolumeMount[]
  readonly volumeDevices?: readonly JsonObject[]
  readonly stdin?: boolean
  readonly tty?: boolean
  readonly terminationMessagePath?: string
  readonly terminationMessagePolicy?: 'File' | 'FallbackToLogsOnError'
  readonly securityContext?: Security
  readonly resources?: Resources
  readonly startupProbe?: Probe
  readonly livenessProbe?: Probe
  readonly readinessProbe?: Probe
  readonly lifecycle?: { readonly preStop?: Handler; readonly postStart?: Handler }
  /** For init containers only: `Always` makes a sidecar. */
  readonly restartPolicy?: string
}

export interface EnvironmentEntry {
  readonly name: string
  readonly value?: string
  readonly valueFrom?: {
    readonly configMapKeyRef?: KeyReference
    readonly secretKeyRef?: KeyReference
    readonly fieldRef?: FieldReference
    readonly resourceFieldRef?: ResourceFieldReference
    /** Sent by a newer API server; see `environmentOf`. */
    readonly fileKeyRef?: JsonObject
  }
}

export interface EnvironmentSource {
  readonly prefix?: string
  readonly configMapRef?: { readonly name: string; readonly optional?: boolean }
  readonly secretRef?: { readonly name: string; readonly optional?: boolean }
}

export interface KeyReference {
  readonly name: string
  readonly key: string
  readonly optional?: boolean
}

export interface FieldReference {
  readonly fieldPath: string
}

export interface ResourceFieldReference {
  readonly containerName?: string
  readonly resource: string
  readonly divisor?: string
}

export interface Resources {
  readonly limits?: Readonly<Record<string, string>>
  readonly requests?: Readonly<Record<string, string>>
}

export interface VolumeMount {
  readonly name: string
  readonly mountPath: string
  readonly subPath?: string
  readonly subPathExpr?: string
  readonly readOnly?: boolean
}

export interface Handler {
  readonly exec?: { readonly command?: readonly string[] }
  readonly httpGet?: HttpGet
  readonly tcpSocket?: { readonly host?: string; readonly port: number | string }
  readonly grpc?: { readonly port: number; readonly service?: string }
  readonly sleep?: { readonly seconds: number }
}

export interface HttpGet {
  readonly host?: string
  readonly path?: string
  readonly port: number | string
  readonly scheme?: 'HTTP' | 'HTTPS'
  readonly httpHeaders?: readonly { readonly name: string; readonly value: string }[]
}

export interface Probe extends Handler {
  readonly initialDelaySeconds?: number
  readonly periodSeconds?: number
  readonly timeoutSeconds?: number
  readonly successThreshold?: number
  readonly failureThreshold?: number
  readonly terminationGracePeriodSeconds?: number
}

/** Exactly one kind is set; unlisted kinds are unsupported. */
export interface Volume {
  readonly name: string
  readonly emptyDir?: JsonObject
  readonly hostPath?: { readonly path: string; readonly type?: string }
  readonly configMap?: VolumeSource & { readonly name: string; readonly optional?: boolean }
  readonly secret?: VolumeSource & { readonly secretName: string; readonly optional?: boolean }
  readonly downwardAPI?: { readonly items?: readonly DownwardItem[]; readonly defaultMode?: number }
  readonly projected?: { readonly sources?: readonly Projection[]; readonly defaultMode?: number }
  readonly persistentVolumeClaim?: { readonly claimName: string; readonly readOnly?: boolean }
}

export interface VolumeSource {
  readonly items?: readonly KeyToPath[]
  readonly defaultMode?: number
}

export interface KeyToPath {
  readonly key: string
  readonly path: string
  readonly mode?: number
}

export interface DownwardItem {
  readonly path: string
  readonly mode?: number
  readonly fieldRef?: FieldReference
  readonly resourceFieldRef?: ResourceFieldReference
}

export interface Projection {
  readonly configMap?: VolumeSource & { readonly name: string; readonly optional?: boolean }
  readonly secret?: VolumeSource & { readonly name: string; readonly optional?: boolean }
  readonly downwardAPI?: { readonly items?: readonly DownwardItem[] }
  readonly serviceAccountToken?: {
    readonly path: string
    readonly audience?: string
    readonly expirationSeconds?: number
  }
}

export type PodPhase = 'Pending' | 'Running' | 'Succeeded' | 'Failed'

export interface PodStatus {
  readonly phase?: PodPhase
  readonly reason?: string
  readonly message?: string
  readonly startTime?: string
  readonly podIP?: string
  readonly conditions?: readonly PodCondition[]
  readonly containerStatuses?: readonly ContainerStatus[]
  readonly initContainerStatuses?: readonly ContainerStatus[]
}

export interface PodCondition {
  readonly type: string
  readonly status: 'True' | 'False' | 'Unknown'
  readonly observedGeneration?: number
  readonly lastProbeTime?: string | null
  readonly lastTransitionTime?: string | null
  readonly reason?: string
  readonly message?: string
}

export interface ContainerStatus {
  readonly name: string
  readonly state: ContainerStateStatus
  readonly lastState: ContainerStateStatus
  readonly ready: boolean
  readonly started: boolean
  readonly restartCount: number
  readonly image: string
  readonly imageID: string
  readonly containerID?: string
}

export interface ContainerStateStatus {
  readonly waiting?: { readonly reason?: string; readonly message?: string }
  readonly running?: { readonly startedAt: string }
  readonly terminated?: TerminatedStatus
}

export interface TerminatedStatus {
  readonly exitCode: number
  readonly reason?: string
  readonly message?: string
  readonly startedAt?: string | null
  readonly finishedAt?: string | null
  readonly containerID?: string
}

/** Returns whether an init container is a sidecar. */
export function isSidecar(container: ContainerSpec): boolean {
  return container.restartPolicy === 'Always'
}

/** Returns the init containers in order, then the others. */
export function allContainersOf({ spec }: PodObject): readonly ContainerSpec[] {
  return [...(spec.initContainers ?? []), ...spec.containers]
}
