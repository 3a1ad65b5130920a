// Replicas of one operator, and stores that the story edits on every poll.

import type { LogLine } from './operator-process.ts'
import { identityOf, type WriteOutOfTurn, writesOutOfTurn } from './reigns.ts'
import { isWrite, Stores } from './stores.ts'
import type { MortalOperator, OperatorAsk, StoryServer } from './story-server.ts'

type Timing = Omit<NonNullable<OperatorAsk['election']>, 'leaseNamespace'>

const image = 'valkey/valkey:8.0'
const names = ['red', 'green', 'blue', 'black']

export class Replicas {
  readonly stores: Stores
  readonly #server: StoryServer
  readonly #ask: OperatorAsk
  readonly all: MortalOperator[] = []
  #round = 0

  constructor(server: StoryServer, namespace: string, timing: Timing) {
    this.#server = server
    this.stores = new Stores(server, namespace)
    this.#ask = { namespaces: [namespace], election: { leaseNamespace: namespace, ...timing } }
  }

  async begin(): Promise<void> {
    await this.stores.createNamespace()
    await this.start()
    await this.start()
  }

  /** Starts a replica; resolves when it leads, or is a standby with warm caches. */
  async start(): Promise<MortalOperator> {
    const replica = await this.#server.mortalOperator(this.#ask)
    this.all.push(replica)
    return await replica.start().ready()
  }

  /** Ends the edits and waits until the cluster shows the last of them. */
  async settle(): Promise<void> {
    const last = String(this.#round)
    await this.stores.until(`round ${last} in every StatefulSet`, async () => {
      const sets = await this.stores.list<{
        spec: { template: { spec: { containers: { env?: { value?: string }[] }[] } } }
      }>('statefulsets')
      const rounds = sets.map(({ spec }) => spec.template.spec.containers[0]?.env?.find(({ value }) => value === last))
      return rounds.length === names.length && rounds.every((round) => round !== undefined)
    })
  }

  async end(): Promise<void> {
    await Promise.all(this.all.map((replica) => replica.kill()))
    await Promise.all(this.all.map((replica) => replica.stop()))
  }

  /** Waits until one of these replicas leads; returns the leader. */
  async leader(among: readonly MortalOperator[] = this.all): Promise<{
    readonly operator: MortalOperator
    readonly sinceMs: number
  }> {
    let found: { operator: MortalOperator; sinceMs: number } | undefined
    await this.#server.until({ what: 'a leader', everyMs: 500 }, async () => {
      await this.#edit()
      for (const operator of among) {
        const line = operator.lines.find(isElection)
        if (line !== undefined) found = { operator, sinceMs: Number(line['time']) }
      }
      return found !== undefined
    })
    if (found === undefined) throw new Error('until has found one')
    return found
  }

  /** Ends the leader by `how`; resolves when another replica leads, with the milliseconds between. */
  async takeover(how: (leader: MortalOperator) => Promise<unknown>): Promise<number> {
    const { operator: leader } = await this.leader()
    const others = this.all.filter((replica) => replica !== leader)
    const fromMs = this.#server.nowMs()
    await how(leader)
    const { sinceMs } = await this.leader(others)
    this.all.splice(this.all.indexOf(leader), 1)
    return sinceMs - fromMs
  }

  /** Returns the writes of these replicas outside their leadership terms, from the record of requests. */
  async writesOutOfTurn(leaseDurationMs: number): Promise<readonly WriteOutOfTurn[]> {
    const requests = (await this.#server.requests()).filter(({ namespace }) => namespace === this.stores.namespace)
    return writesOutOfTurn(requests, { lease: 'konverge', leaseDurationMs })
  }

  async writers(): Promise<number> {
    const writes = (await this.#server.operatorWrites(this.stores.namespace)).filter(isWrite)
    const ofSets = writes.filter(({ resource }) => resource === 'statefulsets')
    return new Set(ofSets.map(identityOf).filter((identity) => identity !== undefined)).size
  }

  async #edit(): Promise<void> {
    this.#round += 1
    const env = [{ name: 'ROUND', value: String(this.#round) }]
    await this.stores.apply(...names.map((name) => ({ name, spec: { image, replicas: 1, env } })))
  }
}

const isElection = ({ msg }: LogLine) => msg === 'this process leads'

export function identityOfOperator({ lines }: MortalOperator): string {
  return String(lines.find(({ identity }) => identity !== undefined)?.['identity'])
}
