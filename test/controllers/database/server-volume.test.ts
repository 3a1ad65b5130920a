// Volume of an in-cluster server: it grows while its pod runs, and nothing remains after its StatefulSet is gone.
// The pods are simulated, so the database itself cannot be reached.
import { expect, it, onTestFinished } from 'vitest'
import { Database } from '../../../imports/wire/database.ts'
import { fastClass } from '../../../src/cli/dev/sample-objects.ts'
import { database } from '../../../src/controllers/database/database.ts'
import { PersistentVolumeClaim, Pod, StatefulSet, StorageClass, valueAt } from '../../../src/index.ts'
import { type FaultRule, startCluster, type TestCluster } from '../../../src/testing/index.ts'
import { flagshipDefinitions } from '../../e2e/definitions.ts'
import { noServer } from './databases.ts'

const server = 'default/own-postgres'
const pod = `${server}-0`
const claim = 'default/data-own-postgres-0'
const db = 'default/own'

async function clusterWithDatabase() {
  const cluster = await startCluster({ definitions: await flagshipDefinitions(), simulatedNodes: 1 })
  onTestFinished(() => cluster.stop())
  await cluster.create(StorageClass, fastClass)
  const operator = cluster.run(database(() => noServer))
  const provider = { inCluster: { storage: { size: '1Gi', storageClassName: 'fast' } } }
  await cluster.create(Database, { metadata: { name: 'own' }, spec: { version: '18', provider } })
  await cluster.advance(30_000)
  expect(valueAt(await there(cluster, PersistentVolumeClaim, claim), 'status', 'capacity', 'storage')).toBe('1Gi')
  return { cluster, operator }
}

async function there(cluster: TestCluster, ...[resource, key]: Parameters<TestCluster['find']>) {
  const found = await cluster.find(resource, key)
  if (found === undefined) throw new Error(`there is no ${resource.kind} ${key}`)
  return found
}

const verbs = ['create', 'patch', 'delete']

/** Grows a volume. The operator dies when the fault rule applies, and starts again. */
async function grow(death?: FaultRule) {
  const { cluster, operator } = await clusterWithDatabase()
  if (death !== undefined) cluster.faults.add(death)
  const hasStruck = () => death !== undefined && cluster.faults.struck(death) > 0
  await cluster.patch(Database, db, { spec: { provider: { inCluster: { storage: { size: '2Gi' } } } } })
  for (let passedMs = 0; passedMs < 20_000 && !hasStruck(); passedMs += 100) await cluster.advance(100)
  const hasDied = hasStruck()
  if (hasDied) {
    await operator.stop()
    cluster.faults.clear()
    cluster.run(database(() => noServer))
    await cluster.advance(30_000)
  }
  const kindsOf = (shelf: string) =>
    cluster.server.log
      .entriesAfter(1)
      .flatMap(({ kind, place }) => (place.shelf === shelf && kind !== 'changed' ? [kind] : []))
  return {
    hasDied,
    claim: valueAt(await there(cluster, PersistentVolumeClaim, claim), 'spec', 'resources', 'requests', 'storage'),
    templates: valueAt(await there(cluster, StatefulSet, server), 'spec', 'volumeClaimTemplates'),
    sets: kindsOf('statefulsets.apps'),
    pods: kindsOf('pods'),
  }
}

it('the claim and the claim template of a volume grow with the spec while the pod keeps running', async () => {
  const { cluster } = await clusterWithDatabase()
  const uidsOf = async () =>
    Promise.all(
      [there(cluster, Pod, pod), there(cluster, PersistentVolumeClaim, claim), there(cluster, StatefulSet, server)].map(
        async (found) => (await found).metadata.uid,
      ),
    )
  const [podUid, claimUid, setUid] = await uidsOf()
  await cluster.patch(Database, db, { spec: { provider: { inCluster: { storage: { size: '2Gi' } } } } })
  await cluster.advance(30_000)
  expect(valueAt(await there(cluster, PersistentVolumeClaim, claim), 'status', 'capacity', 'storage')).toBe('2Gi')
  const grown = await there(cluster, StatefulSet, server)
  expect(grown).toMatchObject({
    spec: { volumeClaimTemplates: [{ spec: { resources: { requests: { storage: '2Gi' } } } }] },
    status: { replicas: 1, readyReplicas: 1 },
  })
  expect(await uidsOf()).toEqual([podUid, claimUid, grown.metadata.uid])
  expect(grown.metadata.uid).not.toBe(setUid)
})

it('a volume grows to the same end when the operator dies at any request', { timeout: 240_000 }, async () => {
  const { hasDied: _, ...undisturbed } = await grow()
  expect(undisturbed).toMatchObject({
    claim: '2Gi',
    templates: [{ spec: { resources: { requests: { storage: '2Gi' } } } }],
    sets: ['created', 'deleted', 'created'],
    pods: ['created'],
  })
  for (const resource of ['persistentvolumeclaims', 'statefulsets']) {
    for (const when of ['before', 'after'] as const) {
      let after = 0
      for (; ; after++) {
        const { hasDied, ...ended } = await grow({
          fault: { kind: 'cut', when },
          on: { resource, verbs },
          after,
          times: 1,
        })
        expect(ended, `${when} write ${after} of ${resource}`).toEqual(undisturbed)
        if (!hasDied) break
      }
      expect(after, `writes of ${resource} that were cut off`).toBeGreaterThan(0)
    }
  }
})

it('a volume does not grow while its class forbids it, and grows once the class allows it', async () => {
  const { cluster } = await clusterWithDatabase()
  await cluster.patch(StorageClass, 'fast', { allowVolumeExpansion: false })
  const before = await there(cluster, StatefulSet, server)
  await cluster.patch(Database, db, { spec: { provider: { inCluster: { storage: { size: '2Gi' } } } } })
  await cluster.advance(30_000)
  const request = async () =>
    valueAt(await there(cluster, PersistentVolumeClaim, claim), 'spec', 'resources', 'requests', 'storage')
  expect(await request()).toBe('1Gi')
  expect((await there(cluster, StatefulSet, server)).metadata).toMatchObject({
    generation: 1,
    uid: before.metadata.uid,
  })
  await cluster.patch(StorageClass, 'fast', { allowVolumeExpansion: true })
  await cluster.advance(5_000)
  expect(await request()).toBe('2Gi')
})

it('a deleted Database removes the pod that the dead operator left without a StatefulSet', async () => {
  const { cluster, operator } = await clusterWithDatabase()
  await operator.stop()
  const { uid } = (await there(cluster, StatefulSet, server)).metadata
  const options = { preconditions: { uid }, propagationPolicy: 'Orphan' } as const
  const place = { namespace: 'default', name: 'own-postgres' }
  await cluster.client.delete(StatefulSet, place, options, new AbortController().signal)
  await cluster.advance(1_000)
  expect(await cluster.find(StatefulSet, server)).toBeUndefined()
  expect((await there(cluster, Pod, pod)).metadata.ownerReferences ?? []).toEqual([])
  await cluster.delete(Database, db)
  cluster.run(database(() => noServer))
  await cluster.advance(60_000)
  expect(await cluster.find(Database, db)).toBeUndefined()
  expect(await cluster.find(Pod, pod)).toBeUndefined()
  expect(await cluster.find(PersistentVolumeClaim, claim)).toBeDefined()
})
