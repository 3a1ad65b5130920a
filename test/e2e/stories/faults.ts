// What does the operator do when the cluster is not as it should be? It plays on every server that is the story's own, because it breaks it.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { grant, makeAccount } from '../grants.ts'
import { Hand } from '../hand.ts'
import { Stores } from '../stores.ts'
import type { MortalOperator, OperatorAsk, OwnServer } from '../story-server.ts'

const image = 'valkey/valkey:8.0'

export interface FaultStoryOptions {
  /** Gives a server without the flagship's definitions. */
  readonly start: () => Promise<OwnServer>
  readonly install: (server: OwnServer) => Promise<void>
  /** What an end in order may take by the server's own clock; absent where that is the machine's, which may be busy. */
  readonly stopLimitMs?: number
}

export function describeFaults({ start, install, stopLimitMs = Infinity }: FaultStoryOptions): void {
  let server: OwnServer
  let operator: MortalOperator | undefined

  beforeAll(async () => {
    server = await start()
  })
  afterEach(async () => {
    await operator?.stop()
    operator = undefined
  })
  afterAll(async () => await server.stop())

  const startOperator = async (ask: OperatorAsk) => {
    operator = await server.mortalOperator(ask)
    return operator.start()
  }
  const storesIn = async (namespace: string) => {
    const stores = new Stores(server, namespace)
    await stores.createNamespace()
    return stores
  }

  describe('an operator', () => {
    it('waits for a missing CRD, says so, and goes on when it appears', async () => {
      const running = await startOperator({})
      await running.until('the reason why it is not ready', async () => {
        const { status, text } = await running.get('/readyz').catch(() => ({ status: 0, text: '' }))
        return status === 503 && text.includes('install its CRD')
      })
      expect((await running.get('/healthz')).status).toBe(200)
      await install(server)
      await running.ready()
      const stores = await storesIn('after-crd')
      await stores.apply({ name: 'late', spec: { image } })
      await stores.condition('late', 'Ready', 'True', 'AllReplicasReady')
    })

    it('lets a namespace go that is deleted with stores in it', async () => {
      const stores = await storesIn('to-be-deleted')
      await (await startOperator({})).ready()
      await stores.apply({ name: 'gone', spec: { image } })
      await stores.condition('gone', 'Ready', 'True', 'AllReplicasReady')
      const namespace = { namespace: '', kind: 'namespace', name: stores.namespace }
      await server.delete(namespace, { waits: false })
      const isGone = async () => (await server.get(namespace)) === undefined
      await server.until({ what: 'the namespace to go', everyMs: 500 }, isGone)
    })

    // From here on the API server goes away and comes back, and a real cluster's own controllers back off a little longer each time.
    it('goes on after the API server was away', async () => {
      const stores = await storesIn('after-restart')
      const running = await (await startOperator({ namespaces: [stores.namespace] })).ready()
      await stores.apply({ name: 'before', spec: { image } })
      await stores.condition('before', 'Ready', 'True', 'AllReplicasReady')
      await server.setAway(true)
      await server.setAway(false)
      await stores.apply({ name: 'after', spec: { image } })
      await stores.condition('after', 'Ready', 'True', 'AllReplicasReady', 120_000)
      await running.ready()
    })

    it('lists again after the history was forgotten, misses nothing, and writes nothing twice', async () => {
      const stores = await storesIn('after-compaction')
      const running = await (await startOperator({ namespaces: [stores.namespace] })).ready()
      await stores.apply({ name: 'kept', spec: { image } }, { name: 'changed', spec: { image } })
      await stores.allReady(60_000)
      const before = (await server.operatorWrites(stores.namespace)).length
      await server.forgetHistory()
      await stores.patch('kv', 'changed', { spec: { replicas: 2 } })
      await stores.condition('changed', 'Ready', 'True', 'AllReplicasReady', 120_000)
      await running.ready()
      const writes = (await server.operatorWrites(stores.namespace)).slice(before)
      expect(writes.filter(({ name }) => name.startsWith('kept'))).toEqual([])
    })

    it('says in one sentence which right it lacks, and recovers when it is granted', async () => {
      const account = { namespace: 'default', name: 'poor' }
      const hand = new Hand(server, account.namespace)
      await makeAccount(hand, account)
      const stores = await storesIn('without-rights')
      const running = await startOperator({
        namespaces: [stores.namespace],
        backoff: { baseMs: 1_000, capMs: 5_000 },
        account,
      })
      const missing =
        /user "system:serviceaccount:default:poor" may not (list|watch) statefulsets\.apps in namespace without-rights/
      // Which of the missing rights is told first depends on which request ends first.
      await running.until('the missing right in /readyz', async () => {
        const { text } = await running.get('/readyz').catch(() => ({ text: '' }))
        return missing.test(text)
      })
      const read = ['get', 'list', 'watch']
      const write = [...read, 'create', 'patch', 'delete']
      await grant(hand, account, [
        { apiGroups: ['data.konverge.dev'], resources: ['*'], verbs: write },
        { apiGroups: [''], resources: ['pods', 'persistentvolumeclaims', 'namespaces'], verbs: read },
        { apiGroups: ['storage.k8s.io'], resources: ['storageclasses'], verbs: read },
        { apiGroups: ['apps'], resources: ['statefulsets'], verbs: write },
        { apiGroups: ['policy'], resources: ['poddisruptionbudgets'], verbs: write },
        { apiGroups: ['batch'], resources: ['jobs'], verbs: write },
        { apiGroups: [''], resources: ['serviceaccounts', 'configmaps', 'secrets'], verbs: write },
        // Services may be read, but not yet written.
        { apiGroups: [''], resources: ['services'], verbs: read },
      ])
      await running.ready(90_000)
      await stores.apply({ name: 'poor', spec: { image } })
      const message = await stores.condition('poor', 'Degraded', 'True', 'Forbidden')
      expect(message).toMatch(
        /user "system:serviceaccount:default:poor" may not (create|patch) services in namespace without-rights/,
      )
      // The rest of the same resource, and of the operator, keeps working.
      expect(await stores.get('serviceaccount', 'poor')).toBeDefined()
      await grant(hand, account, [{ apiGroups: [''], resources: ['services'], verbs: write }])
      await stores.condition('poor', 'Ready', 'True', 'AllReplicasReady', 90_000)
    })

    it('ends in order although the API server is gone', async () => {
      const running = await (await startOperator({})).ready()
      await server.setAway(true)
      try {
        const fromMs = server.nowMs()
        expect((await running.stop()).code).toBe(0)
        expect(server.nowMs() - fromMs).toBeLessThan(stopLimitMs)
      } finally {
        await server.setAway(false)
      }
    })
  })
}
