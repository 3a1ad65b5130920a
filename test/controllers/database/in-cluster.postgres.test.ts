// A Database with its own server, end to end. Cluster and node run in this process, and the pod is a PostgreSQL.
import { Client } from 'pg'
import { afterAll, beforeAll, describe, expect, inject, it } from 'vitest'
import type { DatabaseStatus } from '../../../imports/wire/database.ts'
import { fastClass } from '../../../src/cli/dev/sample-objects.ts'
import { database } from '../../../src/controllers/database/database.ts'
import { postgresEngine } from '../../../src/controllers/engines/postgres/postgres-driver.ts'
import { findCondition, type KubeObject, type LiveObject, valueAt } from '../../../src/index.ts'
import { waitUntil } from '../../control-plane/wait-until.ts'
import { flagshipDefinitions } from '../../e2e/definitions.ts'
import { OperatorHere } from '../../e2e/operator-here.ts'
import { LocalCluster } from '../../local-node/local-cluster.ts'

describe.each(inject('postgresHome').versions.map(({ major }) => major))(
  'a Database in the cluster, of PostgreSQL %i',
  (major) => {
    const name = `own-${major}`
    const [db, secret] = [
      { kind: 'Database', name },
      { kind: 'Secret', name: `${name}-postgres-admin` },
    ]
    const server = { kind: 'StatefulSet', name: `${name}-postgres`, pod: `${name}-postgres-0` }
    const claim = { kind: 'PersistentVolumeClaim', name: `data-${name}-postgres-0` }
    const providerOf = (size: string) => ({ inCluster: { storage: { size, storageClassName: 'growing' } } })
    let cluster: LocalCluster
    let operator: OperatorHere

    beforeAll(async () => {
      cluster = await LocalCluster.start()
      await cluster.apply(growing(false))
      await cluster.apply(...((await flagshipDefinitions()) as readonly unknown[] as readonly KubeObject[])) // Manifests have this form.
      const controllers = [database(postgresEngine, { policy: { dialsLocalAddresses: true } })]
      operator = await new OperatorHere({ kubeconfig: cluster.kubeconfig, controllers }).ready()
    })
    afterAll(async () => {
      await operator?.stop()
      await cluster?.stop()
    })

    const apply = (spec: object, size = '2Gi') =>
      cluster.apply({
        apiVersion: 'data.konverge.dev/v1alpha1',
        kind: 'Database',
        metadata: { name, namespace: cluster.namespace },
        spec: { version: String(major), provider: providerOf(size), schemas: [{ name: 'app' }], ...spec },
      } as KubeObject)
    const ready = (what: string, standing: string) =>
      cluster.objectThat(db, what, (object) => {
        const { conditions, observedGeneration } = object.status as DatabaseStatus
        const condition = findCondition(conditions, 'Ready')
        return (
          observedGeneration === object.metadata.generation && `${condition?.status} ${condition?.reason}` === standing
        )
      })
    const there = (place: { readonly kind: string; readonly name: string }) =>
      cluster.objectThat(place, 'there', () => true)
    const gone = async (place: { readonly kind: string; readonly name: string }) => {
      const isGone = async () => (await cluster.get(place.kind, place.name)) === undefined
      await waitUntil({ what: `${place.kind} ${place.name} to go`, everyMs: 100 }, isGone)
    }

    it('is created with its server, and its Secret leads to it', { timeout: 300_000 }, async () => {
      await apply({}, '1Gi')
      const { status } = await ready('made', 'True InSync')
      expect(status).toMatchObject({
        ...{ phase: 'Ready', provider: 'InCluster', binding: { name: secret.name } },
        endpoint: { host: `${name}-postgres.shop.svc`, port: 5432 },
        serverVersion: expect.stringMatching(`^${major}[.]`),
        observed: { owner: `own_${major}_owner`, schemas: ['app', 'public'] },
      })
      await ask(cluster, name, 'CREATE TABLE app.precious (id int); INSERT INTO app.precious VALUES (7)')
    })

    it('reports why its volume cannot grow, and stays available', { timeout: 300_000 }, async () => {
      await apply({})
      const { status } = await ready('refused', 'False VolumePending')
      const { phase, conditions = [] } = status as DatabaseStatus
      expect(phase).toBe('Configuring')
      const told = (type: string) => findCondition(conditions, type)
      expect(told('Degraded')).toMatchObject({ status: 'True', reason: 'VolumeExpansionRefused' })
      expect(told('Degraded')?.message).toContain(
        `claim ${claim.name} cannot be expanded, because its StorageClass 'growing' does not allow it`,
      )
      expect(told('Stalled')).toMatchObject({ status: 'True', reason: 'VolumeExpansionRefused' })
      expect(told('Configured')).toMatchObject({ status: 'True' })
      expect(valueAt(await there(claim), 'status', 'capacity', 'storage')).toBe('1Gi')
    })

    it('gets a larger volume while it is available, once the class allows it', { timeout: 300_000 }, async () => {
      const [pod, statefulSet] = [await there({ kind: 'Pod', name: server.pod }), await there(server)]
      const provisioned = async () => {
        const { conditions } = (await there(db)).status as DatabaseStatus
        const { status, lastTransitionTime } = findCondition(conditions, 'Provisioned') ?? {}
        return `${status} since ${lastTransitionTime}`
      }
      const before = await provisioned()
      const session = await login(cluster, name)
      try {
        await cluster.apply(growing(true))
        const { status } = await ready('grown', 'True InSync')
        expect((status as DatabaseStatus).phase).toBe('Ready')
        expect(valueAt(await there(claim), 'status', 'capacity', 'storage')).toBe('2Gi')
        const after = await there(server)
        expect(after.metadata.uid, 'the StatefulSet is made anew').not.toBe(statefulSet.metadata.uid)
        expect(after.spec).toMatchObject({
          volumeClaimTemplates: [{ spec: { resources: { requests: { storage: '2Gi' } } } }],
        })
        expect((await there({ kind: 'Pod', name: server.pod })).metadata.uid).toBe(pod.metadata.uid)
        expect((await session.query('SELECT id FROM app.precious')).rows).toEqual([{ id: 7 }])
        expect(await provisioned(), 'it was there all the time').toBe(before)
      } finally {
        await session.end()
      }
    })

    it('reports a lost password, and continues when it is restored', { timeout: 300_000 }, async () => {
      const kept = await cluster.objectThat(secret, 'there', () => true)
      await cluster.delete(secret.kind, secret.name)
      await ready('without its password', 'False AdminSecretLost')
      expect(await cluster.get(secret.kind, secret.name)).toBeUndefined()
      const { namespace } = cluster
      const annotations = { 'konverge.dev/adopt': `Database/${name}` }
      const data = valueAt(kept, 'data')
      await cluster.apply({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: secret.name, namespace, annotations },
        data,
      } as KubeObject)
      await ready('as before', 'True InSync')
    })

    it('keeps its volume and its password when the policy is Retain, and finds them again', {
      timeout: 300_000,
    }, async () => {
      await cluster.delete(db.kind, name)
      await gone(db)
      await gone({ kind: 'StatefulSet', name: `${name}-postgres` })
      expect(await cluster.get(claim.kind, claim.name)).toBeDefined()
      expect(await cluster.get(secret.kind, secret.name)).toBeDefined()
      await apply({ adoptionPolicy: 'Adopt' })
      await ready('taken up again', 'True InSync')
      expect(await ask(cluster, name, 'SELECT id FROM app.precious')).toEqual([{ id: 7 }])
    })

    const toldTo = async (whenDeleted: string) => {
      await cluster.objectThat(
        server,
        `told to ${whenDeleted}`,
        (object) => valueAt(object, 'spec', 'persistentVolumeClaimRetentionPolicy', 'whenDeleted') === whenDeleted,
      )
      await ready('told', 'True InSync')
    }

    it('keeps them also when the policy changes to Retain during the deletion', { timeout: 300_000 }, async () => {
      await apply({ adoptionPolicy: 'Adopt', deletionPolicy: 'Delete' })
      await toldTo('Delete')
      const owned = await cluster.objectThat(claim, 'owned', ({ metadata }) => metadata.ownerReferences !== undefined)
      await cluster.apply(userOf(cluster, name))
      await cluster.delete(db.kind, name)
      await cluster.objectThat(db, 'kept from going', ({ status }) => {
        const { conditions = [] } = status as DatabaseStatus
        return findCondition(conditions, 'DeletionBlocked')?.reason === 'HasDependents'
      })
      await apply({ adoptionPolicy: 'Adopt', deletionPolicy: 'Retain' })
      await cluster.delete('DatabaseUser', 'guest')
      await gone(db)
      await gone(server)
      const kept = await there(claim)
      expect(kept.metadata.uid).toBe(owned.metadata.uid)
      expect(kept.metadata.ownerReferences).toBeUndefined()
      await apply({ adoptionPolicy: 'Adopt' })
      await ready('taken up again', 'True InSync')
      expect(await ask(cluster, name, 'SELECT id FROM app.precious')).toEqual([{ id: 7 }])
    })

    it('is removed with its volume and its password when the policy is Delete', { timeout: 300_000 }, async () => {
      await apply({ adoptionPolicy: 'Adopt', deletionPolicy: 'Delete' })
      await toldTo('Delete')
      await cluster.delete(db.kind, name)
      for (const place of [db, claim, secret]) await gone(place)
    })
  },
)

async function ask(cluster: LocalCluster, name: string, text: string): Promise<readonly unknown[]> {
  const client = await login(cluster, name)
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

/** Logs in as a client with the binding Secret. */
async function login(cluster: LocalCluster, name: string): Promise<Client> {
  const found = await cluster.objectThat({ kind: 'Secret', name: `${name}-postgres-admin` }, 'there', () => true)
  const service = await cluster.objectThat({ kind: 'Service', name: `${name}-postgres` }, 'there', () => true)
  const value = (key: string) => Buffer.from(String(valueAt(found, 'data', key)), 'base64').toString()
  const client = new Client({
    host: addressOf(service),
    port: Number(value('port')),
    user: value('username'),
    password: value('password'),
    database: name.replaceAll('-', '_'),
    ssl: { ca: value('ca.crt'), servername: value('host') },
  })
  client.on('error', () => undefined) // The caller gets the error by the rejection.
  await client.connect()
  return client
}

/** A DatabaseUser that blocks the deletion of a Database. */
function userOf({ namespace }: LocalCluster, database: string): KubeObject {
  const metadata = { name: 'guest', namespace }
  const spec = { databases: [{ name: database, access: 'ReadOnly' }] }
  return { apiVersion: 'data.konverge.dev/v1alpha1', kind: 'DatabaseUser', metadata, spec } as KubeObject // Manifests have this form.
}

/** A StorageClass with or without volume expansion. */
function growing(allowVolumeExpansion: boolean): KubeObject {
  return { ...fastClass, metadata: { name: 'growing' }, allowVolumeExpansion } as KubeObject
}

function addressOf({ metadata }: LiveObject): string {
  return metadata.annotations?.['konverge.dev/local-address'] ?? ''
}
