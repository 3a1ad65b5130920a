// Valid and invalid Migrations: one row for each rule and limit of the CRD.
import type { RuleTable } from './rule-table.ts'

const create = { name: 'create', sql: 'CREATE TABLE orders (id int PRIMARY KEY)' }
const of = (...steps: readonly object[]) => ({ databaseRef: { name: 'shop' }, steps })
const verify = { sql: 'SELECT 1' }
const copy = { from: { name: 'old' }, tables: ['orders'] }
const sha256 = 'a'.repeat(64)

const oneText = 'set exactly one of sql and configMapKeyRef for type SQL'
const noText = 'sql and configMapKeyRef require type SQL'
const onlyCopy = 'copy is required for type Copy, and not allowed for other types'
const asserts = 'verify is required for type Assert, and down is not allowed'
const sqlOutside = 'transaction: false requires type SQL'
const verified = 'verify is required with transaction: false, to detect whether an interrupted attempt completed'
const stays = 'a step cannot be removed; append a step that reverts its changes'
const timeout = 'timeout must be from 1s to 168h'
const lockTimeout = 'lockTimeout must be from 10ms to 1h'
const step = 'spec.steps[0]'
const sameNamespace = 'a Migration uses Databases of its own namespace; remove namespace'

export const migrationRules: RuleTable = {
  kind: 'Migration',
  plural: 'migrations',
  samples: ['migration'],
  accepted: [
    ['one step', 'v1', of(create)],
    ['a text of a ConfigMap', 'v1', of({ name: 'long', configMapKeyRef: { name: 'sql', key: 'long.sql', sha256 } })],
    ['a statement outside a transaction', 'v1', of({ name: 'index', sql: 'VACUUM', transaction: false, verify })],
    ['a copy', 'v1', of({ name: 'rows', type: 'Copy', copy, down: 'TRUNCATE orders' })],
    [
      'a copy of many tables',
      'v1',
      of({ name: 'rows', type: 'Copy', copy: { ...copy, tables: ['a', 'shop.b', 'B-c'], batchRows: 1 } }),
    ],
    ['a copy by replication', 'v1', of({ name: 'rows', type: 'Copy', copy: { ...copy, mode: 'Logical' } })],
    ['an assertion', 'v1', of({ name: 'check', type: 'Assert', verify })],
    ['the longest limits', 'v1', of({ ...create, timeout: '168h', lockTimeout: '1h' })],
    ['the shortest limits', 'v1', of({ ...create, timeout: '1s', lockTimeout: '10ms' })],
    ['a text of 64 KiB', 'v1', of({ name: 'long', sql: 'x'.repeat(65536) })],
    ['a hundred steps', 'v1', of(...Array.from({ length: 100 }, (_, at) => ({ ...create, name: `s${at}` })))],
    [
      'every word about the whole',
      'v1',
      {
        ...of(create),
        ...{
          databaseRef: { name: 'shop' },
          approval: 'Manual',
          onFailure: 'RunDown',
          baseline: true,
        },
        preBackup: { required: true, verified: false },
        ...{ retry: 'again', concurrencyKey: 'orders', schemaValidation: { dryRun: 'Rollback', requireVerify: true } },
      },
    ],
  ],
  refused: [
    [
      'a Database of another namespace',
      'v1',
      { ...of(create), databaseRef: { name: 'shop', namespace: 'default' } },
      'spec.databaseRef.namespace',
      sameNamespace,
    ],
    [
      'a copy from another namespace',
      'v1',
      of({ name: 'a', type: 'Copy', copy: { ...copy, from: { name: 'old', namespace: 'data' } } }),
      `${step}.copy.from.namespace`,
      sameNamespace,
    ],
    ['no text', 'v1', of({ name: 'a' }), step, oneText],
    ['two texts', 'v1', of({ ...create, configMapKeyRef: { name: 'sql', key: 'a', sha256 } }), step, oneText],
    ['an assertion with a text', 'v1', of({ ...create, type: 'Assert', verify }), step, noText],
    ['a copy with a text', 'v1', of({ ...create, type: 'Copy', copy }), step, noText],
    ['a copy of nothing', 'v1', of({ name: 'a', type: 'Copy' }), `${step}.copy`, onlyCopy],
    ['a text that copies', 'v1', of({ ...create, copy }), `${step}.copy`, onlyCopy],
    ['an assertion of nothing', 'v1', of({ name: 'a', type: 'Assert' }), step, asserts],
    ['an assertion to take back', 'v1', of({ name: 'a', type: 'Assert', verify, down: 'SELECT 1' }), step, asserts],
    [
      'a copy outside a transaction',
      'v1',
      of({ name: 'a', type: 'Copy', copy, transaction: false, verify }),
      `${step}.transaction`,
      sqlOutside,
    ],
    [
      'a statement outside a transaction that nobody verifies',
      'v1',
      of({ ...create, transaction: false }),
      `${step}.verify`,
      verified,
    ],
    ['no time', 'v1', of({ ...create, timeout: '999ms' }), `${step}.timeout`, timeout],
    ['all time', 'v1', of({ ...create, timeout: '169h' }), `${step}.timeout`, timeout],
    ['no wait for a lock', 'v1', of({ ...create, lockTimeout: '9ms' }), `${step}.lockTimeout`, lockTimeout],
    ['a long wait for a lock', 'v1', of({ ...create, lockTimeout: '61m' }), `${step}.lockTimeout`, lockTimeout],
  ],
  existing: {
    plain: of(create),
    keyed: { ...of(create), concurrencyKey: 'orders' },
  },
  acceptedChanges: [
    ['another step', 'plain', { steps: [create, { ...create, name: 'more' }] }],
    ['another text, which the database judges', 'plain', { steps: [{ ...create, sql: 'SELECT 1' }] }],
    ['another try', 'plain', { retry: 'again' }],
  ],
  refusedChanges: [
    ['a step that goes', 'plain', { steps: [{ ...create, name: 'other' }] }, 'spec.steps', stays],
    [
      'another database',
      'plain',
      { databaseRef: { name: 'other' } },
      'spec.databaseRef',
      'databaseRef is immutable; create another Migration',
    ],
    [
      'another key',
      'keyed',
      { concurrencyKey: 'other' },
      'spec.concurrencyKey',
      'concurrencyKey is immutable: a worker may hold its lock',
    ],
    [
      'a key',
      'plain',
      { concurrencyKey: 'other' },
      'spec.concurrencyKey',
      'concurrencyKey is immutable: a worker may hold its lock',
    ],
  ],
}
