// Node object and Lease of this machine, as a kubelet registers and renews them. The annotation marks nodes of
// konverge, so that none of another origin is taken over. Source: kubelet_node_status.go and nodestatus/setters.go.
import type { JsonObject } from '../base/json.ts'
import type { KubeObject, LiveObject } from '../object/object.ts'
import { secondsTimestamp } from './container-status.ts'
import type { PodCondition } from './pod.ts'

/** Facts of the machine, read once. */
export interface Machine {
  readonly operatingSystem: string
  readonly architecture: string
  readonly kernelVersion: string
  readonly osImage: string
  readonly bootId: string
  readonly cpus: number
  readonly memoryBytes: number
  /** User of the node; undefined on platforms without numeric users. */
  readonly userId: number | undefined
}

export interface NodeFacts {
  readonly name: string
  readonly machine: Machine
  readonly hostIp: string
  /** Port of the log server; undefined: no log server. */
  readonly logPort: number | undefined
  readonly runtimeVersion: string
}

export const localNodeAnnotation = 'konverge.dev/local-node'
const maxPods = 110
const kubeletVersion = 'v1.36.0+konverge'
export const leaseSeconds = 40

/** Returns the total resources for pods. */
export function allocatableOf({ cpus, memoryBytes }: Machine): Readonly<Record<string, string>> {
  const memory = `${Math.floor(memoryBytes / 1024)}Ki`
  return { cpu: String(cpus), memory, pods: String(maxPods), 'ephemeral-storage': '100Gi' }
}

export function nodeObjectOf(facts: NodeFacts, nowMs: number): KubeObject {
  const { name, machine } = facts
  const labels = {
    'kubernetes.io/hostname': name,
    'kubernetes.io/os': machine.operatingSystem,
    'kubernetes.io/arch': machine.architecture,
    [localNodeAnnotation]: 'true',
  }
  const annotations = { [localNodeAnnotation]: 'pods run as processes of this machine' }
  const status = nodeStatusOf(facts, { isReady: true, previous: [], nowMs })
  return { apiVersion: 'v1', kind: 'Node', metadata: { name, labels, annotations }, spec: {}, status }
}

/** Returns whether konverge registered the node, in this or an earlier run. */
export function isLocalNode(node: KubeObject): boolean {
  return node.metadata.annotations?.[localNodeAnnotation] !== undefined
}

export interface NodeMoment {
  readonly isReady: boolean
  readonly previous: readonly NodeCondition[]
  readonly nowMs: number
}

export interface NodeCondition extends Omit<PodCondition, 'lastProbeTime'> {
  readonly lastHeartbeatTime?: string | null
}

export function nodeStatusOf(facts: NodeFacts, { isReady, previous, nowMs }: NodeMoment): JsonObject {
  const { hostIp, machine, logPort, runtimeVersion } = facts
  const capacity = allocatableOf(machine)
  const now = secondsTimestamp(nowMs)
  const claims = isReady ? readyClaims : [...readyClaims.slice(0, -1), stoppedClaim]
  const foreign = previous.filter(({ type }) => !claims.some((claim) => claim.type === type))
  const conditions = claims.map((claim) => {
    const before = previous.find(({ type }) => type === claim.type)
    const lastTransitionTime = before?.status === claim.status ? (before.lastTransitionTime ?? now) : now
    return { ...claim, lastHeartbeatTime: now, lastTransitionTime }
  })
  const status = {
    capacity,
    allocatable: capacity,
    conditions: [...foreign, ...conditions],
    // No Hostname: the API server would prefer it to the address, and it may not resolve to this machine.
    addresses: [{ type: 'InternalIP', address: hostIp }],
    ...(logPort === undefined ? {} : { daemonEndpoints: { kubeletEndpoint: { Port: logPort } } }),
    nodeInfo: {
      machineID: '',
      systemUUID: '',
      bootID: machine.bootId,
      kernelVersion: machine.kernelVersion,
      osImage: machine.osImage,
      containerRuntimeVersion: `konverge://${runtimeVersion}`,
      kubeletVersion,
      kubeProxyVersion: '',
      operatingSystem: machine.operatingSystem,
      architecture: machine.architecture,
    },
  }
  // Sound: plain JSON; interfaces have no index signature.
  return status as unknown as JsonObject
}

/** Returns the Lease whose renewals show the control plane that the node is alive. */
export function nodeLeaseOf(node: LiveObject, renewTime: string): KubeObject {
  const { name, uid } = node.metadata
  return {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: {
      namespace: 'kube-node-lease',
      name,
      ownerReferences: [{ apiVersion: 'v1', kind: 'Node', name, uid }],
    },
    spec: { holderIdentity: name, leaseDurationSeconds: leaseSeconds, renewTime },
  }
}

const healthy = (type: string, reason: string, message: string) => ({ type, status: 'False', reason, message }) as const
const readyClaims = [
  healthy('MemoryPressure', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'),
  healthy('DiskPressure', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'),
  healthy('PIDPressure', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'),
  { type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' },
] as const
const stoppedClaim = {
  type: 'Ready',
  status: 'False',
  reason: 'KubeletNotReady',
  message: 'the local node was stopped, and its pods with it',
} as const
