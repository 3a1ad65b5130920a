// Kubelet of simulated nodes: those with the label or annotation konverge.dev/simulated-node. They are Ready. Their
// pods have the
// states of simulated-pod.ts, and a deleted pod terminates at once.
import { type Clock, timestampOf } from '../../../base/clock.ts'
import type { JsonObject } from '../../../base/json.ts'
import { mapAt, textAt } from '../../built-in/field-walk.ts'
import { isTerminating, labelsOf, metadataOf, metadataText } from '../../metadata.ts'
import type { LogEntry } from '../../object-log.ts'
import type { SystemClient } from '../../system-client.ts'
import type { ServerController } from '../controller-host.ts'
import { EventRecorder } from './event-recorder.ts'
import { KindClient } from './kind-client.ts'
import { conditionOf, nodeOf } from './pod-state.ts'
import { simulationOf } from './simulated-pod.ts'

const mark = 'konverge.dev/simulated-node'
const conditions: readonly (readonly [string, string, string, string])[] = [
  ['MemoryPressure', 'False', 'KubeletHasSufficientMemory', 'kubelet has sufficient memory available'],
  ['DiskPressure', 'False', 'KubeletHasNoDiskPressure', 'kubelet has no disk pressure'],
  ['PIDPressure', 'False', 'KubeletHasSufficientPID', 'kubelet has sufficient PID available'],
  ['Ready', 'True', 'KubeletReady', 'kubelet is posting ready status'],
]

export class SimulatedNodes implements ServerController {
  readonly name = 'simulated-nodes'
  readonly #clock: Clock
  readonly #nodes: KindClient
  readonly #pods: KindClient
  readonly #events: EventRecorder
  /** Addresses in use. */
  readonly #addresses = new Set<string>()
  #lastAddress = 0

  constructor({ client, clock }: { readonly client: SystemClient; readonly clock: Clock }) {
    this.#clock = clock
    this.#nodes = new KindClient(client, 'v1', 'Node')
    this.#pods = new KindClient(client, 'v1', 'Pod')
    this.#events = new EventRecorder({ client, clock, component: 'kubelet' })
  }

  keysFor(entry: LogEntry): readonly string[] {
    const { shelf, namespace, name } = entry.place
    if (entry.kind === 'deleted') {
      if (shelf === 'pods') this.#addresses.delete(addressOf(entry.now.object))
      return []
    }
    if (shelf === 'nodes') return isSimulatedNode(entry.now.object) ? [name] : []
    if (shelf !== 'pods' || nodeOf(entry.now.object) === '') return []
    this.#addresses.add(addressOf(entry.now.object))
    return [`${namespace}/${name}`]
  }

  reconcile(key: string): number | undefined {
    return key.includes('/') ? this.#runPod(key) : this.#runNode(key)
  }

  #runNode(name: string): undefined {
    const node = this.#nodes.get('', name)
    if (node === undefined || textAt(conditionOf(node, 'Ready'), 'status') === 'True') return
    this.#nodes.updateStatus(node, (live) => ({
      ...live,
      status: { ...mapAt(live, 'status'), ...this.#readiness(name) },
    }))
  }

  #readiness(name: string): JsonObject {
    const now = timestampOf(this.#clock)
    return {
      addresses: [{ type: 'Hostname', address: name }],
      conditions: conditions.map(([type, status, reason, message]) => ({
        ...{ type, status, reason, message },
        ...{ lastHeartbeatTime: now, lastTransitionTime: now },
      })),
    }
  }

  #runPod(key: string): number | undefined {
    const pod = this.#pods.at(key)
    const node = pod === undefined ? undefined : this.#nodes.get('', nodeOf(pod))
    if (pod === undefined || node === undefined || !isSimulatedNode(node)) return undefined
    if (isTerminating(pod)) {
      this.#pods.delete(pod, { gracePeriodSeconds: 0 })
      return undefined
    }
    const facts = {
      pod,
      nowMs: this.#clock.now(),
      timestamp: timestampOf(this.#clock),
      address: () => this.#freeAddress(),
    }
    const { status, againAfterMs } = simulationOf(facts)
    if (status !== undefined) {
      if (textAt(status, 'phase') === 'Pending') this.#events.warning(pod, 'Failed', 'Failed to pull image')
      this.#pods.updateStatus(pod, (live) => ({ ...live, status }))
    }
    return againAfterMs
  }

  /** Returns the next unused address of 10.0.0.0/16. */
  #freeAddress(): string {
    for (;;) {
      this.#lastAddress = (this.#lastAddress % 65_534) + 1
      const address = `10.0.${this.#lastAddress >> 8}.${this.#lastAddress & 255}`
      if (!this.#addresses.has(address)) return address
    }
  }
}

/** Returns node number `index` of a new cluster. */
export function simulatedNode(index: number): JsonObject {
  const name = `node-${index}`
  const capacity = { cpu: '1000', memory: '4Ti', 'ephemeral-storage': '4Ti', pods: '1000' }
  return {
    metadata: {
      name,
      labels: {
        [mark]: 'true',
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        'kubernetes.io/arch': 'amd64',
        'topology.kubernetes.io/region': 'region-1',
        'topology.kubernetes.io/zone': `zone-${(index % 3) + 1}`,
      },
    },
    status: { capacity, allocatable: capacity },
  }
}

/** True if the node is simulated, whatever its status is. */
export function isSimulatedNode(node: JsonObject): boolean {
  return labelsOf(node)[mark] === 'true' || textAt(mapAt(metadataOf(node), 'annotations'), mark) === 'true'
}

function addressOf(pod: JsonObject): string {
  return textAt(mapAt(pod, 'status'), 'podIP') || metadataText(pod, 'uid')
}
