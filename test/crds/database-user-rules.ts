// Valid and invalid DatabaseUsers: one row for each rule and limit of the CRD.
import type { RuleTable } from './rule-table.ts'

const reader = { databases: [{ name: 'shop', access: 'ReadOnly' }] }
const granted = (...grants: readonly object[]) => ({ databases: [{ name: 'shop', access: 'Custom', grants }] })
const everyTable = { objectType: 'Table', all: true, privileges: ['SELECT'] }

const kept =
  'name is reserved: do not use postgres, template0, template1, public, rdsadmin or a name that starts with pg_'
const keptDefault = 'set spec.roleName: it defaults to the name, which PostgreSQL reserves'
const notAName =
  "set spec.roleName, or use a name of at most 61 characters of a-z, 0-9 and '-' that starts with a letter"
const notASecret = 'set spec.secret.name, or use a name of at most 250 characters: the default is <name>-db'
const keptSchema = 'schema is reserved: do not use _konverge*, pg_* or information_schema'
const custom = 'grants is required for access Custom, and not allowed for other access'
const what = 'set exactly one of names and all for Table, Sequence and Function; set neither for Schema and Database'
const onTable =
  'privileges on a Table must be SELECT, INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER or MAINTAIN'
const password = 'set exactly one of generate, secretRef and disabled: true'
const generated = 'rotation requires password.generate: the operator can only rotate a generated password'
const overlap = 'overlap must be shorter than interval: DualRole alternates between two roles'
const wholeServer = 'role is not allowed: it has privileges on the whole server; use databases and attributes'
const ownKeys = 'the operator sets this key; use another key'
const fixedName = 'roleName is immutable; create another DatabaseUser'
const ownSettings = 'role and session_authorization are set by the operator'
const moduleSettings =
  'parameter is not allowed: its module observes sessions or runs code; only the server administrator can set it'

const setting = "a parameter name has lower-case letters, digits and '_', and one dot if it belongs to an extension"
const notAKey = "a key of a Secret must have 1 to 253 letters, digits, '-', '_' and '.'"

const reservedKeys = 'keys of konverge.dev and its subdomains are reserved; set them on the object with kubectl'

const grantField = 'spec.databases[0].grants[0]'

export const databaseUserRules: RuleTable = {
  kind: 'DatabaseUser',
  plural: 'databaseusers',
  samples: ['database-user'],
  accepted: [
    ['a user of one database', 'shop-app', reader],
    ['61 characters as the name of a role', `a${'b'.repeat(60)}`, reader],
    ['any name beside roleName', '1.app', { ...reader, roleName: 'app' }],
    ['a very long name beside the names', 'a'.repeat(253), { ...reader, roleName: 'app', secret: { name: 'app' } }],
    ['a Database of another namespace', 'app', { databases: [{ name: 'shop', namespace: 'data', access: 'Owner' }] }],
    ['rights on all tables', 'app', granted(everyTable)],
    [
      'rights on tables by name',
      'app',
      granted({ objectType: 'Table', names: ['Orders', 'a "b"'], privileges: ['SELECT', 'INSERT', 'UPDATE'] }),
    ],
    [
      'rights on sequences',
      'app',
      granted({ objectType: 'Sequence', all: true, privileges: ['USAGE', 'SELECT', 'UPDATE'] }),
    ],
    ['rights on functions', 'app', granted({ objectType: 'Function', names: ['f'], privileges: ['EXECUTE'] })],
    ['rights on the schemas', 'app', granted({ objectType: 'Schema', privileges: ['USAGE', 'CREATE'] })],
    [
      'rights on the database',
      'app',
      granted({ objectType: 'Database', privileges: ['CONNECT', 'CREATE', 'TEMPORARY'] }),
    ],
    ['a password of its own', 'app', { ...reader, password: { secretRef: { name: 'app' } } }],
    ['no password', 'app', { ...reader, password: { disabled: true } }],
    [
      'a password that is not disabled',
      'app',
      { ...reader, password: { generate: { length: 128, charset: 'Printable' }, disabled: false } },
    ],
    ['the shortest interval in place', 'app', { ...reader, rotation: { interval: '1h' } }],
    [
      'an interval of two units',
      'app',
      { ...reader, rotation: { interval: '1h30m', overlap: '1h29m', strategy: 'DualRole' } },
    ],
    ['two roles by hand', 'app', { ...reader, rotation: { strategy: 'DualRole', trigger: 'now' } }],
    ['roles of the server', 'app', { ...reader, memberOf: ['pg_monitor', 'reporting'] }],
    ['settings', 'app', { ...reader, config: { search_path: 'shop, public', statement_timeout: '30s' } }],
    [
      'further keys',
      'app',
      { ...reader, secret: { template: { DATABASE_URL: '{{uri}}' }, labels: { reload: 'yes' } } },
    ],
    [
      'keys that look reserved and are not',
      'app',
      {
        ...reader,
        secret: { labels: { 'konverge.dev.example/a': 'b' }, annotations: { 'notkonverge.dev/a': 'konverge.dev/b' } },
      },
    ],
  ],
  refused: [
    ['a name that is no name of a role', '1app', reader, 'metadata.name', notAName],
    ['a name that leaves no room for login roles', 'a'.repeat(62), reader, 'metadata.name', notAName],
    ['a kept name', 'public', reader, 'metadata.name', keptDefault],
    ['a name that would begin with pg_', 'pg-app', reader, 'metadata.name', keptDefault],
    [
      'a name that leaves no room for the Secret',
      'a'.repeat(251),
      { ...reader, roleName: 'app' },
      'metadata.name',
      notASecret,
    ],
    ['a kept roleName', 'app', { ...reader, roleName: 'postgres' }, 'spec.roleName', kept],
    ['a roleName with pg_', 'app', { ...reader, roleName: 'pg_app' }, 'spec.roleName', kept],
    [
      'a roleName with a quote',
      'app',
      { ...reader, roleName: 'a"b' },
      'spec.roleName',
      "spec.roleName in body should match '^[a-z_][a-z0-9_-]{0,62}$'",
    ],
    [
      'a roleName that is too long',
      'app',
      { ...reader, roleName: 'a'.repeat(62) },
      'spec.roleName',
      'may not be more than 61 bytes',
    ],
    ['no database', 'app', { databases: [] }, 'spec.databases', 'spec.databases in body should have at least 1 items'],
    [
      'a database twice',
      'app',
      {
        databases: [
          { name: 'a', access: 'Owner' },
          { name: 'a', access: 'ReadOnly' },
        ],
      },
      'spec.databases[1]',
      '{"name":"a"}',
    ],
    ['a database without access', 'app', { databases: [{ name: 'a' }] }, 'spec.databases[0].access', 'Required value'],
    [
      'a kept schema',
      'app',
      { databases: [{ name: 'a', access: 'Owner', schemas: ['pg_catalog'] }] },
      'spec.databases[0].schemas[0]',
      keptSchema,
    ],
    [
      'the schema of the marks of migrations',
      'app',
      { databases: [{ name: 'a', access: 'ReadWrite', schemas: ['public', '_konverge'] }] },
      'spec.databases[0].schemas[1]',
      keptSchema,
    ],
    [
      'a schema in capitals',
      'app',
      { databases: [{ name: 'a', access: 'Owner', schemas: ['App'] }] },
      'spec.databases[0].schemas[0]',
      "spec.databases[0].schemas[0] in body should match '^[a-z_][a-z0-9_-]{0,62}$'",
    ],
    [
      'Custom without grants',
      'app',
      { databases: [{ name: 'a', access: 'Custom' }] },
      'spec.databases[0].grants',
      custom,
    ],
    ['Custom with no grant', 'app', granted(), 'spec.databases[0].grants', custom],
    [
      'grants beside an access',
      'app',
      { databases: [{ name: 'a', access: 'Owner', grants: [everyTable] }] },
      'spec.databases[0].grants',
      custom,
    ],
    ['rights on no table', 'app', granted({ objectType: 'Table', privileges: ['SELECT'] }), grantField, what],
    ['rights on all tables and some', 'app', granted({ ...everyTable, names: ['a'] }), grantField, what],
    ['rights on not all tables', 'app', granted({ ...everyTable, all: false }), grantField, what],
    [
      'rights on a schema by name',
      'app',
      granted({ objectType: 'Schema', names: ['a'], privileges: ['USAGE'] }),
      grantField,
      what,
    ],
    [
      'rights on all databases',
      'app',
      granted({ objectType: 'Database', all: true, privileges: ['CONNECT'] }),
      grantField,
      what,
    ],
    [
      'EXECUTE on a table',
      'app',
      granted({ ...everyTable, privileges: ['SELECT', 'EXECUTE'] }),
      `${grantField}.privileges`,
      onTable,
    ],
    [
      'INSERT on a sequence',
      'app',
      granted({ objectType: 'Sequence', all: true, privileges: ['INSERT'] }),
      `${grantField}.privileges`,
      'privileges on a Sequence must be USAGE, SELECT or UPDATE',
    ],
    [
      'SELECT on a function',
      'app',
      granted({ objectType: 'Function', all: true, privileges: ['SELECT'] }),
      `${grantField}.privileges`,
      'privileges on a Function must be EXECUTE',
    ],
    [
      'SELECT on a schema',
      'app',
      granted({ objectType: 'Schema', privileges: ['SELECT'] }),
      `${grantField}.privileges`,
      'privileges on a Schema must be USAGE or CREATE',
    ],
    [
      'USAGE on a database',
      'app',
      granted({ objectType: 'Database', privileges: ['USAGE'] }),
      `${grantField}.privileges`,
      'privileges on a Database must be CONNECT, CREATE or TEMPORARY',
    ],
    [
      'a privilege that does not exist',
      'app',
      granted({ ...everyTable, privileges: ['SELECT, SUPERUSER'] }),
      `${grantField}.privileges[0]`,
      'supported values: "SELECT", "INSERT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER", "MAINTAIN", "USAGE", "EXECUTE", "CREATE", "CONNECT", "TEMPORARY"',
    ],
    [
      'a privilege twice',
      'app',
      granted({ ...everyTable, privileges: ['SELECT', 'SELECT'] }),
      `${grantField}.privileges[1]`,
      '"SELECT"',
    ],
    ['no password at all', 'app', { ...reader, password: {} }, 'spec.password', password],
    [
      'two passwords',
      'app',
      { ...reader, password: { generate: {}, secretRef: { name: 'app' } } },
      'spec.password',
      password,
    ],
    [
      'a disabled password that is made',
      'app',
      { ...reader, password: { generate: {}, disabled: true } },
      'spec.password',
      password,
    ],
    [
      'a password that is too short',
      'app',
      { ...reader, password: { generate: { length: 23 } } },
      'spec.password.generate.length',
      'spec.password.generate.length in body should be greater than or equal to 24',
    ],
    [
      'the rotation of a password of its own',
      'app',
      { ...reader, password: { secretRef: { name: 'app' } }, rotation: { interval: '24h' } },
      'spec.rotation',
      generated,
    ],
    [
      'the rotation of no password',
      'app',
      { ...reader, password: { disabled: true }, rotation: {} },
      'spec.rotation',
      generated,
    ],
    [
      'an interval that is too short',
      'app',
      { ...reader, rotation: { interval: '59m59s' } },
      'spec.rotation.interval',
      'interval must be at least 1h',
    ],
    [
      'an interval that is none',
      'app',
      { ...reader, rotation: { interval: '30d' } },
      'spec.rotation.interval',
      "spec.rotation.interval in body should match '^([0-9]{1,5}(h|m|s)){1,3}$'",
    ],
    [
      'an overlap as long as the interval',
      'app',
      { ...reader, rotation: { interval: '24h', strategy: 'DualRole' } },
      'spec.rotation.overlap',
      overlap,
    ],
    ...['rds_superuser', 'pg_execute_server_program', 'pg_write_server_files', 'pg_read_server_files', 'postgres'].map(
      (role): RuleTable['refused'][number] => [
        `a member of ${role}`,
        'app',
        { ...reader, memberOf: [role] },
        'spec.memberOf[0]',
        wholeServer,
      ],
    ),
    ['a setting in capitals', 'app', { ...reader, config: { ROLE: 'x' } }, 'spec.config', setting],
    ['a setting that is none', 'app', { ...reader, config: { 'a = 1; --': 'x' } }, 'spec.config', setting],
    [
      'a key that Secrets do not take',
      'app',
      { ...reader, secret: { template: { 'a b': 'x' } } },
      'spec.secret.template',
      notAKey,
    ],
    ...['data.konverge.dev/usable-by-backup', 'konverge.dev/adopt', 'x.y.konverge.dev/z', 'KONVERGE.dev/adopt'].flatMap(
      (key): RuleTable['refused'] => [
        [
          `the label ${key}`,
          'app',
          { ...reader, secret: { labels: { [key]: 'true' } } },
          'spec.secret.labels',
          reservedKeys,
        ],
        [
          `the annotation ${key}`,
          'app',
          { ...reader, secret: { annotations: { [key]: 'x' } } },
          'spec.secret.annotations',
          reservedKeys,
        ],
      ],
    ),
    ...['role', 'session_authorization'].map((name): RuleTable['refused'][number] => [
      `the setting ${name}`,
      'app',
      { ...reader, config: { [name]: 'x' } },
      'spec.config',
      ownSettings,
    ]),
    ...['pgaudit.log', 'auto_explain.log_min_duration', 'plperl.on_plperl_init'].map(
      (name): RuleTable['refused'][number] => [
        `the setting ${name}`,
        'app',
        { ...reader, config: { [name]: 'x' } },
        'spec.config',
        moduleSettings,
      ],
    ),
    ...['password', 'verifier', 'ca.crt', 'uri'].map((key): RuleTable['refused'][number] => [
      `the key ${key} from a template`,
      'app',
      { ...reader, secret: { template: { [key]: 'x' } } },
      'spec.secret.template',
      ownKeys,
    ]),
    [
      'a Secret that has no name',
      'app',
      { ...reader, secret: { name: 'A' } },
      'spec.secret.name',
      "spec.secret.name in body should match '^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$'",
    ],
  ],
  existing: {
    plain: reader,
    named: { ...reader, roleName: 'app' },
  },
  acceptedChanges: [
    ['another access', 'plain', { databases: [{ name: 'shop', access: 'Owner' }] }],
    ['another database', 'named', { databases: [{ name: 'crm', access: 'Owner' }] }],
    ['a password of its own instead', 'plain', { password: { secretRef: { name: 'app' } } }],
    ['the same roleName', 'named', { roleName: 'app', connectionLimit: 3 }],
  ],
  refusedChanges: [
    ['a roleName where there was none', 'plain', { roleName: 'app' }, 'spec.roleName', fixedName],
    ['another roleName', 'named', { roleName: 'other' }, 'spec.roleName', fixedName],
    ['no roleName where there was one', 'named', { roleName: null }, 'spec.roleName', fixedName],
  ],
}
