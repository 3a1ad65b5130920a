// Registers this machine's Node, refreshes its status every five minutes, renews its Lease every ten seconds, and sets
// it not ready at the end. Source: kubelet_node_status.go, and its lease controller.
import { type Clock, microTimestampOf, sleep } from '../base/clock.ts'
import { CodedError, messageOf } from '../base/errors.ts'
import type { Log } from '../base/instrument.ts'
import { isJsonList, isJsonObject } from '../base/json.ts'
import type { KubeClient } from '../kube/client.ts'
import { isKubeError } from '../kube/kube-errors.ts'
import { loadIfPresent } from '../kube/object-loader.ts'
import { Lease, Node } from '../object/built-in.ts'
import { asJson, type LiveObject } from '../object/object.ts'
import {
  isLocalNode,
  type NodeCondition,
  type NodeFacts,
  nodeLeaseOf,
  nodeObjectOf,
  nodeStatusOf,
} from './node-object.ts'
import { fieldManager } from './pod-recorder.ts'

export interface NodeReconcilerOptions {
  readonly clock: Clock
  readonly log: Log
  readonly client: KubeClient
  readonly facts: NodeFacts
}

/** `NameTaken`: another node has the name. */
export class NodeError extends CodedError<'NameTaken' | 'ListenFailed' | 'FolderInUse' | 'NoAddresses'> {
  override readonly name = 'NodeError'
}

const renewIntervalMs = 10_000
const statusIntervalMs = 5 * 60_000
const retryMs = 1_000

export class NodeReconciler {
  readonly #options: NodeReconcilerOptions

  constructor(options: NodeReconcilerOptions) {
    this.#options = options
  }

  /** Registers the node, with retries until it is Ready. Rejects with a NodeError if another node has the name. */
  async register(signal: AbortSignal): Promise<void> {
    await this.#untilDone('register the node', () => this.#register(signal), signal)
  }

  /** Sends heartbeats until the signal aborts. */
  async run(signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options
    let saidAtMs = clock.monotonicMs()
    while (!signal.aborted) {
      try {
        await this.#renew(signal)
        if (clock.monotonicMs() - saidAtMs >= statusIntervalMs) {
          await this.#say(true, signal)
          saidAtMs = clock.monotonicMs()
        }
      } catch (thrown) {
        if (!signal.aborted)
          log.warn({ error: messageOf(thrown) }, 'the heartbeat of the node failed; it is tried again')
      }
      await sleep(clock, renewIntervalMs, signal).catch(() => undefined) // Only the signal rejects.
    }
  }

  /** Reports that the node no longer runs pods. */
  async leave(signal: AbortSignal): Promise<void> {
    await this.#say(false, signal)
  }

  async #register(signal: AbortSignal): Promise<void> {
    const { client, clock, facts } = this.#options
    const node = nodeObjectOf(facts, clock.now())
    const live = await loadIfPresent(client, Node, { name: facts.name }, signal)
    if (live === undefined) {
      await client.create(Node, node, { fieldManager }, signal)
    } else {
      if (!isLocalNode(live)) {
        const message = `register node ${facts.name}: a node of that name that is not konverge's is there; choose another name`
        throw new NodeError({ code: 'NameTaken', message, remedy: 'stop' })
      }
      const { labels, annotations } = node.metadata
      const body = { metadata: { labels: { ...labels }, annotations: { ...annotations } } }
      await client.patch(Node, { name: facts.name }, { type: 'merge', body }, { fieldManager }, signal)
      await this.#say(true, signal)
    }
    await this.#renew(signal)
  }

  async #say(isReady: boolean, signal: AbortSignal): Promise<void> {
    const { client, clock, facts } = this.#options
    const live = await client.get(Node, { name: facts.name }, signal)
    const status = nodeStatusOf(facts, { isReady, previous: conditionsOf(live), nowMs: clock.now() })
    const body = { metadata: { resourceVersion: live.metadata.resourceVersion }, status }
    const options = { fieldManager, subresource: 'status' } as const
    await client.patch(Node, { name: facts.name }, { type: 'merge', body }, options, signal)
  }

  async #renew(signal: AbortSignal): Promise<void> {
    const { client, clock, facts } = this.#options
    const renewTime = microTimestampOf(clock)
    const at = { namespace: 'kube-node-lease', name: facts.name }
    try {
      await client.patch(Lease, at, { type: 'merge', body: { spec: { renewTime } } }, { fieldManager }, signal)
    } catch (thrown) {
      if (!isKubeError(thrown, 'NotFound')) throw thrown
      const node = await client.get(Node, { name: facts.name }, signal)
      await client.create(Lease, nodeLeaseOf(node, renewTime), { fieldManager }, signal)
    }
  }

  async #untilDone(what: string, attempt: () => Promise<void>, signal: AbortSignal): Promise<void> {
    const { clock, log } = this.#options
    for (;;) {
      try {
        return await attempt()
      } catch (thrown) {
        signal.throwIfAborted()
        if (thrown instanceof NodeError) throw thrown
        log.warn({ error: messageOf(thrown) }, `could not ${what}; it is tried again`)
      }
      await sleep(clock, retryMs, signal)
    }
  }
}

function conditionsOf(node: LiveObject): readonly NodeCondition[] {
  const { status } = asJson(node)
  const conditions = isJsonObject(status) ? status.conditions : undefined
  // Sound: the API server validates Nodes.
  return isJsonList(conditions) ? (conditions as unknown as readonly NodeCondition[]) : []
}
