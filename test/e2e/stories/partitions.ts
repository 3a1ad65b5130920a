// Network partitions of half a minute, repeated. After each one the operator recovers within ten seconds, with its
// default backoff. The limits here are wider, for machines under load. Runs on every server.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isReady, Stores } from '../stores.ts'
import type { MortalOperator, StartStoryServer, StoryServer } from '../story-server.ts'

const image = 'valkey/valkey:8.0'
const partitionMs = 31_000

export interface PartitionOptions {
  readonly start: StartStoryServer
  /** True if partitions take real time, so that several run concurrently. */
  readonly isConcurrent: boolean
}

export function describePartitions({ start, isConcurrent }: PartitionOptions): void {
  const operators: MortalOperator[] = []
  let server: StoryServer
  beforeAll(async () => {
    server = await start()
  })
  afterAll(async () => {
    for (const operator of operators) await operator.stop()
    await server.stop()
  })

  /** Starts an operator with one ready store. */
  async function atWork(namespace: string) {
    const stores = new Stores(server, namespace)
    await stores.createNamespace()
    const operator = await server.mortalOperator({ namespaces: [namespace] })
    operators.push(operator)
    await operator.start().ready()
    await stores.apply({ name: 'cart', spec: { image } })
    const ready = async (limitMs = 60_000) =>
      await operator.until(
        'the store to be ready',
        async () => {
          const store = await stores.store('cart')
          return store !== undefined && isReady(store)
        },
        limitMs,
      )
    await ready()
    const scale = (replicas: number) => stores.patch('kv', 'cart', { spec: { replicas } })
    return { scale, operator, ready }
  }

  async function isInStep(operator: MortalOperator): Promise<boolean> {
    return (await operator.get('/readyz')).status === 200
  }

  const returnLimitMs = isConcurrent ? 90_000 : 30_000

  describe('an operator', { timeout: 600_000, concurrent: isConcurrent }, () => {
    it('recovers after each of three partitions, and reports each while it lasts', async () => {
      const { scale, operator, ready } = await atWork('partitioned')
      for (const replicas of [2, 3, 4]) {
        operator.way.line = 'down'
        await scale(replicas)
        await server.pass(partitionMs)
        await operator.until('the partition to be told', async () => !(await isInStep(operator)))
        operator.way.line = 'up'
        await ready(returnLimitMs)
      }
      // This includes watches of quiet kinds, whose next bookmark is a minute away.
      const toldWhy = async (cause: unknown) => {
        throw new Error((await operator.get('/readyz?verbose')).text, { cause })
      }
      await operator.until('readiness', () => isInStep(operator), 30_000).catch(toldWhy)
    })

    it('recovers after a silence in which one of its own writes was lost', async () => {
      const { scale, operator, ready } = await atWork('silenced')
      const fault = { match: { verb: 'apply', resource: 'statefulsets' }, effect: { kind: 'freeze' } } as const
      operator.way.inject(fault)
      await scale(2)
      const hasGivenUp = () => operator.lines.some(({ reason }) => reason === 'Timeout')
      await operator.until('the write to be given up', hasGivenUp)
      operator.way.line = 'up'
      await ready(returnLimitMs)
    })

    it('detects a watch whose connection is open and dead by the missing bookmarks', async () => {
      const { scale, operator, ready } = await atWork('half-open')
      const fault = { match: { resource: 'statefulsets', frame: 'any' }, effect: { kind: 'silence' } } as const
      operator.way.inject(fault)
      await scale(2)
      await operator.until('the watch to stall', () => operator.way.hasStruck(fault))
      await ready(200_000)
      expect(await operator.metric('watch_restarts_total', 'reason="stalled"')).toBeGreaterThan(0)
    })
  })
}
