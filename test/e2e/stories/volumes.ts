// Volumes of a store that shrinks, grows and is created again. Runs on every server.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StoreObject, Stores } from '../stores.ts'
import type { StartStoryServer, StoryOperator, StoryServer } from '../story-server.ts'

const image = 'valkey/valkey:8.0'

interface Named {
  readonly metadata: {
    readonly name: string
    readonly uid: string
    readonly ownerReferences?: readonly { readonly kind: string }[]
  }
}

interface Claim extends Named {
  readonly status: { readonly capacity?: { readonly storage?: string } }
}

export function describeVolumes(start: StartStoryServer): void {
  let server: StoryServer
  let stores: Stores
  let operator: StoryOperator

  beforeAll(async () => {
    server = await start()
    stores = new Stores(server, 'volumes')
    await stores.createNamespace()
    operator = await server.startOperator(stores.namespace)
  })
  afterAll(async () => {
    await operator.stop()
    expect(await server.refusals(), 'a right that the operator does not have').toEqual([])
    await server.stop()
  })

  /** Returns `cart-0 <uid>` for each object of the store. */
  const uidsOf = async (kind: string, store: string) =>
    (await stores.list<Named>(kind))
      .filter(({ metadata: { name } }) => new RegExp(`(^|-)${store}-\\d+$`).test(name))
      .map(({ metadata: { name, uid } }) => `${name} ${uid}`)

  describe('a store that was scaled in', () => {
    const shrunk = async (name: string) => {
      await stores.apply({ name, spec: { image, replicas: 3 } })
      await stores.condition(name, 'Ready', 'True', 'AllReplicasReady')
      await stores.patch('kv', name, { spec: { replicas: 1 } })
      // A replica that still exists keeps its volume: the volume is not stale.
      const isAlone = async () => (await uidsOf('pods', name)).length === 1
      await stores.until('the other pods to go', isAlone)
      await stores.condition(name, 'Ready', 'True', 'AllReplicasReady')
    }

    it('is not scaled out onto the old volumes without consent', async () => {
      await shrunk('consent')
      const old = await uidsOf('pvc', 'consent')
      await stores.patch('kv', 'consent', { spec: { replicas: 3, image: 'valkey/valkey:8.1' } })
      const message = await stores.condition('consent', 'Degraded', 'True', 'StaleVolumesRetained')
      expect(message).toContain('held at 1')
      expect(message).toContain('data-consent-1, data-consent-2')
      await stores.event('consent', 'StaleVolumesRetained')
      await stores.condition('consent', 'Stalled', 'True', 'StaleVolumesRetained')
      expect(await uidsOf('pods', 'consent')).toHaveLength(1)
      const [pod] = await stores.list<{ spec: { containers: readonly { image: string }[] } }>('pods')
      expect(pod?.spec.containers[0]?.image, 'the rest of the change is made').toBe('valkey/valkey:8.1')

      await stores.patch('kv', 'consent', { spec: { storage: { reuseRetained: 'Allow' } } })
      await stores.condition('consent', 'Ready', 'True', 'AllReplicasReady')
      expect(await uidsOf('pods', 'consent')).toHaveLength(3)
      expect(await uidsOf('pvc', 'consent')).toEqual(old)
      expect((await stores.store('consent'))?.status?.retainedPVCs).toBeUndefined()
    })

    it('is scaled out onto new volumes once the old ones are deleted', async () => {
      await shrunk('empty')
      const [first, ...old] = await uidsOf('pvc', 'empty')
      await stores.patch('kv', 'empty', { spec: { replicas: 3 } })
      await stores.condition('empty', 'Degraded', 'True', 'StaleVolumesRetained')
      for (const claim of ['data-empty-1', 'data-empty-2']) await stores.delete('pvc', claim)
      await stores.condition('empty', 'Ready', 'True', 'AllReplicasReady')
      const [firstNow, ...fresh] = await uidsOf('pvc', 'empty')
      expect(firstNow).toBe(first)
      expect(fresh).toHaveLength(2)
      expect(fresh.filter((claim) => old.includes(claim))).toEqual([])
    })
  })

  describe('a store that is created on the volumes of an earlier one', () => {
    it('reuses them, and reports it', async () => {
      await stores.apply({ name: 'again', spec: { image, replicas: 2 } })
      await stores.condition('again', 'Ready', 'True', 'AllReplicasReady')
      const old = await uidsOf('pvc', 'again')
      await stores.delete('kv', 'again')
      // Creation times have a resolution of one second, and the next store must be younger than the volumes.
      await server.pass(1_000)
      await stores.apply({ name: 'again', spec: { image, replicas: 2 } })
      await stores.condition('again', 'Ready', 'True', 'AllReplicasReady')
      const message = await stores.condition('again', 'VolumesReused', 'True', 'OlderThanStore')
      expect(message).toContain('data-again-0, data-again-1')
      await stores.event('again', 'VolumesReused')
      expect(await uidsOf('pvc', 'again')).toEqual(old)
    })
  })

  describe('a store that is to go with its volumes', () => {
    const isOwned = async (store: string) =>
      (await stores.list<Claim>('pvc'))
        .filter(({ metadata: { name } }) => name.startsWith(`data-${store}-`))
        .every(({ metadata }) => metadata.ownerReferences?.some(({ kind }) => kind === 'StatefulSet') === true)

    it('leaves them if the spec changes to Retain just before the deletion completes', async () => {
      const pvcRetention = { whenDeleted: 'Delete' }
      await stores.apply({ name: 'late', spec: { image, replicas: 2, pvcRetention } })
      await stores.condition('late', 'Ready', 'True', 'AllReplicasReady')
      await stores.until('the claims to go with it', () => isOwned('late'))
      const old = await uidsOf('pvc', 'late')
      // Paused, the operator observes the deletion and the new spec together.
      await stores.patch('kv', 'late', { metadata: { annotations: { 'konverge.dev/paused': 'true' } } })
      await stores.condition('late', 'Paused', 'True', 'Paused')
      await server.delete({ namespace: stores.namespace, kind: 'kv', name: 'late' }, { waits: false })
      await stores.patch('kv', 'late', { spec: { pvcRetention: { whenDeleted: 'Retain' } } })
      await stores.patch('kv', 'late', { metadata: { annotations: { 'konverge.dev/paused': null } } })
      const isGone = async () => (await stores.store('late')) === undefined
      await stores.until('the store to go', isGone)
      await stores.until('its pods to go', async () => (await uidsOf('pods', 'late')).length === 0)
      expect(await uidsOf('pvc', 'late')).toEqual(old)
      expect(await isOwned('late')).toBe(false)
    })
  })

  describe('a store whose volumes are to grow', () => {
    const capacities = async (store: string) =>
      (await stores.list<Claim>('pvc'))
        .filter(({ metadata: { name } }) => name.startsWith(`data-${store}-`))
        .map(({ status }) => status.capacity?.storage)

    it('gets them larger without losing a pod, and new ones have the new size', async () => {
      await stores.apply({ name: 'grow', spec: { image, replicas: 2, storageClassName: 'fast' } })
      await stores.condition('grow', 'Ready', 'True', 'AllReplicasReady')
      const [pods, claims] = [await uidsOf('pods', 'grow'), await uidsOf('pvc', 'grow')]
      const before = await stores.get<StoreObject>('statefulset', 'grow')
      const availableSince = async () => {
        const conditions: readonly { type: string; status: string; lastTransitionTime?: string }[] =
          (await stores.store('grow'))?.status?.conditions ?? []
        const available = conditions.find(({ type }) => type === 'Available')
        return `${available?.status} since ${available?.lastTransitionTime}`
      }
      const available = await availableSince()
      expect(available).toMatch(/^True since 2/)
      await stores.patch('kv', 'grow', { spec: { storage: { size: '2Gi' } } })
      await stores.condition('grow', 'Ready', 'True', 'AllReplicasReady')
      expect(await capacities('grow')).toEqual(['2Gi', '2Gi'])
      const after = await stores.get<StoreObject>('statefulset', 'grow')
      expect(after?.metadata.uid, 'the StatefulSet is made anew').not.toBe(before?.metadata.uid)
      expect(after?.spec).toMatchObject({
        volumeClaimTemplates: [{ spec: { resources: { requests: { storage: '2Gi' } } } }],
      })
      expect(await uidsOf('pods', 'grow')).toEqual(pods)
      expect(await uidsOf('pvc', 'grow')).toEqual(claims)
      expect(await availableSince(), 'it was available all the time').toBe(available)

      await stores.patch('kv', 'grow', { spec: { replicas: 3 } })
      await stores.condition('grow', 'Ready', 'True', 'AllReplicasReady')
      expect(await capacities('grow')).toEqual(['2Gi', '2Gi', '2Gi'])
      expect((await uidsOf('pods', 'grow')).slice(0, 2)).toEqual(pods)
    })

    it('grows and scales out in one change', async () => {
      await stores.apply({ name: 'both', spec: { image, replicas: 1, storageClassName: 'fast' } })
      await stores.condition('both', 'Ready', 'True', 'AllReplicasReady')
      const pods = await uidsOf('pods', 'both')
      await stores.patch('kv', 'both', { spec: { replicas: 3, storage: { size: '2Gi' } } })
      await stores.condition('both', 'Ready', 'True', 'AllReplicasReady')
      expect(await capacities('both')).toEqual(['2Gi', '2Gi', '2Gi'])
      expect((await uidsOf('pods', 'both')).slice(0, 1)).toEqual(pods)
    })

    it('names the class that forbids it, changes nothing, and continues when the class allows it', async () => {
      await server.apply(
        {
          apiVersion: 'storage.k8s.io/v1',
          kind: 'StorageClass',
          metadata: { name: 'not-yet' },
          provisioner: 'example.com/by-hand',
          allowVolumeExpansion: false,
        },
        {
          apiVersion: 'v1',
          kind: 'PersistentVolume',
          metadata: { name: 'by-hand' },
          spec: {
            storageClassName: 'not-yet',
            capacity: { storage: '1Gi' },
            accessModes: ['ReadWriteOnce'],
            hostPath: { path: '/by-hand' },
          },
        },
      )
      await stores.apply({ name: 'fixed', spec: { image, storageClassName: 'not-yet' } })
      await stores.condition('fixed', 'Ready', 'True', 'AllReplicasReady')
      const set = await stores.get<StoreObject>('statefulset', 'fixed')
      await stores.patch('kv', 'fixed', { spec: { storage: { size: '2Gi' } } })
      const message = await stores.condition('fixed', 'Degraded', 'True', 'VolumeExpansionRefused')
      expect(message).toContain(
        "claim data-fixed-0 cannot be expanded, because its StorageClass 'not-yet' does not allow it",
      )
      expect((await stores.get<StoreObject>('statefulset', 'fixed'))?.metadata.uid).toBe(set?.metadata.uid)
      expect(await capacities('fixed')).toEqual(['1Gi'])

      await stores.patch('storageclass', 'not-yet', { allowVolumeExpansion: true })
      expect(await stores.condition('fixed', 'Progressing', 'True', 'VolumeExpanding')).toContain('data-fixed-0')
      await resized('data-fixed-0', { conditions: [{ type: 'FileSystemResizePending', status: 'True' }] })
      await stores.until('the file system to be told of', async () =>
        (await stores.condition('fixed', 'Progressing', 'True', 'VolumeExpanding')).includes('mounts it again'),
      )
      await resized('data-fixed-0', { capacity: { storage: '2Gi' }, conditions: [] })
      await stores.condition('fixed', 'Ready', 'True', 'AllReplicasReady')
      await stores.delete('storageclass', 'not-yet')
    })

    /** Acts as the external resizer, which this class does not have. */
    async function resized(claim: string, status: object): Promise<void> {
      await stores.patch('pvc', claim, { status }, 'status')
    }
  })
}
