// Valid and invalid Databases: one row for each rule and limit of the CRD.
import { restoreRules } from './restore-rules.ts'
import type { RuleTable } from './rule-table.ts'

const here = { version: '18', provider: { inCluster: {} } }
const there = { provider: { server: { connectionSecretRef: { name: 'admin' } } } }
const unchecked = { region: 'eu-central-1', instanceClass: 'db.t4g.micro', allocatedStorageGiB: 20 }
const instance = { ...unchecked, caSecretRef: { name: 'rds-ca' } }
const away = { version: '18', provider: { rds: instance } }
const hereWith = (inCluster: object) => ({ ...here, provider: { inCluster } })
const awayWith = (rds: object) => ({ ...away, provider: { rds: { ...instance, ...rds } } })
const parameters = (...names: readonly string[]) =>
  hereWith({ parameters: Object.fromEntries(names.map((name) => [name, 'x'])) })

const kept =
  'name is reserved: do not use postgres, template0, template1, public, rdsadmin or a name that starts with pg_'
const keptDefault = 'set spec.databaseName: it defaults to the name, which PostgreSQL reserves'
const notAName =
  "set spec.databaseName, or use a name of at most 57 characters of a-z, 0-9 and '-' that starts with a letter"
const notAService =
  "inCluster requires a name of at most 43 characters of a-z, 0-9 and '-' that starts with a letter: Services use it"
const keptSchema = 'schema is reserved: do not use _konverge*, pg_* or information_schema'
const notOneProvider = 'set exactly one of inCluster, server and rds'
const otherProvider = 'provider is immutable; create another Database and copy the data'
const files = 'the operator sets the paths of server files; remove this parameter'
const addresses = 'the operator sets the listen addresses; remove this parameter'
const encryption = 'the operator sets encryption and authentication; remove this parameter'
const recovery = 'the operator sets archiving, recovery and replication; remove this parameter and use a Backup'
const setting = "a parameter name has lower-case letters, digits and '_', and one dot if it belongs to an extension"
const log = 'the operator sends the server log to the container log; remove this parameter'
const noTarget = 'deletionPolicy Snapshot requires snapshotTarget for the final backup'
const noNewVersion = 'version is immutable with provider.rds; create another Database and copy the data'
const noUpgrade = 'a version change requires spec.upgrade; docs/upgrades.md describes it'
const notHere = 'only provider.inCluster supports upgrade'
const noSnapshot =
  'upgrade requires snapshotTarget for the backup before the upgrade; set it, or set upgrade.snapshot to Skip'
const onlyGrows =
  'version cannot decrease, except to roll back an upgrade while the old server serves; see status.server'
const notAWhile = "spec.upgrade.keepPrevious in body should match '^([0-9]{1,5}(h|m|s)){1,3}$'"
const raisable = { version: '17', provider: { inCluster: {} }, upgrade: { snapshot: 'Skip' } }
const fixedName = 'databaseName is immutable; create another Database and copy the data'
const fixedEncoding = 'encoding is immutable; create another Database and copy the data'
const fixedLocale = 'locale is immutable; create another Database and copy the data'
const fixedClass =
  'storageClassName is immutable: volumes cannot change their class; create another Database and copy the data'
const fixedIdentifier = 'instanceIdentifier is immutable; create another Database and copy the data'
const noAuthority =
  "caSecretRef is required with sslMode verify-ca and verify-full; store AWS's global-bundle.pem in a Secret, or set sslMode to require"
const fixedSubnets = 'subnetGroupName is immutable; create another Database and copy the data'
const notASize = 'size must be a quantity greater than zero, e.g. 10Gi'

export const databaseRules: RuleTable = {
  kind: 'Database',
  plural: 'databases',
  samples: ['database', 'database-existing', 'database-restored', 'database-copied'],
  accepted: [
    ...restoreRules.accepted,
    ['a server in the cluster', 'shop', here],
    ['a server that exists', 'shop', there],
    ['an instance of RDS', 'shop', away],
    ['43 characters for inCluster', `a${'b'.repeat(42)}`, here],
    ['57 characters as the name of a database', `a${'b'.repeat(56)}`, there],
    ['any name beside databaseName', '1.shop', { ...there, databaseName: 'shop' }],
    ['a kept name beside databaseName', 'postgres', { ...there, databaseName: 'shop' }],
    ['the oldest version', 'shop', { ...here, version: '14' }],
    [
      'settings as texts and numbers',
      'shop',
      hereWith({ parameters: { max_connections: 200, shared_buffers: '256MB', 'pg_stat_statements.max': 1000 } }),
    ],
    ['an upgrade without a backup', 'shop', { ...here, upgrade: { snapshot: 'Skip' } }],
    [
      'an upgrade with one',
      'shop',
      { ...here, upgrade: { cutover: 'Automatic' }, snapshotTarget: { pvc: { claimName: 'backups' } } },
    ],
    ['settings that only look kept', 'shop', parameters('log_statement', 'restart_after_crash', 'port_of_call')],
    [
      'an extension in the schema of PostgreSQL’s own objects',
      'shop',
      { ...there, extensions: [{ name: 'pg_cron', schema: 'pg_catalog' }] },
    ],
    [
      'extensions and schemas',
      'shop',
      { ...there, extensions: [{ name: 'uuid-ossp', version: '1.1', schema: 'app' }], schemas: [{ name: 'app' }] },
    ],
    ['guests by name', 'shop', { ...there, allowedNamespaces: { names: ['web', 'jobs'] } }],
    [
      'guests by labels',
      'shop',
      {
        ...there,
        allowedNamespaces: { selector: { matchExpressions: [{ key: 'team', operator: 'In', values: ['a'] }] } },
      },
    ],
    ['all as guests', 'shop', { ...there, allowedNamespaces: { selector: {} } }],
    ['a final snapshot of an instance', 'shop', { ...away, deletionPolicy: 'Snapshot' }],
    [
      'a last backup on a volume',
      'shop',
      { ...here, deletionPolicy: 'Snapshot', snapshotTarget: { pvc: { claimName: 'backups', path: 'last' } } },
    ],
    [
      'a last backup in a bucket',
      'shop',
      { ...there, deletionPolicy: 'Snapshot', snapshotTarget: { s3: { bucket: 'last-backups' } } },
    ],
    [
      'keys of a Secret for AWS',
      'shop',
      awayWith({ credentials: { secretRef: { name: 'aws' } }, securityGroupIDs: ['sg-0a'] }),
    ],
    [
      'an instance whose certificate nobody checks',
      'shop',
      { ...away, provider: { rds: { ...unchecked, sslMode: 'require' } } },
    ],
    ['an instance by its name', 'shop', awayWith({ instanceIdentifier: 'crm-2019' })],
  ],
  refused: [
    ...restoreRules.refused,
    ['no provider', 'shop', { version: '18', provider: {} }, 'spec.provider', notOneProvider],
    ['two providers', 'shop', { provider: { ...there.provider, ...here.provider } }, 'spec.provider', notOneProvider],
    ['a name that is no name of a database', '1shop', there, 'metadata.name', notAName],
    ['a name that is too long for a database', 'a'.repeat(58), there, 'metadata.name', notAName],
    ['a name with a dot', 'my.shop', there, 'metadata.name', notAName],
    ['a kept name', 'template1', there, 'metadata.name', keptDefault],
    ['a name that would begin with pg_', 'pg-shop', there, 'metadata.name', keptDefault],
    ['a name that is too long for pods', 'a'.repeat(44), here, 'metadata.name', notAService],
    ['a name that Services cannot take', 'my.shop', { ...here, databaseName: 'shop' }, 'metadata.name', notAService],
    ['a kept databaseName', 'shop', { ...there, databaseName: 'rdsadmin' }, 'spec.databaseName', kept],
    ['a databaseName with pg_', 'shop', { ...there, databaseName: 'pg_shop' }, 'spec.databaseName', kept],
    [
      'a databaseName in capitals',
      'shop',
      { ...there, databaseName: 'Shop' },
      'spec.databaseName',
      "spec.databaseName in body should match '^[a-z_][a-z0-9_-]{0,62}$'",
    ],
    [
      'a databaseName with a quote',
      'shop',
      { ...there, databaseName: 'a"; drop' },
      'spec.databaseName',
      "spec.databaseName in body should match '^[a-z_][a-z0-9_-]{0,62}$'",
    ],
    [
      'a databaseName that leaves no room for its owner',
      'shop',
      { ...there, databaseName: 'a'.repeat(58) },
      'spec.databaseName',
      'may not be more than 57 bytes',
    ],
    [
      'a version of a server that has one',
      'shop',
      { ...there, version: '18' },
      'spec.version',
      'version is not allowed with provider.server; status.serverVersion shows it',
    ],
    [
      'no version in the cluster',
      'shop',
      { provider: here.provider },
      'spec.version',
      'provider.inCluster and provider.rds require version',
    ],
    [
      'no version on RDS',
      'shop',
      { provider: away.provider },
      'spec.version',
      'provider.inCluster and provider.rds require version',
    ],
    [
      'an upgrade of a server that exists',
      'shop',
      { ...there, upgrade: { snapshot: 'Skip' } },
      'spec.upgrade',
      notHere,
    ],
    ['an upgrade without a place for its backup', 'shop', { ...here, upgrade: {} }, 'spec.snapshotTarget', noSnapshot],
    [
      'a while that is none',
      'shop',
      { ...here, upgrade: { snapshot: 'Skip', keepPrevious: '1 day' } },
      'spec.upgrade.keepPrevious',
      notAWhile,
    ],
    [
      'a wait of no time',
      'shop',
      { ...here, upgrade: { snapshot: 'Skip', maxWait: '1s' } },
      'spec.upgrade.maxWait',
      'maxWait must be from 10s to 24h',
    ],
    [
      'a version that is too old',
      'shop',
      { ...here, version: '13' },
      'spec.version',
      'supported values: "14", "15", "16", "17", "18"',
    ],
    [
      'a snapshot of a server in the cluster',
      'shop',
      { ...here, deletionPolicy: 'Snapshot' },
      'spec.snapshotTarget',
      noTarget,
    ],
    [
      'a snapshot of a server that exists',
      'shop',
      { ...there, deletionPolicy: 'Snapshot' },
      'spec.snapshotTarget',
      noTarget,
    ],
    [
      'two places for backups of it',
      'shop',
      { ...there, snapshotTarget: { pvc: { claimName: 'backups' }, s3: { bucket: 'last-backups' } } },
      'spec.snapshotTarget',
      'set exactly one of pvc and s3',
    ],
    [
      'a size that is none',
      'shop',
      hereWith({ storage: { size: 'big' } }),
      'spec.provider.inCluster.storage.size',
      notASize,
    ],
    [
      'a size of nothing',
      'shop',
      hereWith({ storage: { size: '0' } }),
      'spec.provider.inCluster.storage.size',
      notASize,
    ],
    ...['data_directory', 'hba_file', 'config_file', 'ident_file', 'external_pid_file'].map(denied(files)),
    ...['listen_addresses', 'port', 'unix_socket_directories', 'bonjour_name'].map(denied(addresses)),
    ...['ssl', 'ssl_cert_file', 'krb_server_keyfile', 'password_encryption', 'db_user_namespace'].map(
      denied(encryption),
    ),
    ...['archive_mode', 'archive_command', 'recovery_target', 'restore_command', 'primary_conninfo'].map(
      denied(recovery),
    ),
    ...['promote_trigger_file', 'synchronous_standby_names'].map(denied(recovery)),
    ...['log_destination', 'logging_collector', 'event_source', 'syslog_ident'].map(denied(log)),
    ...['SSL', 'Port', '1st', 'a.b.c', 'work_mem = 1 ssl', ''].map(denied(setting)),
    ...['include', 'include_dir'].map(denied('include directives are not allowed; set the parameters directly')),
    [
      'a setting of two lines',
      'shop',
      hereWith({ parameters: { work_mem: "4MB'\nssl = off" } }),
      'spec.provider.inCluster.parameters.work_mem',
      "spec.provider.inCluster.parameters.work_mem in body should match '^[^\\x00-\\x1f\\x7f]*$'",
    ],
    [
      'an instance that is too small',
      'shop',
      awayWith({ allocatedStorageGiB: 19 }),
      'spec.provider.rds.allocatedStorageGiB',
      'spec.provider.rds.allocatedStorageGiB in body should be greater than or equal to 20',
    ],
    [
      'an instance whose certificate could not be checked',
      'shop',
      { ...away, provider: { rds: unchecked } },
      'spec.provider.rds.caSecretRef',
      noAuthority,
    ],
    [
      'an instance that speaks in clear text',
      'shop',
      awayWith({ sslMode: 'disable' }),
      'spec.provider.rds.sslMode',
      'supported values: "require", "verify-ca", "verify-full"',
    ],
    ...['Crm', '1crm', 'crm-', 'crm--old'].map((name): RuleTable['refused'][number] => [
      `the name ${name} of an instance`,
      'shop',
      awayWith({ instanceIdentifier: name }),
      'spec.provider.rds.instanceIdentifier',
      "spec.provider.rds.instanceIdentifier in body should match '^[a-z](-?[a-z0-9])*$'",
    ]),
    [
      'a connection limit below none',
      'shop',
      { ...there, connectionLimit: -2 },
      'spec.connectionLimit',
      'spec.connectionLimit in body should be greater than or equal to -1',
    ],
    ['a kept schema', 'shop', { ...there, schemas: [{ name: 'pg_app' }] }, 'spec.schemas[0].name', keptSchema],
    [
      'the schema of the marks of migrations',
      'shop',
      { ...there, schemas: [{ name: '_konverge' }] },
      'spec.schemas[0].name',
      keptSchema,
    ],
    ...['_konverge', 'pg_toast', 'information_schema'].map(
      (schema) =>
        [
          `an extension in schema ${schema}`,
          'shop',
          { ...there, extensions: [{ name: 'a', schema }] },
          'spec.extensions[0].schema',
          keptSchema,
        ] as const,
    ),
    [
      'the schema of the standard',
      'shop',
      { ...there, schemas: [{ name: 'information_schema' }] },
      'spec.schemas[0].name',
      keptSchema,
    ],
    [
      'a schema twice',
      'shop',
      { ...there, schemas: [{ name: 'a' }, { name: 'a' }] },
      'spec.schemas[1]',
      '{"name":"a"}',
    ],
    [
      'an extension twice',
      'shop',
      { ...there, extensions: [{ name: 'a' }, { name: 'a', version: '1' }] },
      'spec.extensions[1]',
      '{"name":"a"}',
    ],
    [
      'guests by names and labels',
      'shop',
      { ...there, allowedNamespaces: { names: ['web'], selector: {} } },
      'spec.allowedNamespaces',
      'set exactly one of names and selector',
    ],
    [
      'guests by nothing',
      'shop',
      { ...there, allowedNamespaces: {} },
      'spec.allowedNamespaces',
      'set exactly one of names and selector',
    ],
  ],
  existing: {
    'was-raisable': raisable,
    'was-plain': { ...raisable, upgrade: undefined },
    ...restoreRules.existing,
    'was-here': hereWith({ storage: { size: '10Gi' } }),
    'was-classy': { ...hereWith({ storage: { size: '10Gi', storageClassName: 'fast' } }), databaseName: 'classy' },
    'was-there': there,
    'was-away': {
      ...awayWith({ subnetGroupName: 'inner', allocatedStorageGiB: 25 }),
      encoding: 'UTF8',
      locale: 'C.UTF-8',
    },
  },
  acceptedChanges: [
    ...restoreRules.acceptedChanges,
    ['a greater size', 'was-here', { provider: { inCluster: { storage: { size: '11Gi' } } } }],
    ['the same size in other words', 'was-here', { provider: { inCluster: { storage: { size: '10240Mi' } } } }],
    ['another Secret', 'was-there', { provider: { server: { connectionSecretRef: { name: 'other' } } } }],
    ['more storage', 'was-away', { provider: { rds: { allocatedStorageGiB: 30, instanceClass: 'db.m7g.large' } } }],
    ['a newer version', 'was-raisable', { version: '18' }],
    ['another deletion policy', 'was-there', { deletionPolicy: 'Delete' }],
  ],
  refusedChanges: [
    ...restoreRules.refusedChanges,
    [
      'another provider',
      'was-here',
      { version: null, provider: { inCluster: null, ...there.provider } },
      'spec.provider',
      otherProvider,
    ],
    ['another version without a word how', 'was-plain', { version: '18' }, 'spec.upgrade', noUpgrade],
    ['an older version', 'was-raisable', { version: '16' }, 'spec.version', onlyGrows],
    ['another version on RDS', 'was-away', { version: '16' }, 'spec.version', noNewVersion],
    ['a databaseName where there was none', 'was-here', { databaseName: 'other' }, 'spec.databaseName', fixedName],
    ['another databaseName', 'was-classy', { databaseName: 'other' }, 'spec.databaseName', fixedName],
    ['no databaseName where there was one', 'was-classy', { databaseName: null }, 'spec.databaseName', fixedName],
    ['an encoding where there was none', 'was-there', { encoding: 'UTF8' }, 'spec.encoding', fixedEncoding],
    ['another encoding', 'was-away', { encoding: 'LATIN1' }, 'spec.encoding', fixedEncoding],
    ['another locale', 'was-away', { locale: 'C' }, 'spec.locale', fixedLocale],
    [
      'a smaller size',
      'was-here',
      { provider: { inCluster: { storage: { size: '9.9Gi' } } } },
      'spec.provider.inCluster.storage.size',
      'size cannot decrease: volumes cannot shrink',
    ],
    [
      'another class',
      'was-classy',
      { provider: { inCluster: { storage: { storageClassName: 'slow' } } } },
      'spec.provider.inCluster.storage.storageClassName',
      fixedClass,
    ],
    [
      'a class where there was none',
      'was-here',
      { provider: { inCluster: { storage: { storageClassName: 'slow' } } } },
      'spec.provider.inCluster.storage.storageClassName',
      fixedClass,
    ],
    [
      'another region',
      'was-away',
      { provider: { rds: { region: 'eu-west-1' } } },
      'spec.provider.rds.region',
      'region is immutable; create another Database and copy the data',
    ],
    [
      'other subnets',
      'was-away',
      { provider: { rds: { subnetGroupName: 'outer' } } },
      'spec.provider.rds.subnetGroupName',
      fixedSubnets,
    ],
    [
      'another instance',
      'was-away',
      { provider: { rds: { instanceIdentifier: 'crm-2019' } } },
      'spec.provider.rds.instanceIdentifier',
      fixedIdentifier,
    ],
    [
      'less storage',
      'was-away',
      { provider: { rds: { allocatedStorageGiB: 20 } } },
      'spec.provider.rds.allocatedStorageGiB',
      'allocatedStorageGiB cannot decrease: RDS cannot shrink storage',
    ],
  ],
}

function denied(sentence: string) {
  return (name: string): RuleTable['refused'][number] => [
    `the setting ${name}`,
    'shop',
    parameters(name),
    'spec.provider.inCluster.parameters',
    sentence,
  ]
}
