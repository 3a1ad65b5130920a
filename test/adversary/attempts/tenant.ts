// Attempts of a tenant on the API server: rights on the five kinds in one namespace, and none on any other object.
import { type Attempt, forbidden, harmless, invalid, type Outcome, refused } from '../attempt.ts'
import { victimNamespace } from '../victim.ts'

const there = { namespace: victimNamespace }
const operatorNamespace = 'konverge-system'

type Act = Attempt['act']

const attempt = (does: string, act: Act, outcome: Outcome): Attempt => ({ attacker: 'tenant', does, act, outcome })

const shared = [{ name: 'shared', namespace: victimNamespace, access: 'ReadOnly' }]
const own = [{ name: 'mine', access: 'ReadWrite' }]
const provider = { server: { connectionSecretRef: { name: 'server' }, sslMode: 'disable' } }
const target = { pvc: { claimName: 'backups' } }
const s3 = { bucket: 'artifacts' }

/** Creates an object of a kind with this spec. */
const creates =
  (kind: string, spec: object, metadata: object = {}): Act =>
  ({ tenant }, name) =>
    tenant.create(kind, name, { metadata, spec })

const user = (spec: object) => creates('dbu', { databases: own, ...spec })
const database = (spec: object) => creates('db', { provider, ...spec })
const backup = (spec: object) => creates('bak', { databaseRef: { name: 'mine' }, target, ...spec })
const migration = (spec: object) => creates('mig', { databaseRef: { name: 'mine' }, ...spec })
const store = (spec: object) => creates('kv', { image: 'valkey/valkey:8.0', ...spec })
const step = (more: object) => ({ steps: [{ name: 'only', sql: 'SELECT 1', ...more }] })
const inCluster = (spec: object) => creates('db', { version: '18', provider: { inCluster: spec } })

/** What RBAC keeps from him. */
const rights: readonly Attempt[] = [
  attempt('lists the Secrets of the victim', ({ tenant }) => tenant.list('secret', there), forbidden),
  attempt(
    'reads the connection Secret of his own namespace',
    ({ tenant }) => tenant.get('secret', 'server'),
    forbidden,
  ),
  attempt('lists the Databases of the victim', ({ tenant }) => tenant.list('db', there), forbidden),
  attempt(
    'lists the Databases of all namespaces',
    ({ tenant }) => tenant.request({ method: 'GET', path: '/apis/data.konverge.dev/v1alpha1/databases' }),
    forbidden,
  ),
  attempt('deletes a Database of the victim', ({ tenant }) => tenant.delete('db', 'orders', there), forbidden),
  attempt(
    'creates a DatabaseUser in the namespace of the victim',
    ({ tenant }, name) =>
      tenant.create('dbu', name, { spec: { databases: [{ name: 'orders', access: 'Owner' }] } }, there),
    forbidden,
  ),
  ...(['db', 'dbu', 'bak', 'mig', 'kv'] as const).map((kind) =>
    attempt(
      `writes the status of a ${kind === 'db' ? 'Database' : kind} of his own`,
      ({ tenant }) => tenant.patch(kind, 'mine', { status: { phase: 'Ready' } }, { subresource: 'status' }),
      forbidden,
    ),
  ),
  attempt(
    'asks for a token of the operator’s account',
    ({ tenant }) =>
      tenant.request({
        method: 'POST',
        path: `/api/v1/namespaces/${operatorNamespace}/serviceaccounts/konverge/token`,
        body: { spec: { expirationSeconds: 600 } },
      }),
    forbidden,
  ),
  attempt(
    'takes the operator’s lease',
    ({ tenant }) =>
      tenant.create('lease', 'konverge', { spec: { holderIdentity: 'x' } }, { namespace: operatorNamespace }),
    forbidden,
  ),
  attempt(
    'replaces the definition of a kind',
    ({ tenant }) => tenant.patch('crd', 'databases.data.konverge.dev', { spec: { scope: 'Cluster' } }),
    forbidden,
  ),
  attempt(
    'binds a role to himself',
    ({ tenant }, name) =>
      tenant.create('rolebinding', name, {
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
        subjects: [{ kind: 'ServiceAccount', name: 'tenant', namespace: tenant.namespace }],
      }),
    forbidden,
  ),
  attempt('creates a pod', ({ tenant }, name) => tenant.create('pod', name, { spec: { containers: [] } }), forbidden),
]

/** Specs that the definitions do not admit. */
const schemas: readonly Attempt[] = [
  attempt('gives a role the name postgres', user({ roleName: 'postgres' }), invalid),
  attempt('gives a role the name of a predefined one', user({ roleName: 'pg_read_all_data' }), invalid),
  attempt('gives a role a name with a quote', user({ roleName: 'a" SUPERUSER; --' }), invalid),
  attempt('gives a role a name in capitals', user({ roleName: 'ORDERS_OWNER' }), invalid),
  attempt('gives a role a name with a Cyrillic letter', user({ roleName: 'оrders_owner' }), invalid),
  attempt(
    'gives a role a name that PostgreSQL would cut',
    user({ roleName: `orders_owner${'x'.repeat(52)}` }),
    invalid,
  ),
  attempt(
    'asks for membership of pg_execute_server_program',
    user({ memberOf: ['pg_execute_server_program'] }),
    invalid,
  ),
  attempt('asks for membership of the superuser', user({ memberOf: ['postgres'] }), invalid),
  attempt('sets the session’s role', user({ config: { role: 'orders_owner' } }), invalid),
  attempt('sets the session’s role in capitals', user({ config: { ROLE: 'orders_owner' } }), invalid),
  attempt('sets a setting with a line break', user({ config: { search_path: 'public\nALTER SYSTEM' } }), invalid),
  attempt(
    'grants on a schema of the system',
    user({ databases: [{ name: 'mine', access: 'ReadWrite', schemas: ['pg_catalog'] }] }),
    invalid,
  ),
  attempt(
    'grants a privilege that is SQL',
    user({
      databases: [
        {
          name: 'mine',
          access: 'Custom',
          grants: [{ objectType: 'Table', all: true, privileges: ['SELECT ON x TO y; --'] }],
        },
      ],
    }),
    invalid,
  ),
  attempt('replaces a key of the Secret by a template', user({ secret: { template: { password: 'x' } } }), invalid),
  ...['username-next', 'verifier-next'].map((key) =>
    attempt(
      `writes the key ${key} of a rotation by a template`,
      user({ secret: { template: { [key]: 'app_a' } } }),
      invalid,
    ),
  ),
  ...['database', 'databaseuser', 'backup', 'replicatedkvstore'].map((kind) =>
    attempt(
      `opens the Secret of his user to each ${kind} by a label in its spec`,
      user({ secret: { labels: { [`data.konverge.dev/usable-by-${kind}`]: 'true' } } }),
      invalid,
    ),
  ),
  attempt(
    'has the Secret of his user handed over to a Database, as its administrator’s',
    user({ secret: { name: 'orders-admin', annotations: { 'konverge.dev/adopt': 'Database/orders' } } }),
    invalid,
  ),
  attempt(
    'writes an annotation of the operator in capitals',
    user({ secret: { annotations: { 'Konverge.DEV/adopt': 'Database/orders' } } }),
    invalid,
  ),
  attempt(
    'annotates the pods of a store as a worker’s',
    store({ podTemplate: { annotations: { 'data.konverge.dev/backup': 'nightly' } } }),
    invalid,
  ),
  attempt('gives the Secret a name with a slash', user({ secret: { name: '../victim/app-db' } }), invalid),
  attempt('makes a database called template1', database({ databaseName: 'template1' }), invalid),
  attempt('makes a database called postgres', database({ databaseName: 'postgres' }), invalid),
  attempt(
    'makes a database with a quote in its name',
    database({ databaseName: 'x"; DROP DATABASE orders; --' }),
    invalid,
  ),
  attempt('makes a schema pg_catalog', database({ schemas: [{ name: 'pg_toast' }] }), invalid),
  attempt('installs an extension whose name is SQL', database({ extensions: [{ name: 'x; CREATE ROLE y' }] }), invalid),
  attempt('gives a locale that is SQL', database({ locale: `C'; DROP DATABASE orders; --` }), invalid),
  attempt(
    'restores from a Backup of the victim’s namespace',
    database({ bootstrap: { restoreFrom: { backupRef: { name: 'nightly', namespace: victimNamespace } } } }),
    invalid,
  ),
  attempt(
    'restores from a path above the volume',
    database({ bootstrap: { restoreFrom: { location: { target, method: 'Logical', path: '../../etc' } } } }),
    invalid,
  ),
  attempt(
    'gives its server a parameter that runs a command',
    inCluster({ parameters: { archive_command: 'curl evil' } }),
    invalid,
  ),
  attempt('gives its server a file to include', inCluster({ parameters: { include: '/etc/passwd' } }), invalid),
  attempt(
    'gives its server other rules of who may log in',
    inCluster({ parameters: { hba_file: '/tmp/hba' } }),
    invalid,
  ),
  attempt(
    'gives its server a parameter with a line break',
    inCluster({ parameters: { work_mem: "4MB'\nhba_file = '/tmp" } }),
    invalid,
  ),
  attempt(
    'backs up a Database of the victim’s namespace',
    backup({ databaseRef: { name: 'orders', namespace: victimNamespace } }),
    invalid,
  ),
  attempt(
    'writes artifacts above the volume’s folder',
    backup({ target: { pvc: { claimName: 'backups', path: '../others' } } }),
    invalid,
  ),
  attempt(
    'writes artifacts above the bucket’s prefix',
    backup({ target: { s3: { ...s3, prefix: 'a/../../b' } } }),
    invalid,
  ),
  attempt(
    'gives an endpoint with a user',
    backup({ target: { s3: { ...s3, endpoint: 'http://s3@evil.example' } } }),
    invalid,
  ),
  attempt(
    'gives an endpoint with a path',
    backup({ target: { s3: { ...s3, endpoint: 'http://10.0.0.1/latest/meta-data' } } }),
    invalid,
  ),
  attempt(
    'gives an endpoint that is a file',
    backup({ target: { s3: { ...s3, endpoint: 'file:///etc/passwd' } } }),
    invalid,
  ),
  attempt(
    'leaves tables out of a backup by an option of pg_dump',
    backup({ options: { excludeTables: ['--file=/tmp/x'] } }),
    invalid,
  ),
  attempt('gives a schedule that is a command', backup({ schedule: '$(reboot) * * * *' }), invalid),
  attempt(
    'migrates a Database of the victim’s namespace',
    migration({ databaseRef: { name: 'orders', namespace: victimNamespace }, ...step({}) }),
    invalid,
  ),
  attempt(
    'copies from a Database of the victim’s namespace',
    migration({
      steps: [
        {
          name: 'only',
          type: 'Copy',
          copy: { from: { name: 'orders', namespace: victimNamespace }, tables: ['bills'] },
        },
      ],
    }),
    invalid,
  ),
  attempt(
    'copies a table whose name is SQL',
    migration({
      steps: [{ name: 'only', type: 'Copy', copy: { from: { name: 'mine' }, tables: ['bills; DROP ROLE app'] } }],
    }),
    invalid,
  ),
  attempt('names a step like an option', migration({ steps: [{ name: '--help', sql: 'SELECT 1' }] }), invalid),
  attempt(
    'overwrites an environment variable of the operator’s',
    store({ env: [{ name: 'POD_NAME', value: 'x' }] }),
    invalid,
  ),
  attempt('names an environment variable with an equals sign', store({ env: [{ name: 'A=B', value: 'x' }] }), invalid),
  attempt(
    'names a store like a host of several labels',
    ({ tenant }) => tenant.create('kv', 'cart.victim.svc', { spec: { image: 'x' } }),
    invalid,
  ),
  attempt(
    'names a store beyond the length of a label',
    ({ tenant }) => tenant.create('kv', 'a'.repeat(60), { spec: { image: 'x' } }),
    invalid,
  ),
]

/** Objects that are admitted and steer nothing but what is his. */
const steering: readonly Attempt[] = [
  attempt(
    'creates a Database with a status',
    async ({ tenant }, name) => {
      const identity = { server: 'forged', database: 'orders' }
      await tenant.create('db', name, { spec: { provider, suspend: true }, status: { phase: 'Ready', identity } })
    },
    harmless('The API server drops the status.', async (stage, name) => {
      const { status } = (await stage.editor.peek('db', name)) ?? {}
      if (JSON.stringify(status ?? {}).includes('forged'))
        throw new Error(`the status was stored: ${JSON.stringify(status)}`)
    }),
  ),
  attempt(
    'refers to a Database of the victim as the owner of his own, to have the victim’s deleted with it',
    async (stage, name) => {
      const ownerReferences = [await stage.ownerReference('db', 'orders')]
      await stage.tenant.create('dbu', name, { metadata: { ownerReferences }, spec: { databases: own, suspend: true } })
    },
    harmless('The victim’s Database stays; an owner reference holds in its own namespace only.'),
  ),
  attempt(
    'claims the ApplySet of a Backup of the victim with 20,000 namespaces as its reach',
    async (stage, name) => {
      const many = (word: string) => Array.from({ length: 5_000 }, (_, at) => `${word}${at}`).join(',')
      const annotations = {
        'applyset.kubernetes.io/additional-namespaces': `${victimNamespace},${many('n')}`,
        'applyset.kubernetes.io/contains-group-kinds': `Secret,ConfigMap,${many('Kind')}`,
        'applyset.kubernetes.io/tooling': 'konverge/v1',
      }
      const labels = { 'applyset.kubernetes.io/id': stage.setIdOf('Backup', 'nightly') }
      await stage.countingRequests(() =>
        stage.tenant.create('kv', name, { metadata: { annotations, labels }, spec: { image: 'valkey/valkey:8.0' } }),
      )
    },
    harmless(
      'The operator reads its reach from its own record; it asks no more than for any new resource.',
      async (stage) => {
        await stage.expectRequestsBelow(400)
      },
    ),
  ),
  ...(
    ['konverge.dev/adopt', 'konverge.dev/part-of', 'konverge.dev/inventory-token', 'konverge.dev/apply-order'] as const
  ).map((key) =>
    attempt(
      `writes ${key} with the victim’s values on a resource of his own`,
      async (stage, name) => {
        const values: Readonly<Record<string, string>> = {
          'konverge.dev/adopt': `DatabaseUser/${victimNamespace}/app`,
          'konverge.dev/part-of': stage.setIdOf('DatabaseUser', 'app'),
        }
        const annotations = { [key]: values[key] ?? '0' }
        await stage.tenant.create('dbu', name, { metadata: { annotations }, spec: { databases: shared } })
      },
      harmless('The annotation counts on children of that parent’s namespace only.'),
    ),
  ),
  attempt(
    'abandons a deleted user of the victim’s Database, to keep its login',
    async (stage, name) => {
      const annotations = { 'konverge.dev/abandon-external': 'true' }
      await stage.tenant.create('dbu', name, { metadata: { annotations }, spec: { databases: shared } })
    },
    harmless('The annotation does not count for a guest: its deletion waits, or removes the roles.'),
  ),
  attempt(
    'sends a Backup as YAML of 3,000 keys that each open 200 lists',
    async ({ tenant }, name) => {
      const body = Array.from({ length: 3_000 }, () => `? ${'['.repeat(200)}`).join('\n')
      const path = `${tenant.pathOf('bak', name)}?fieldManager=x&force=true`
      await tenant.request({ method: 'PATCH', path, body, contentType: 'application/apply-patch+yaml' })
    },
    refused(400, 413),
  ),
  ...(['10ns', '-1s', '9999999999h', '0', 'NaN', `${'9'.repeat(4_000)}s`] as const).map((interval) =>
    attempt(
      `asks to be reconciled every ${interval.length > 20 ? '10^4000 s' : interval}`,
      async ({ tenant }, name) => {
        const annotations = { 'konverge.dev/reconcile-interval': interval }
        await tenant.create('kv', name, {
          metadata: { annotations },
          spec: { image: 'valkey/valkey:8.0', suspend: true },
        })
      },
      harmless('The operator says how an interval is written, and keeps its own.'),
    ),
  ),
  attempt(
    'gives 256 KiB of reconcile-now tokens',
    ({ tenant }, name) => {
      const annotations = { 'konverge.dev/reconcile-now': 'x'.repeat(250_000) }
      return tenant.create('kv', name, { metadata: { annotations }, spec: { image: 'valkey/valkey:8.0' } })
    },
    harmless('Only his own resource carries it.'),
  ),
  attempt(
    'keeps a finalizer on a user of the victim’s Database',
    ({ tenant }, name) =>
      tenant.create('dbu', name, { metadata: { finalizers: ['attacker.example/hold'] }, spec: { databases: shared } }),
    harmless('His own resource stays; the victim’s go on.', async (stage, name) => {
      await stage.tenant.delete('dbu', name)
      await stage.settle()
      await stage.tenant.patch('dbu', name, { metadata: { finalizers: null } })
    }),
  ),
  ...podFields(),
]

/** Fields of pods that the schema of a ReplicatedKVStore does not have: they must not arrive. */
function podFields(): readonly Attempt[] {
  const fields: Readonly<Record<string, unknown>> = {
    hostNetwork: true,
    hostPID: true,
    serviceAccountName: 'konverge',
    automountServiceAccountToken: true,
    volumes: [{ name: 'host', hostPath: { path: '/' } }],
    initContainers: [{ name: 'own', image: 'evil', securityContext: { privileged: true } }],
    priorityClassName: 'system-node-critical',
  }
  return Object.entries(fields).map(([field, value]) =>
    attempt(
      `gives the pods of a store ${field}`,
      ({ tenant }, name) =>
        tenant.create('kv', name, {
          spec: { image: 'valkey/valkey:8.0', [field]: value, podTemplate: { [field]: value } },
        }),
      harmless('The API server drops the field; the pods do not have it.', async (stage, name) => {
        await stage.expectPods(name, (spec) => JSON.stringify(spec[field]) !== JSON.stringify(value))
      }),
    ),
  )
}

export const tenantAttempts: readonly Attempt[] = [...rights, ...schemas, ...steering]
