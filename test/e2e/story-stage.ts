// Where a story is told: a control plane of its own with one node, so that where a pod runs is not to differ, and for each
// telling a fresh namespace, a proxy with its faults and an operator behind it. What two tellings have to agree in is here too.
import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'vitest'
import { type ControlPlane, startControlPlane } from '../control-plane/control-plane.ts'
import { waitUntil } from '../control-plane/wait-until.ts'
import { describeCall } from '../fault-lab/api-call.ts'
import { endStateOf } from '../fault-lab/end-state.ts'
import type { Fault } from '../fault-lab/fault.ts'
import type { CallRecord } from '../fault-lab/fault-proxy.ts'
import { type KindPath, NamespaceReader, namespacedKinds, storeKind } from '../fault-lab/namespace-reader.ts'
import { ProxiedOperator } from './proxied-operator.ts'
import { tellStory } from './store-story.ts'
import { installDefinitions } from './stores.ts'

type State = Readonly<Record<string, unknown>>

/** How a story ended. */
export interface Ending {
  readonly namespace: string
  /** The writes of the operator during the story, in order. */
  readonly writes: readonly CallRecord[]
  readonly state: State
  readonly hasDied: boolean
  /** Which of the faults have struck. */
  readonly struck: readonly Fault[]
  /** What a fresh life wrote after the story. */
  readonly writesAtRest: readonly string[]
}

/** Stories told at the same time. */
const lanes = 3
const partLimitMs = 90_000

export class StoryStage {
  readonly cluster: ControlPlane
  readonly #kinds: readonly KindPath[]
  #told = 0

  private constructor(cluster: ControlPlane, kinds: readonly KindPath[]) {
    this.cluster = cluster
    this.#kinds = kinds
  }

  static async start(): Promise<StoryStage> {
    const cluster = await startControlPlane({ kwok: { nodes: 1 }, auditLog: true })
    try {
      await installDefinitions(cluster)
      return new StoryStage(cluster, await namespacedKinds(cluster))
    } catch (error) {
      await cluster.stop()
      throw error
    }
  }

  async stop(): Promise<void> {
    await this.cluster.stop()
  }

  /** The story with nothing in its way, told until nothing has changed for two seconds. */
  async undisturbed(): Promise<Ending> {
    return await this.#tell([], unchangedFor(2_000))
  }

  /** Tells the story once for each item, a few at a time; each telling has to end in the state of the undisturbed one. */
  async tellAll<T extends { readonly faults: readonly Fault[] }>(
    items: readonly T[],
    undisturbed: Ending,
    onEnd: (item: T, ending: Ending) => void,
  ): Promise<void> {
    const text = JSON.stringify(undisturbed.state)
    // The lanes share what is left, so that each story is told once, and none is begun after one has failed.
    const left = [...items].reverse()
    const lane = async () => {
      for (let item = left.pop(); item !== undefined; item = left.pop()) {
        try {
          onEnd(item, await this.#tell(item.faults, (state) => JSON.stringify(state) === text))
        } catch (thrown) {
          left.length = 0
          throw thrown
        }
      }
    }
    const ends = await Promise.allSettled(Array.from({ length: lanes }, lane))
    for (const end of ends) if (end.status === 'rejected') throw end.reason
  }

  /**
   * Which objects came to be in each namespace, by whomever, and which the operator deleted: how often each kind. What others
   * delete follows from what they made and what is left. Endpoints are left out: two controllers race for them; and pods: kwok
   * deletes them by name, at times twice, and then their successor has to be made anew. The StatefulSet controller and the
   * garbage collector race once a store is on its way out: from then on only the operator counts.
   */
  async countsByNamespace(): Promise<ReadonlyMap<string, Readonly<Record<string, number>>>> {
    const all = new Map<string, Record<string, number>>()
    const ending = new Set<string>()
    for (const { verb, objectRef, responseStatus, userAgent = '' } of await this.cluster.auditEvents()) {
      const { resource = '', subresource, namespace = '' } = objectRef ?? {}
      const code = responseStatus?.code ?? 0
      if (subresource !== undefined || uncounted.has(resource) || code >= 300) continue
      const isOurs = userAgent.startsWith('konverge/')
      const isOurDelete = verb === 'delete' && isOurs
      if (verb === 'delete' && resource === storeKind.plural) ending.add(namespace)
      if (code !== 201 && !isOurDelete) continue
      if (ending.has(namespace) && !isOurs) continue
      const counts = all.get(namespace) ?? {}
      const title = `${isOurDelete ? 'deleted' : 'created'} ${resource}`
      counts[title] = (counts[title] ?? 0) + 1
      all.set(namespace, counts)
    }
    return all
  }

  async #tell(faults: readonly Fault[], isAtRest: (state: State) => boolean): Promise<Ending> {
    const namespace = `story-${String(this.#told++).padStart(3, '0')}`
    const reader = new NamespaceReader(this.cluster, namespace)
    const operator = await ProxiedOperator.create(this.cluster, namespace, '--backoff', '1-5')
    const { proxy } = operator
    let state: State = {}
    const tell = async () => {
      await tellStory(reader, { limitMs: partLimitMs, giveUp: () => operator.process.throwIfEnded() })
      const rest = { what: `${namespace} to come to rest`, limitMs: partLimitMs, everyMs: 200 }
      await waitUntil(rest, async () => {
        state = endStateOf(namespace, await reader.objects(this.#kinds))
        return isAtRest(state)
      }).catch(() => undefined) // What another state differs in is for the comparison to tell.
    }
    try {
      await reader.createNamespace()
      proxy.inject(...faults)
      operator.start()
      const hasDied = await dieOnce(operator, tell())
      const struck = faults.filter((fault) => proxy.hasStruck(fault))
      proxy.heal()
      await operator.kill()
      const { writes } = proxy
      await operator.start().ready()
      await operator.atRest()
      const writesAtRest = proxy.writes.slice(writes.length).map(({ call }) => describeCall(call))
      return { namespace, writes, state, hasDied, struck, writesAtRest }
    } finally {
      await operator.stop()
    }
  }
}

/** The same objects with the same content, and nothing left to write. */
export function expectSameEnd(title: string, ending: Ending, undisturbed: Ending): void {
  expect(ending.state, title).toEqual(undisturbed.state)
  expect(ending.writesAtRest, title).toEqual([])
}

const uncounted: ReadonlySet<string> = new Set(['events', 'endpoints', 'endpointslices', 'pods'])

/** Kills the operator once nothing passes any more, and starts a new life while the story goes on. Was it killed? */
async function dieOnce(operator: ProxiedOperator, story: Promise<void>): Promise<boolean> {
  let isOver = false
  const end = story.finally(() => {
    isOver = true
  })
  const killing = async () => {
    while (!isOver) {
      if (operator.proxy.line === 'silent') {
        await operator.kill()
        operator.start()
        return true
      }
      await sleep(5)
    }
    return false
  }
  const [hasDied] = await Promise.all([killing(), end])
  return hasDied
}

function unchangedFor(limitMs: number): (state: State) => boolean {
  let last = ''
  let sinceMs = 0
  return (state) => {
    const text = JSON.stringify(state)
    if (text !== last) {
      last = text
      sinceMs = performance.now()
    }
    return performance.now() - sinceMs > limitMs
  }
}
