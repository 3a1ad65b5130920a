// Operator on a broken cluster. Runs on every server that the story does not share, because the story breaks it.
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { grant, makeAccount } from '../grants.ts'
import { Hand } from '../hand.ts'
import { Stores } from '../stores.ts'
import type { MortalOperator, OperatorAsk, OwnServer } from '../story-server.ts'

const image = 'valkey/valkey:8.0'

export interface FaultStoryOptions {
  /** Returns a server without the flagship's definitions. */
  readonly start: () => Promise<OwnServer>
  readonly install: (server: OwnServer) => Promise<void>
  /**
   * Limit of a graceful stop by the server's clock. Absent if that is the clock of the machine, which may be under
   * load.
   */
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
    it('waits for a missing CRD, names it, and continues when it is installed', async () => {
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

    it('releases a namespace that is deleted with stores in it', async () => {
      const stores = await storesIn('to-be-deleted')
      await (await startOperator({})).ready()
      await stores.apply({ name: 'gone', spec: { image } })
      await stores.condition('gone', 'Ready', 'True', 'AllReplicasReady')
      const namespace = { namespace: '', kind: 'namespace', name: stores.namespace }
      await server.delete(namespace, { waits: false })
      const isGone = async () => (await server.get(namespace)) === undefined
      await server.until({ what: 'the namespace to go', everyMs: 500 }, isGone)
    })

    // The following tests stop and start the API server. Each time the real cluster's controllers back off a little
    // longer.
    it('continues after the API server was unreachable', async () => {
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

    it('lists again after the server lost its history, misses nothing, and writes nothing twice', async () => {
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

    it('reports in one sentence which right it lacks, and recovers when it is granted', async () => {
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
      // The order of the failing requests decides which missing right it reports first.
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
        // The operator may read Services, but not yet write them.
        { apiGroups: [''], resources: ['services'], verbs: read },
      ])
      await running.ready(90_000)
      await stores.apply({ name: 'poor', spec: { image } })
      const message = await stores.condition('poor', 'Degraded', 'True', 'Forbidden')
      expect(message).toMatch(
        /user "system:serviceaccount:default:poor" may not (create|patch) services in namespace without-rights/,
      )
      // The other children of the resource, and other resources, continue.
      expect(await stores.get('serviceaccount', 'poor')).toBeDefined()
      await grant(hand, account, [{ apiGroups: [''], resources: ['services'], verbs: write }])
      await stores.condition('poor', 'Ready', 'True', 'AllReplicasReady', 90_000)
    })

    it('stops gracefully although the API server is unreachable', async () => {
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
