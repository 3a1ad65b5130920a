// Where a story is told: for each telling a fresh namespace, and an operator behind a way with its faults. Servers have one node, so
// that where a pod runs is not to differ. What two tellings have to agree in is here too.
import { expect } from 'vitest'
import { describeCall } from '../fault-lab/api-call.ts'
import { endStateOf } from '../fault-lab/end-state.ts'
import type { Fault } from '../fault-lab/fault.ts'
import type { CallRecord } from '../fault-lab/faulty-way.ts'
import { type KindPath, NamespaceReader, namespacedKinds } from '../fault-lab/namespace-reader.ts'
import { tellStory } from './store-story.ts'
import type { Counts, MortalOperator, StartStoryServer, StoryServer } from './story-server.ts'

type State = Readonly<Record<string, unknown>>

/** How a story ended. */
export interface Ending {
  /** What was made and deleted; to be asked for once all are told. */
  readonly counts: () => Promise<Counts | undefined>
  /** The writes of the operator during the story, in order. */
  readonly writes: readonly CallRecord[]
  readonly state: State
  readonly hasDied: boolean
  /** Which of the faults have struck. */
  readonly struck: readonly Fault[]
  /** What a fresh life wrote after the story. */
  readonly writesAtRest: readonly string[]
}

export interface StoryStageOptions {
  readonly start: StartStoryServer
  /** Stories told at the same time on one server; 0: each has a server of its own, one after the other. */
  readonly lanes: number
}

const partLimitMs = 90_000
const restEveryMs = 200
/** Looks in a row that show the same state: two seconds. */
const restLooks = 10

export class StoryStage {
  readonly #options: StoryStageOptions
  #counts: Promise<ReadonlyMap<string, Counts>> | undefined
  #kinds: readonly KindPath[] = []
  #told = 0

  constructor(options: StoryStageOptions) {
    this.#options = options
  }

  /** The story with nothing in its way, told until nothing has changed for two seconds. */
  async undisturbed(): Promise<Ending> {
    return await this.#tell([], unchangedFor(restLooks))
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
    /** Kills the operator once nothing passes any more, and starts a new life while the story goes on. */
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
    }).catch(() => undefined) // What another state differs in is for the comparison to tell.
    const struck = faults.filter((fault) => way.hasStruck(fault))
    way.heal()
    await operator.kill()
    const { writes } = way
    await operator.start().ready()
    // Which the first turn after a start tells best.
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

/** The same objects with the same content, and nothing left to write. */
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
