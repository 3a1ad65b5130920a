// Aggregation of the node's Events. A report becomes a new Event, increases the count of an equal one, or joins one
// that collects similar messages. Excess reports are dropped. Source: client-go's tools/record (events_cache.go).
import { decideToken, type TokenBucketLimit } from '../base/token-bucket.ts'
import type { KubeObject } from '../object/object.ts'
import { secondsTimestamp } from './container-status.ts'
import type { PodObject } from './pod.ts'

export interface PodReport {
  readonly type: 'Normal' | 'Warning'
  readonly reason: string
  readonly message: string
  /** Container of the report; absent: the whole pod. */
  readonly container?: string
}

/** Event to write; `isNew` is false if the server already has it. */
export interface EventWrite {
  readonly event: KubeObject & { readonly count: number; readonly lastTimestamp: string; readonly message: string }
  readonly isNew: boolean
}

interface SentEvent {
  readonly name: string
  readonly firstTimestamp: string
  readonly count: number
}

interface Similar {
  readonly messages: Set<string>
  lastMs: number
}

/** Maximum number of remembered Events. */
const remembered = 4_096
/** Number of different messages of one reason after which they share one Event. */
const gatheredFrom = 10
const gatherMs = 600_000
/** Rate limit for one pod and type. */
const limit: TokenBucketLimit = { perSecond: 1 / 300, burst: 25 }

export class EventBook {
  readonly #nodeName: string
  readonly #told = new Map<string, SentEvent>()
  readonly #similar = new Map<string, Similar>()
  /** Time when the token bucket of a pod and type is full again. */
  readonly #fullAtMs = new Map<string, number>()
  #lastNs = 0n

  constructor(nodeName: string) {
    this.#nodeName = nodeName
  }

  /** Returns the Event to write; undefined if the rate limit drops the report. */
  admit(pod: PodObject, report: PodReport, nowMs: number): EventWrite | undefined {
    const about = [pod.metadata.uid, report.type].join('\n')
    const decision = decideToken({ limit, fullAtMs: this.#fullAtMs.get(about) ?? Number.NEGATIVE_INFINITY, nowMs })
    if (decision.kind === 'wait') return undefined
    remember(this.#fullAtMs, about, decision.fullAtMs)
    const gathering = [about, report.reason].join('\n')
    const isGathered = this.#isGathered(gathering, report.message, nowMs)
    const key = isGathered ? gathering : [gathering, report.container ?? '', report.message].join('\n')
    const message = isGathered ? `(combined from similar events): ${report.message}` : report.message
    const known = this.#told.get(key)
    const lastTimestamp = secondsTimestamp(nowMs)
    const told = known ?? { name: this.#nameOf(pod, nowMs), firstTimestamp: lastTimestamp, count: 0 }
    const count = told.count + 1
    remember(this.#told, key, { ...told, count })
    const times = { count, firstTimestamp: told.firstTimestamp, lastTimestamp }
    return { event: this.#event(pod, { ...report, message, ...times, name: told.name }), isNew: known === undefined }
  }

  #isGathered(key: string, message: string, nowMs: number): boolean {
    const before = this.#similar.get(key)
    const similar = before === undefined || nowMs - before.lastMs > gatherMs ? { messages: new Set<string>() } : before
    similar.messages.add(message)
    remember(this.#similar, key, { messages: similar.messages, lastMs: nowMs })
    if (similar.messages.size < gatheredFrom) return false
    const [oldest = ''] = similar.messages
    similar.messages.delete(oldest)
    return true
  }

  #event(pod: PodObject, said: PodReport & SentEvent & { readonly lastTimestamp: string }): EventWrite['event'] {
    const { name, container, type, reason, message, count, firstTimestamp, lastTimestamp } = said
    const { namespace = '', uid, resourceVersion } = pod.metadata
    const isInit = (pod.spec.initContainers ?? []).some((init) => init.name === container)
    const fieldPath =
      container === undefined ? {} : { fieldPath: `spec.${isInit ? 'initContainers' : 'containers'}{${container}}` }
    return {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { namespace, name },
      involvedObject: {
        kind: 'Pod',
        namespace,
        name: pod.metadata.name,
        uid,
        apiVersion: 'v1',
        resourceVersion,
        ...fieldPath,
      },
      ...{ type, reason, message, count, firstTimestamp, lastTimestamp },
      source: { component: 'kubelet', host: this.#nodeName },
      reportingComponent: 'kubelet',
      reportingInstance: this.#nodeName,
    }
  }

  /** Returns a unique name. */
  #nameOf(pod: PodObject, nowMs: number): string {
    const now = BigInt(Math.floor(nowMs)) * 1_000_000n
    this.#lastNs = now > this.#lastNs ? now : this.#lastNs + 1n
    return `${pod.metadata.name}.${this.#lastNs.toString(16)}`
  }
}

/** Inserts at the end, and removes the oldest entry of a full map. */
function remember<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.delete(key)
  map.set(key, value)
  const [oldest] = map.keys()
  if (map.size > remembered && oldest !== undefined) map.delete(oldest)
}
