// Attempts of a tenant by specs that violate the CRDs of the five kinds.
import { type Attempt, invalid, type Outcome } from '../attempt.ts'
import { victimNamespace } from '../victim.ts'

type Act = Attempt['act']

const attempt = (does: string, act: Act, outcome: Outcome): Attempt => ({ attacker: 'tenant', does, act, outcome })

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

/** Specs that the CRDs reject. */
export const tenantSchemaAttempts: readonly Attempt[] = [
  attempt('names a role postgres', user({ roleName: 'postgres' }), invalid('spec.roleName')),
  attempt('names a role like a predefined role', user({ roleName: 'pg_read_all_data' }), invalid('spec.roleName')),
  attempt('names a role with a quote', user({ roleName: 'a" SUPERUSER; --' }), invalid('spec.roleName')),
  attempt('names a role in capitals', user({ roleName: 'ORDERS_OWNER' }), invalid('spec.roleName')),
  attempt('names a role with a Cyrillic letter', user({ roleName: 'оrders_owner' }), invalid('spec.roleName')),
  attempt(
    'names a role beyond PostgreSQL’s length limit',
    user({ roleName: `orders_owner${'x'.repeat(52)}` }),
    invalid('spec.roleName'),
  ),
  attempt(
    'requests membership of pg_execute_server_program',
    user({ memberOf: ['pg_execute_server_program'] }),
    invalid('spec.memberOf[]'),
  ),
  attempt('requests membership of the superuser', user({ memberOf: ['postgres'] }), invalid('spec.memberOf[]')),
  attempt('sets the session’s role', user({ config: { role: 'orders_owner' } }), invalid('spec.config')),
  attempt('sets the session’s role in capitals', user({ config: { ROLE: 'orders_owner' } }), invalid('spec.config')),
  attempt(
    'sets a setting with a line break',
    user({ config: { search_path: 'public\nALTER SYSTEM' } }),
    invalid('spec.config.search_path'),
  ),
  attempt(
    'grants on a schema of the system',
    user({ databases: [{ name: 'mine', access: 'ReadWrite', schemas: ['pg_catalog'] }] }),
    invalid('spec.databases[].schemas[]'),
  ),
  ...['ReadWrite', 'Owner'].map((access) =>
    attempt(
      `requests ${access} on the schema of the applied markers`,
      user({ databases: [{ name: 'shared', namespace: victimNamespace, access, schemas: ['public', '_konverge'] }] }),
      invalid('spec.databases[].schemas[]'),
    ),
  ),
  attempt(
    'grants TRIGGER on the schema of the applied markers',
    user({
      databases: [
        {
          ...{ name: 'shared', namespace: victimNamespace, access: 'Custom', schemas: ['_konverge'] },
          grants: [{ objectType: 'Table', all: true, privileges: ['TRIGGER'] }],
        },
      ],
    }),
    invalid('spec.databases[].schemas[]'),
  ),
  attempt(
    'declares the schema of the applied markers as its own',
    database({ schemas: [{ name: '_konverge' }] }),
    invalid('spec.schemas[].name'),
  ),
  attempt(
    'installs an extension in the schema of the applied markers',
    database({ extensions: [{ name: 'pg_trgm', schema: '_konverge' }] }),
    invalid('spec.extensions[].schema'),
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
    invalid('spec.databases[].grants[].privileges[]'),
  ),
  attempt(
    'replaces a key of the Secret by a template',
    user({ secret: { template: { password: 'x' } } }),
    invalid('spec.secret.template'),
  ),
  ...['username-next', 'verifier-next'].map((key) =>
    attempt(
      `writes the key ${key} of a rotation by a template`,
      user({ secret: { template: { [key]: 'app_a' } } }),
      invalid('spec.secret.template'),
    ),
  ),
  ...['database', 'databaseuser', 'backup', 'replicatedkvstore'].map((kind) =>
    attempt(
      `opens the Secret of its DatabaseUser to each ${kind} by a label in the spec`,
      user({ secret: { labels: { [`data.konverge.dev/usable-by-${kind}`]: 'true' } } }),
      invalid('spec.secret.labels'),
    ),
  ),
  attempt(
    'hands the Secret of its DatabaseUser over to a Database as the administrator’s Secret',
    user({ secret: { name: 'orders-admin', annotations: { 'konverge.dev/adopt': 'Database/orders' } } }),
    invalid('spec.secret.annotations'),
  ),
  attempt(
    'writes an annotation of the operator in capitals',
    user({ secret: { annotations: { 'Konverge.DEV/adopt': 'Database/orders' } } }),
    invalid('spec.secret.annotations'),
  ),
  attempt(
    'annotates the pods of a ReplicatedKVStore like a worker',
    store({ podTemplate: { annotations: { 'data.konverge.dev/backup': 'nightly' } } }),
    invalid('spec.podTemplate.annotations'),
  ),
  attempt('names the Secret with a slash', user({ secret: { name: '../victim/app-db' } }), invalid('spec.secret.name')),
  attempt('creates a database named template1', database({ databaseName: 'template1' }), invalid('spec.databaseName')),
  attempt('creates a database named postgres', database({ databaseName: 'postgres' }), invalid('spec.databaseName')),
  attempt(
    'creates a database with a quote in its name',
    database({ databaseName: 'x"; DROP DATABASE orders; --' }),
    invalid('spec.databaseName'),
  ),
  attempt('creates a schema pg_catalog', database({ schemas: [{ name: 'pg_toast' }] }), invalid('spec.schemas[].name')),
  attempt(
    'installs an extension whose name is SQL',
    database({ extensions: [{ name: 'x; CREATE ROLE y' }] }),
    invalid('spec.extensions[].name'),
  ),
  attempt('sets a locale that is SQL', database({ locale: `C'; DROP DATABASE orders; --` }), invalid('spec.locale')),
  attempt(
    'restores from a Backup of the victim’s namespace',
    database({ bootstrap: { restoreFrom: { backupRef: { name: 'nightly', namespace: victimNamespace } } } }),
    invalid('spec.bootstrap.restoreFrom.backupRef.namespace'),
  ),
  attempt(
    'restores from a path above the volume',
    database({ bootstrap: { restoreFrom: { location: { target, method: 'Logical', path: '../../etc' } } } }),
    invalid('spec.bootstrap.restoreFrom.location.path'),
  ),
  attempt(
    'sets a server parameter that runs a command',
    inCluster({ parameters: { archive_command: 'curl evil' } }),
    invalid('spec.provider.inCluster.parameters'),
  ),
  attempt(
    'sets a server parameter that includes a file',
    inCluster({ parameters: { include: '/etc/passwd' } }),
    invalid('spec.provider.inCluster.parameters'),
  ),
  attempt(
    'replaces the login rules of its server',
    inCluster({ parameters: { hba_file: '/tmp/hba' } }),
    invalid('spec.provider.inCluster.parameters'),
  ),
  attempt(
    'sets a server parameter with a line break',
    inCluster({ parameters: { work_mem: "4MB'\nhba_file = '/tmp" } }),
    invalid('spec.provider.inCluster.parameters.work_mem'),
  ),
  attempt(
    'backs up a Database of the victim’s namespace',
    backup({ databaseRef: { name: 'orders', namespace: victimNamespace } }),
    invalid('spec.databaseRef.namespace'),
  ),
  attempt(
    'writes artifacts above the volume’s folder',
    backup({ target: { pvc: { claimName: 'backups', path: '../others' } } }),
    invalid('spec.target.pvc.path'),
  ),
  attempt(
    'writes artifacts above the bucket’s prefix',
    backup({ target: { s3: { ...s3, prefix: 'a/../../b' } } }),
    invalid('spec.target.s3.prefix'),
  ),
  attempt(
    'sets an endpoint with a user',
    backup({ target: { s3: { ...s3, endpoint: 'http://s3@evil.example' } } }),
    invalid('spec.target.s3.endpoint'),
  ),
  attempt(
    'sets an endpoint with a path',
    backup({ target: { s3: { ...s3, endpoint: 'http://10.0.0.1/latest/meta-data' } } }),
    invalid('spec.target.s3.endpoint'),
  ),
  attempt(
    'sets an endpoint that is a file',
    backup({ target: { s3: { ...s3, endpoint: 'file:///etc/passwd' } } }),
    invalid('spec.target.s3.endpoint'),
  ),
  attempt(
    'excludes tables from a backup by an option of pg_dump',
    backup({ options: { excludeTables: ['--file=/tmp/x'] } }),
    invalid('spec.options.excludeTables[]'),
  ),
  attempt('sets a schedule that is a command', backup({ schedule: '$(reboot) * * * *' }), invalid('spec.schedule')),
  attempt(
    'migrates a Database of the victim’s namespace',
    migration({ databaseRef: { name: 'orders', namespace: victimNamespace }, ...step({}) }),
    invalid('spec.databaseRef.namespace'),
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
    invalid('spec.steps[].copy.from.namespace'),
  ),
  attempt(
    'copies a table whose name is SQL',
    migration({
      steps: [{ name: 'only', type: 'Copy', copy: { from: { name: 'mine' }, tables: ['bills; DROP ROLE app'] } }],
    }),
    invalid('spec.steps[].copy.tables[]'),
  ),
  attempt(
    'names a step like an option',
    migration({ steps: [{ name: '--help', sql: 'SELECT 1' }] }),
    invalid('spec.steps[].name'),
  ),
  attempt(
    'overwrites an environment variable of the operator',
    store({ env: [{ name: 'POD_NAME', value: 'x' }] }),
    invalid('spec.env[].name'),
  ),
  attempt(
    'names an environment variable with an equals sign',
    store({ env: [{ name: 'A=B', value: 'x' }] }),
    invalid('spec.env[].name'),
  ),
  attempt(
    'names a ReplicatedKVStore like a host of several labels',
    ({ tenant }) => tenant.create('kv', 'cart.victim.svc', { spec: { image: 'x' } }),
    invalid('metadata.name'),
  ),
  attempt(
    'names a ReplicatedKVStore beyond the length of a label',
    ({ tenant }) => tenant.create('kv', 'a'.repeat(60), { spec: { image: 'x' } }),
    invalid('metadata.name'),
  ),
]
