// Samples of `konverge dev` besides those of examples/. They are stores of different sizes in their own namespaces, and
// a database with a user, a migration and a backup. Pure.
import { databaseServerNames } from '../../../constructs/index.ts'
import { consentLabel } from '../../controllers/references/reference-policy.ts'
import type { KubeObject } from '../../object/object.ts'
import type { ShownPostgres } from './shown-postgres.ts'

const namespaces = ['games', 'media', 'shop']

const stores = [
  { namespace: 'games', name: 'leaderboard', spec: { replicas: 3 } },
  { namespace: 'games', name: 'lobby', spec: { replicas: 1 } },
  { namespace: 'media', name: 'playlists', spec: { replicas: 2 } },
  { namespace: 'media', name: 'thumbnails', spec: { replicas: 4, storageClassName: 'fast', storage: { size: '5Gi' } } },
]

/** Files of examples/ that fit a control plane whose nodes run no images; their stores are in `shop`. */
export const sampleFiles = ['kv-store.yaml', 'kv-store-custom.yaml']

/** Namespaces come first, before their objects. A store of examples/ uses the Secret. */
export const sampleStores: readonly KubeObject[] = [
  ...namespaces.map((name) => ({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } })),
  {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: {
      ...{ namespace: 'shop', name: 'sessions-auth' },
      labels: { [consentLabel('ReplicatedKVStore')]: 'true' },
    },
    stringData: { password: 'no-secret-at-all' },
  },
  ...stores.map(({ namespace, name, spec }) => ({
    apiVersion: 'data.konverge.dev/v1alpha1',
    kind: 'ReplicatedKVStore',
    metadata: { namespace, name },
    spec: { image: 'valkey/valkey:8.0', ...spec },
  })),
]

const own = (kind: string, name: string, spec: object) => ({
  apiVersion: 'data.konverge.dev/v1alpha1',
  kind,
  metadata: { namespace: 'shop', name },
  spec,
})

const sampleSteps = [
  {
    name: 'orders',
    sql: 'CREATE TABLE orders (id bigint PRIMARY KEY, customer text NOT NULL, cents bigint NOT NULL)',
    verify: { sql: "SELECT to_regclass('orders') IS NOT NULL", expect: 't' },
    down: 'DROP TABLE orders',
  },
  {
    name: 'first-orders',
    sql: "INSERT INTO orders SELECT n, 'customer ' || n % 100, n * 10 FROM generate_series(1, 1000) AS n",
  },
  {
    name: 'by-customer',
    sql: 'CREATE INDEX CONCURRENTLY orders_customer ON orders (customer)',
    transaction: false,
    verify: { sql: "SELECT indisvalid FROM pg_index WHERE indexrelid = to_regclass('orders_customer')", expect: 't' },
  },
]

/** Returns samples for a control plane whose nodes run pods: a simulated database accepts no logins. */
export function sampleDatabases({ version, whyNoBackup }: ShownPostgres): readonly KubeObject[] {
  return [
    own('Database', 'orders', { version, provider: { inCluster: {} } }),
    own('DatabaseUser', 'orders-app', { databases: [{ name: 'orders', access: 'ReadWrite' }] }),
    own('Migration', 'orders-v1', { databaseRef: { name: 'orders' }, steps: sampleSteps }),
    ...(whyNoBackup === undefined ? sampleBackups : []),
  ]
}

const sampleBackups: readonly KubeObject[] = [
  {
    ...{ apiVersion: 'v1', kind: 'PersistentVolumeClaim', metadata: { namespace: 'shop', name: 'backups' } },
    spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } },
  },
  own('Backup', 'nightly', {
    databaseRef: { name: 'orders' },
    schedule: '30 2 * * *',
    immediate: true,
    target: { pvc: { claimName: 'backups' } },
    retention: { keepLast: 3, keepDaily: 7 },
  }),
]

/** Row of the sample database in the table, and the Service that reaches it. */
export const sampleDatabase = {
  row: 'db shop/orders',
  service: { namespace: 'shop', name: databaseServerNames('orders').clientService },
}

const storageClass = (name: string, options: { readonly isDefault: boolean; readonly canExpand: boolean }) => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name, annotations: { 'storageclass.kubernetes.io/is-default-class': String(options.isDefault) } },
  provisioner: 'kubernetes.io/host-path',
  reclaimPolicy: 'Delete',
  volumeBindingMode: 'Immediate',
  allowVolumeExpansion: options.canExpand,
})

/** StorageClass that one of the samples names. Every control plane here also has a default class. */
export const fastClass: KubeObject = storageClass('fast', { isDefault: false, canExpand: true })

export const storageClasses: readonly KubeObject[] = [
  storageClass('standard', { isDefault: true, canExpand: false }),
  fastClass,
]
