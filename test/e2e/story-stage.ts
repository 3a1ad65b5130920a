// Runner of stories: each run has a new namespace and an operator behind a faulty path. Servers have one node, so every
// pod runs on the same one. The module also checks that two runs end in the same state.
import { expect } from 'vitest'
import { describeCall } from '../fault-lab/api-call.ts'
import { endStateOf } from '../fault-lab/end-state.ts'
import type { Fault } from '../fault-lab/fault.ts'
import type { CallRecord } from '../fault-lab/faulty-way.ts'
import { type KindPath, NamespaceReader, namespacedKinds } from '../fault-lab/namespace-reader.ts'
import { tellStory } from './store-story.ts'
import type { Counts, MortalOperator, StartStoryServer, StoryServer } from './story-server.ts'

type State = Readonly<Record<string, unknown>>

/** End of one run of a story. */
export interface Ending {
  /** Counts of created and deleted objects; call it after all runs. */
  readonly counts: () => Promise<Counts | undefined>
  /** Writes of the operator during the story, in order. */
  readonly writes: readonly CallRecord[]
  readonly state: State
  readonly hasDied: boolean
  /** Faults that were injected. */
  readonly struck: readonly Fault[]
  /** Writes of a new operator process after the story. */
  readonly writesAtRest: readonly string[]
}

export interface StoryStageOptions {
  readonly start: StartStoryServer
  /** Stories that run concurrently on one server; 0: one after the other, each on its own server. */
  readonly lanes: number
}

const partLimitMs = 90_000
const restEveryMs = 200
/** Consecutive polls that show the same state: two seconds. */
const restLooks = 10

export class StoryStage {
  readonly #options: StoryStageOptions
  #counts: Promise<ReadonlyMap<string, Counts>> | undefined
  #kinds: readonly KindPath[] = []
  #told = 0

  constructor(options: StoryStageOptions) {
    this.#options = options
  }

  /** Runs the story without faults until nothing has changed for two seconds. */
  async undisturbed(): Promise<Ending> {
    return await this.#tell([], unchangedFor(restLooks))
  }

  /** Runs the story once for each item, a few at a time; each run must end in the state of the undisturbed one. */
  async tellAll<T extends { readonly faults: readonly Fault[] }>(
    items: readonly T[],
    undisturbed: Ending,
    onEnd: (item: T, ending: Ending) => void,
  ): Promise<void> {
    const text = JSON.stringify(undisturbed.state)
    // The lanes share the remaining items: each story runs once, and none starts after a failure.
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
    const ends = await Promise.allSettled(Array.from({ length: Math.max(1, this.#options.lanes) }, lane))
    for (const end of ends) if (end.status === 'rejected') throw end.reason
  }

  async #tell(faults: readonly Fault[], isAtRest: (state: State) => boolean): Promise<Ending> {
    const server = await this.#options.start()
    const namespace = `story-${String(this.#told++).padStart(3, '0')}`
    const operator = await server.mortalOperator({
      namespaces: [namespace],
      backoff: { baseMs: 1_000, capMs: 5_000 },
    })
    try {
      const lived = await this.#live({ server, namespace, operator, faults, isAtRest })
      return { ...lived, counts: await this.#countsOf(server, namespace) }
    } finally {
      await operator.kill()
      await operator.stop()
      await server.stop()
    }
  }

  async #countsOf(server: StoryServer, namespace: string): Promise<() => Promise<Counts | undefined>> {
    const isShared = this.#options.lanes > 0
    const own = isShared ? undefined : (await server.counts()).get(namespace)
    return async () => {
      if (!isShared) return own
      this.#counts ??= server.counts()
      return (await this.#counts).get(namespace)
    }
  }

  async #live({ server, namespace, operator, faults, isAtRest }: Telling): Promise<Lived> {
    const { way } = operator
    if (this.#kinds.length === 0) this.#kinds = await namespacedKinds(server)
    const reader = new NamespaceReader(server, namespace)
    let [state, hasDied]: [State, boolean] = [{}, false]
    /** Kills the operator once no request passes any more, and starts a new process while the story continues. */
    const until: StoryServer['until'] = (wait, isSo) =>
      server.until({ ...wait, giveUp: () => operator.throwIfEnded() }, async () => {
        if (!hasDied && way.line === 'silent') {
          hasDied = true
          await operator.kill()
          operator.start()
        }
        return isSo()
      })
    await reader.createNamespace()
    way.inject(...faults)
    operator.start()
    await tellStory(reader, { limitMs: partLimitMs, until })
    const rest = { what: `${namespace} to come to rest`, limitMs: partLimitMs, everyMs: restEveryMs }
    await until(rest, async () => {
      state = endStateOf(namespace, await reader.objects(this.#kinds))
      return isAtRest(state)
    }).catch(() => undefined) // The comparison reports a different state.
    const struck = faults.filter((fault) => way.hasStruck(fault))
    way.heal()
    await operator.kill()
    const { writes } = way
    await operator.start().ready()
    // The first reconcile after a start shows whether anything is left to write.
    const settled = () => operator.metric('reconciliation_duration_seconds_count', 'outcome="settled"')
    await operator.until('a turn that has found nothing to do', async () => (await settled()) > 0)
    const writesAtRest = way.writes.slice(writes.length).map(({ call }) => describeCall(call))
    return { writes, state, hasDied, struck, writesAtRest }
  }
}

interface Telling {
  readonly server: StoryServer
  readonly namespace: string
  readonly operator: MortalOperator
  readonly faults: readonly Fault[]
  readonly isAtRest: (state: State) => boolean
}

type Lived = Omit<Ending, 'counts'>

/** Expects the same objects with the same content, and no remaining writes. */
export function expectSameEnd(title: string, ending: Ending, undisturbed: Ending): void {
  expect(ending.state, title).toEqual(undisturbed.state)
  expect(ending.writesAtRest, title).toEqual([])
}

function unchangedFor(looks: number): (state: State) => boolean {
  let last = ''
  let same = 0
  return (state) => {
    const text = JSON.stringify(state)
    same = text === last ? same + 1 : 0
    last = text
    return same >= looks
  }
}
