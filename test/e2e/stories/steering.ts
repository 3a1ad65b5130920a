// Steering annotations of a resource: the operator does what they request, and nothing else. Runs on every server.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { isReady, Stores } from '../stores.ts'
import type { StartStoryServer, StoryOperator, StoryServer } from '../story-server.ts'

export function describeSteering(start: StartStoryServer): void {
  let server: StoryServer
  let stores: Stores
  let operator: StoryOperator

  beforeAll(async () => {
    server = await start()
    stores = new Stores(server, 'steering')
    await stores.createNamespace()
    operator = await server.startOperator(stores.namespace)
    await stores.apply({ name: 'cart', spec: { image: 'valkey/valkey:8.0', replicas: 1 } })
    await stores.condition('cart', 'Ready', 'True', 'AllReplicasReady')
  })
  afterAll(async () => {
    await operator.stop()
    await server.stop()
  })

  const annotate = (annotations: Record<string, string | null>) =>
    stores.patch('kv', 'cart', { metadata: { annotations } })
  const writes = async () =>
    (await server.operatorWrites(stores.namespace)).map(
      ({ verb, resource, subresource }) => `${verb} ${resource}/${subresource}`,
    )

  describe('a store', () => {
    it('is not written while it is paused, and is updated afterwards', async () => {
      const before = (await writes()).length
      await annotate({ 'konverge.dev/paused': 'true' })
      await stores.condition('cart', 'Paused', 'True', 'Paused')
      await stores.patch('kv', 'cart', { spec: { replicas: 2 } })
      await stores.patch('statefulset', 'cart', { spec: { replicas: 3 } })
      // The condition Paused with the new observedGeneration shows that the operator has seen the change.
      await stores.until('the pause to be told again', async () =>
        ((await stores.store('cart'))?.status?.conditions ?? []).some(
          ({ type, observedGeneration }) => type === 'Paused' && observedGeneration === 2,
        ),
      )
      expect((await writes()).slice(before)).toEqual([
        'patch replicatedkvstores/status',
        'patch replicatedkvstores/status',
      ])
      expect((await stores.store('cart'))?.status).toMatchObject({ observedGeneration: 1, readyReplicas: 1 })
      const store = await stores.store('cart')
      expect(store !== undefined && isReady(store), 'nobody takes a spec for ready that nobody acted on').toBe(false)
      await annotate({ 'konverge.dev/paused': null })
      await stores.condition('cart', 'Ready', 'True', 'AllReplicasReady')
      expect((await stores.store('cart'))?.status).toMatchObject({ observedGeneration: 2, readyReplicas: 2 })
    })

    it('confirms a reconcile-now with one write', async () => {
      const before = (await writes()).length
      await annotate({ 'konverge.dev/reconcile-now': '2026-01-01T00:00:00Z' })
      await stores.until('the echo', async () => {
        return (await stores.store('cart'))?.status?.lastHandledReconcileAt === '2026-01-01T00:00:00Z'
      })
      await annotate({ look: 'again' })
      await annotate({ 'konverge.dev/reconcile-now': 'again' })
      await stores.until('the second echo', async () => {
        return (await stores.store('cart'))?.status?.lastHandledReconcileAt === 'again'
      })
      expect((await writes()).slice(before)).toEqual([
        'patch replicatedkvstores/status',
        'patch replicatedkvstores/status',
      ])
    })
  })
}
