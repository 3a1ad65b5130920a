// The operator works under exactly the roles that `konverge install` prints, and needs all of them. Runs on every
// server that the story does not share, with an operator for all namespaces and leader election.
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Hand } from '../hand.ts'
import { type Manifest, operatorNamespace, rightsIn, rightsUsed, rulesWithout } from '../rights.ts'
import { Stores } from '../stores.ts'
import type { MortalOperator, StoryServer } from '../story-server.ts'
import { tacitRightsOfDatabases } from '../tacit-rights.ts'

const image = 'valkey/valkey:8.0'

export interface RolesOptions {
  /** Returns a server on which the roles are installed. */
  readonly start: () => Promise<StoryServer>
  /** Printed manifests; called after the server has started. */
  readonly manifests: () => readonly Manifest[]
  /** Rights that a request needs although the record shows it under another verb. */
  readonly tacit: readonly string[]
  /** Rights that no request on this server uses. */
  readonly unusable: RegExp
}

export function describeRoles({ start: startServer, manifests, tacit, unusable }: RolesOptions): void {
  describe('the roles of an operator for all namespaces', () => {
    let server: StoryServer
    let stores: Stores
    let operator: MortalOperator | undefined
    const start = async () => {
      const ask = { backoff: { baseMs: 1_000, capMs: 2_000 }, election: { leaseNamespace: operatorNamespace } }
      operator = await server.mortalOperator(ask)
      await operator.start().ready()
    }
    const stop = async () => {
      await operator?.stop()
      operator = undefined
    }

    beforeAll(async () => {
      server = await startServer()
      stores = new Stores(server, 'shop')
      await stores.createNamespace()
    })
    afterAll(async () => {
      await stop()
      await server.stop()
    })

    it('let it create, scale, change, prune and delete, and the API server rejects nothing', async () => {
      await start()
      await stores.apply({ name: 'cart', spec: { image, replicas: 2, storageClassName: 'fast' } })
      await stores.condition('cart', 'Ready', 'True', 'AllReplicasReady')
      await leaveBehind(server, stores, { of: 'cart', kinds: ['service', 'serviceaccount'] })
      // A rollout that is stuck, and is corrected.
      await stores.patch('kv', 'cart', { spec: { image: 'kv:missing' } })
      await stores.condition('cart', 'Ready', 'False', 'ImagePullFailed', 90_000)
      await stores.patch('kv', 'cart', { spec: { image: 'valkey/valkey:8.1' } })
      await stores.condition('cart', 'Ready', 'True', 'AllReplicasReady')
      await stores.patch('kv', 'cart', { spec: { storage: { size: '2Gi' } } })
      await stores.condition('cart', 'Ready', 'True', 'AllReplicasReady')
      await stores.patch('kv', 'cart', { spec: { replicas: 1 } })
      await stores.until('the PodDisruptionBudget to go', async () => (await stores.get('pdb', 'cart')) === undefined)
      await stores.condition('cart', 'Ready', 'True', 'AllReplicasReady')
      await stores.delete('kv', 'cart')
      await databaseComesAndGoes(server, stores)
      await stop()
      expect(await server.refusals()).toEqual([])
    })

    it('let it report repeatedly that it may not release a resource', async () => {
      await start()
      await stores.apply({ name: 'held', spec: { image } })
      await stores.condition('held', 'Ready', 'True', 'AllReplicasReady')
      await withoutRight('patch replicatedkvstores.data.konverge.dev', async () => {
        await stores.startDelete('kv', 'held')
        const message = await stores.condition('held', 'Degraded', 'True', 'Forbidden')
        expect(message).toContain('may not patch replicatedkvstores.data.konverge.dev')
      })
      await stores.until('the store to go', async () => (await stores.store('held')) === undefined)
      // The operator writes the aggregated Event at its stop.
      await stop()
    })

    it.each(tacit)('are not enough without %s, and a store reports it', async (right) => {
      if (operator === undefined) await start()
      const name = `tacit-${tacit.indexOf(right)}`
      await withoutRight(right, async () => {
        await stores.apply({ name, spec: { image, replicas: 2 } })
        const message = await stores.condition(name, 'Degraded', 'True', 'Forbidden')
        expect(message).toContain(right.startsWith('create') ? `may not ${right}` : "can't set finalizers on")
      })
      await stores.condition(name, 'Ready', 'True', 'AllReplicasReady')
    })

    it('contain no unused right', async () => {
      await stop()
      const used = rightsUsed(await server.requests())
      const passing = [...tacit, ...tacitRightsOfDatabases]
      const isSpare = (right: string) => !used.has(right) && !passing.includes(right) && !unusable.test(right)
      expect(rightsIn(manifests()).filter(isSpare)).toEqual([])
    })

    /** Removes a right while `use` runs. */
    async function withoutRight(right: string, use: () => Promise<void>): Promise<void> {
      const name = `${operatorNamespace}:konverge`
      const rules = manifests().find(({ kind }) => kind === 'ClusterRole')?.rules ?? []
      const set = (to: object) => server.patch({ namespace: '', kind: 'clusterrole', name }, { rules: to })
      const fewer = rulesWithout(rules, right)
      expect(rightsIn([{ kind: 'ClusterRole', metadata: { name }, rules: fewer }])).not.toContain(right)
      await set(fewer)
      try {
        await use()
      } finally {
        await set(rules)
      }
    }
  })
}

/** The operator never reaches the Database's server: its Service name does not resolve here. */
async function databaseComesAndGoes(server: StoryServer, { namespace }: Stores): Promise<void> {
  const databases = new Stores(server, namespace)
  const metadata = { name: 'crm', namespace }
  const spec = { version: '18', provider: { inCluster: {} }, deletionPolicy: 'Delete' }
  await server.apply({ apiVersion: 'data.konverge.dev/v1alpha1', kind: 'Database', metadata, spec })
  const made = async () => (await databases.get('statefulset', 'crm-postgres')) !== undefined
  await databases.until('the server to be made', made)
  await leaveBehind(server, databases, { of: 'crm-postgres', kinds: ['configmap', 'secret'] })
  const user = { databases: [{ name: 'crm', access: 'ReadOnly' }] }
  const named = { name: 'reader', namespace }
  await server.apply({ apiVersion: 'data.konverge.dev/v1alpha1', kind: 'DatabaseUser', metadata: named, spec: user })
  await databases.until('the user to wait', async () => {
    const found = (await databases.get('dbu', 'reader')) as { readonly status?: object } | undefined // As in crds/.
    return found?.status !== undefined
  })
  await server.apply({
    ...{ apiVersion: 'data.konverge.dev/v1alpha1', kind: 'Migration', metadata: { name: 'crm-v1', namespace } },
    spec: { databaseRef: { name: 'crm' }, steps: [{ name: 'only', sql: 'SELECT 1' }] },
  })
  await databases.until('the Migration to wait for its server', async () => {
    const found = (await databases.get('mig', 'crm-v1')) as { readonly status?: object } | undefined // As in crds/.
    return found?.status !== undefined
  })
  await server.apply({
    ...{ apiVersion: 'data.konverge.dev/v1alpha1', kind: 'Backup', metadata: { name: 'crm-once', namespace } },
    spec: { databaseRef: { name: 'crm' }, target: { pvc: { claimName: 'backups' } } },
  })
  await databases.until('the Backup to wait for its database', async () => {
    const found = (await databases.get('bak', 'crm-once')) as { readonly status?: object } | undefined // As in crds/.
    return found?.status !== undefined
  })
  await databases.delete('bak', 'crm-once')
  await databases.delete('mig', 'crm-v1')
  await databases.delete('dbu', 'reader')
  await databases.delete('db', 'crm')
}

const leftovers = {
  service: { kind: 'Service', spec: { ports: [{ port: 80 }] } },
  serviceaccount: { kind: 'ServiceAccount' },
  configmap: { kind: 'ConfigMap' },
  secret: { kind: 'Secret' },
} as const

/**
 * Creates children that an earlier version would have left, so the operator prunes them; labels and owner are those of
 * a Service.
 */
async function leaveBehind(
  server: StoryServer,
  stores: Stores,
  { of: service, kinds }: { readonly of: string; readonly kinds: readonly (keyof typeof leftovers)[] },
): Promise<void> {
  const hand = new Hand(server, stores.namespace)
  const { labels, ownerReferences } = (await hand.find('service', service))?.metadata ?? {}
  const metadata = { name: `${service}-of-old`, labels, ownerReferences }
  for (const kind of kinds) await hand.apply({ apiVersion: 'v1', metadata, ...leftovers[kind] }, 'konverge')
  for (const kind of kinds) {
    const isGone = async () => (await stores.get(kind, metadata.name)) === undefined
    await stores.until(`the ${kind} of an earlier version to be pruned`, isGone)
  }
}
