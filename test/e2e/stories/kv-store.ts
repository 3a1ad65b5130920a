// Life of stores of the flagship, first many, then one that waits for a storage class. A store is created, becomes
// ready, is scaled, gets another image, fails and recovers, is edited by others, suspended and deleted. Runs on every
// server.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type StoreObject, Stores } from '../stores.ts'
import type { StartStoryServer, StoryOperator, StoryServer } from '../story-server.ts'

const image = 'valkey/valkey:8.0'

export function describeManyStores(start: StartStoryServer, count: number): void {
  describe(`${count} stores`, () => {
    let server: StoryServer
    let stores: Stores
    const names = Array.from({ length: count }, (_, index) => `store-${index}`)
    let operator: StoryOperator

    beforeAll(async () => {
      server = await start()
      stores = new Stores(server, 'many-stores')
      await stores.createNamespace()
      operator = await server.startOperator(stores.namespace)
      await stores.apply(...names.map((name) => ({ name, spec: { image, replicas: 1 } })))
      await stores.allReady(300_000)
    }, 400_000)

    afterAll(async () => {
      await operator.stop()
      expect(await server.refusals(), 'a right that the operator does not have').toEqual([])
      await server.stop()
    })
    const writesSoFar = () => server.operatorWrites(stores.namespace)

    it('have their children, each with its owner', async () => {
      const kinds = { statefulsets: count, services: 2 * count, poddisruptionbudgets: 0 }
      for (const [kind, childCount] of Object.entries(kinds)) {
        const children = await stores.list<{
          metadata: { ownerReferences?: readonly { kind: string; controller: boolean }[] }
        }>(kind)
        expect(children, kind).toHaveLength(childCount)
        expect(children.every(({ metadata }) => metadata.ownerReferences?.[0]?.kind === 'ReplicatedKVStore')).toBe(true)
      }
    })

    it('are not written again by a second start', async () => {
      await operator.stop()
      const before = (await writesSoFar()).length
      operator = await server.startOperator(stores.namespace)
      await stores.until('a turn of every store', async () => (await turnsOf(operator)) >= names.length)
      expect((await writesSoFar()).slice(before)).toEqual([])
    })

    it('are not written again by a repeated reconcile, and keep their generations', async () => {
      const generationsOf = async () => {
        const objects = await Promise.all(
          ['statefulsets', 'services', 'replicatedkvstores'].map((kind) => stores.list<StoreObject>(kind)),
        )
        return objects.flat().map(({ metadata: { name, generation } }) => `${name} ${generation}`)
      }
      const generations = await generationsOf()
      const before = (await writesSoFar()).length
      // An annotation reconciles every store, and none of them has a change to write.
      const turnsBefore = await turnsOf(operator)
      for (const name of names.slice(0, 20))
        await stores.patch('kv', name, { metadata: { annotations: { look: 'again' } } })
      await stores.until('the repeated turns', async () => (await turnsOf(operator)) >= turnsBefore + 20)
      expect((await writesSoFar()).slice(before)).toEqual([])
      expect(await generationsOf()).toEqual(generations)
    })

    it('follow a change of image and of scale', async () => {
      await stores.patch('kv', 'store-0', { spec: { image: 'valkey/valkey:8.1', replicas: 3 } })
      await stores.condition('store-0', 'Ready', 'True', 'AllReplicasReady')
      const pods = await stores.list<{
        metadata: { name: string }
        spec: { containers: readonly { image: string }[] }
      }>('pods')
      const images = pods
        .filter(({ metadata }) => metadata.name.startsWith('store-0-'))
        .map(({ spec }) => spec.containers[0]?.image)
      expect(images).toEqual(['valkey/valkey:8.1', 'valkey/valkey:8.1', 'valkey/valkey:8.1'])
      expect(await stores.get('pdb', 'store-0')).toBeDefined()
    })

    it('lose the PodDisruptionBudget with the second replica, and keep the volumes', async () => {
      await stores.patch('kv', 'store-0', { spec: { replicas: 1 } })
      await stores.until(
        'the PodDisruptionBudget to go',
        async () => (await stores.get('pdb', 'store-0')) === undefined,
      )
      await stores.condition('store-0', 'Ready', 'True', 'AllReplicasReady')
      await stores.until(
        'the retained claims in the status',
        async () => (await stores.store('store-0'))?.status?.retainedPVCs !== undefined,
      )
      expect((await stores.store('store-0'))?.status?.retainedPVCs).toEqual(['data-store-0-1', 'data-store-0-2'])
    })

    it('revert manual edits, scaling and deletions, and leave fields of others', async () => {
      await stores.patch('statefulset', 'store-1', { metadata: { labels: { theirs: 'yes' } }, spec: { replicas: 2 } })
      await stores.patch('service', 'store-1', {
        spec: { selector: { 'data.konverge.dev/replicatedkvstore': 'somebody-else' } },
      })
      await stores.delete('serviceaccount', 'store-1')
      type Child = {
        metadata: { labels: Record<string, string> }
        spec: { replicas: number; selector: Record<string, string> }
      }
      await stores.until('the children to be as declared', async () => {
        const [set, service, account] = await Promise.all([
          stores.get<Child>('statefulset', 'store-1'),
          stores.get<Child>('service', 'store-1'),
          stores.get('serviceaccount', 'store-1'),
        ])
        return (
          set?.spec.replicas === 1 &&
          service?.spec.selector['data.konverge.dev/replicatedkvstore'] === 'store-1' &&
          account !== undefined
        )
      })
      expect((await stores.get<Child>('statefulset', 'store-1'))?.metadata.labels['theirs']).toBe('yes')
    })

    it('reject an unmanaged object with a child’s name, and leave it unchanged', async () => {
      const foreign = {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'taken', namespace: stores.namespace },
        spec: { ports: [{ port: 1 }] },
      }
      await server.apply(foreign)
      await stores.apply({ name: 'taken', spec: { image } })
      const message = await stores.condition('taken', 'Degraded', 'True', 'ConflictingOwner')
      expect(message).toMatch(
        /^Service many-stores\/taken exists and is not controlled by ReplicatedKVStore many-stores\/taken; delete or rename one of the two/,
      )
      const service = await stores.get<{ metadata: { labels?: object; ownerReferences?: object } }>('service', 'taken')
      expect(service?.metadata.labels).toBeUndefined()
      expect(service?.metadata.ownerReferences).toBeUndefined()
      await stores.delete('service', 'taken')
      await stores.condition('taken', 'Ready', 'True', 'AllReplicasReady')
    })

    it('delete the StatefulSet first, and keep the volumes', async () => {
      await stores.delete('kv', 'store-2')
      const events = (await writesSoFar())
        .filter(({ name }) => name === 'store-2')
        .map(({ verb, resource }) => `${verb} ${resource}`)
      const deletion = events.slice(events.indexOf('delete statefulsets'))
      expect(deletion[0]).toBe('delete statefulsets')
      expect(deletion.filter((event) => event.startsWith('delete'))).toEqual(['delete statefulsets'])
      expect(await stores.get('statefulset', 'store-2')).toBeUndefined()
      expect(await stores.get('pod', 'store-2-0')).toBeUndefined()
      expect(await stores.get('pvc', 'data-store-2-0')).toBeDefined()
      await stores.until(
        'the Services to be collected',
        async () => (await stores.get('service', 'store-2')) === undefined,
      )
      expect(await stores.event('store-2', 'VolumesRetained')).toContain('data-store-2-0')
    })
  })
}

export function describeOneStore(start: StartStoryServer): void {
  describe('one store', () => {
    let server: StoryServer
    let stores: Stores
    let operator: StoryOperator

    beforeAll(async () => {
      server = await start()
      stores = new Stores(server, 'one-store')
      await stores.createNamespace()
      operator = await server.startOperator(stores.namespace)
    })
    afterAll(async () => {
      await operator.stop()
      expect(await server.refusals(), 'a right that the operator does not have').toEqual([])
      await server.stop()
    })

    it('without its storage class reports it and waits, and continues when the class appears', async () => {
      const storageClass = {
        apiVersion: 'storage.k8s.io/v1',
        kind: 'StorageClass',
        metadata: { name: 'appears-later' },
        provisioner: 'kubernetes.io/host-path',
      }
      await stores.apply({ name: 'classy', spec: { image, storageClassName: 'appears-later' } })
      expect(await stores.condition('classy', 'Degraded', 'True', 'InvalidSpec')).toBe(
        "StorageClass 'appears-later' not found",
      )
      // Two other stores become ready; the rejected one is not reconciled meanwhile.
      await stores.apply({ name: 'first-witness', spec: { image } })
      await stores.condition('first-witness', 'Ready', 'True', 'AllReplicasReady')
      const refusals = () => operator.metric('reconciliation_errors_total', 'reason="InvalidSpec"')
      const before = await refusals()
      await stores.apply({ name: 'second-witness', spec: { image } })
      await stores.condition('second-witness', 'Ready', 'True', 'AllReplicasReady')
      expect(await refusals()).toBe(before)
      await server.apply(storageClass)
      await stores.condition('classy', 'Ready', 'True', 'AllReplicasReady')
      await stores.delete('storageclass', 'appears-later')
    })

    it('with a missing image names image and pod, and recovers when it is corrected', async () => {
      await stores.apply({ name: 'pull', spec: { image: 'kv:missing' } })
      const message = await stores.condition('pull', 'Ready', 'False', 'ImagePullFailed', 90_000)
      expect(message).toMatch(/^0 of 1 replicas are ready; pod pull-0 cannot get image kv:missing/)
      expect(await operator.metric('resource_condition', 'name="pull",type="Ready"')).toBe(0)
      await stores.patch('kv', 'pull', { spec: { image } })
      await stores.condition('pull', 'Ready', 'True', 'AllReplicasReady')
    })

    it('recovers from a failed rollout when its spec is reverted, and loses no serving replica', async () => {
      const pods = async () => {
        const all = await stores.list<StoreObject & { metadata: { deletionTimestamp?: string } }>('pods')
        return all.filter(({ metadata }) => metadata.name.startsWith('revert-'))
      }
      const uidsOf = async () => (await pods()).map(({ metadata: { name, uid } }) => `${name} ${uid}`)
      await stores.apply({ name: 'revert', spec: { image, replicas: 3 } })
      await stores.condition('revert', 'Ready', 'True', 'AllReplicasReady')
      const healthy = await uidsOf()
      await stores.patch('kv', 'revert', { spec: { image: 'kv:missing' } })
      await stores.condition('revert', 'Ready', 'False', 'ImagePullFailed', 90_000)
      const [first, second, broken] = await uidsOf()
      expect([first, second]).toEqual(healthy.slice(0, 2))

      await stores.patch('kv', 'revert', { spec: { image } })
      await stores.condition('revert', 'Ready', 'True', 'AllReplicasReady')
      const [firstAgain, secondAgain, mended] = await uidsOf()
      expect([firstAgain, secondAgain]).toEqual(healthy.slice(0, 2))
      expect(mended).not.toBe(broken)
      const deletes = (await server.operatorWrites(stores.namespace)).filter(
        ({ verb, name }) => verb === 'delete' && name.startsWith('revert'),
      )
      expect(deletes.map(({ resource, name }) => `${resource} ${name}`)).toEqual(['pods revert-2'])
      await stores.event('revert', 'StuckPodDeleted')
    })

    it('that its spec suspends is not written, and is updated on resume', async () => {
      await stores.apply({ name: 'quiet', spec: { image } })
      await stores.condition('quiet', 'Ready', 'True', 'AllReplicasReady')
      await stores.patch('kv', 'quiet', { spec: { suspend: true, replicas: 2 } })
      await stores.until('the pause to be told', async () =>
        ((await stores.store('quiet'))?.status?.conditions ?? []).some(({ type }) => type === 'Paused'),
      )
      const replicas = async () => (await stores.get<StoreObject>('statefulset', 'quiet'))?.spec['replicas']
      expect(await replicas()).toBe(1)
      await stores.patch('kv', 'quiet', { spec: { suspend: false } })
      await stores.condition('quiet', 'Ready', 'True', 'AllReplicasReady')
      expect(await replicas()).toBe(2)
    })

    it('that is invalid is rejected by the API server with a message that names the field', async () => {
      await expect(stores.apply({ name: 'bad', spec: { image, replicas: 0 } })).rejects.toThrow(/spec\.replicas/)
    })
  })
}

/** Counts reconciles of all outcomes. */
async function turnsOf(operator: StoryOperator): Promise<number> {
  return await operator.metric('reconciliation_duration_seconds_count')
}
