// Valid and invalid Backups: one row for each rule and limit of the CRD.
import type { RuleTable } from './rule-table.ts'

const pvc = { claimName: 'backups' }
const s3 = { bucket: 'backups', region: 'us-east-1' }
const of = (changes: object = {}) => ({ databaseRef: { name: 'shop' }, target: { pvc }, ...changes })
const byProvider = (changes: object = {}) => ({ databaseRef: { name: 'shop' }, method: 'Provider', ...changes })
const schedule = '30 2 * * *'

const oneTarget = 'set exactly one of pvc and s3'
const noTarget = 'target is required for the methods Logical and Physical, and not allowed for Provider'
const unpacked = 'compress is not allowed for the method Provider'
const unproven = 'the method Provider cannot verify backups; set verify.mode to None and remove queries'
const sameMethod = 'method is immutable; create another Backup'
const noZstd = 'zstd requires the method Physical; the method Logical supports gzip and none'
const levels = 'level must be 1 to 9 for gzip and 1 to 19 for zstd, and is not allowed for none'
const ofLogical = 'jobs and excludeTables require the method Logical'
const deadline = 'deadline must be from 1m to 168h'
const noRetention = 'retention requires schedule; delete a one-off Backup when it is no longer needed'
const noZone = 'timeZone requires schedule'
const noHurry = 'immediate requires schedule; a one-off Backup always starts immediately'
const stays = 'schedule cannot be added or removed; create another Backup'
const made = 'options, verify and deadline of a one-off Backup are immutable; create another Backup'
const sameTarget = 'target is immutable; create another Backup'
const longName =
  'the name of a Backup with a schedule must have at most 52 characters: the names of its Backups add the scheduled time'

export const backupRules: RuleTable = {
  kind: 'Backup',
  plural: 'backups',
  samples: ['backup', 'backup-once', 'backup-rds'],
  accepted: [
    ['one on a volume', 'b1', of()],
    ['one in a folder of a volume', 'b1', of({ target: { pvc: { ...pvc, path: 'a/b-c_d.e' } } })],
    ['one in a bucket', 'b1', of({ target: { s3 } })],
    [
      'one in a bucket of another store',
      'b1',
      of({
        target: {
          s3: {
            ...{ ...s3, prefix: 'prod/a', endpoint: 'http://minio.minio:9000', forcePathStyle: true },
            ...{ credentialsSecretRef: { name: 'keys' }, encryption: { algorithm: 'aws:kms', keyId: 'k' } },
            objectLockDays: 30,
          },
        },
      }),
    ],
    ['a schedule', 'a'.repeat(52), of({ schedule, timeZone: 'Europe/Berlin' })],
    ['a schedule that begins at once', 'b1', of({ schedule, immediate: true })],
    ['a schedule by names', 'b1', of({ schedule: '*/15 0-6 1,15 JAN-MAR MON' })],
    [
      'a schedule that keeps what it should',
      'b1',
      of({
        schedule,
        retention: { keepLast: 1, keepDaily: 7, keepWeekly: 4, keepMonthly: 12, maxAge: '720h' },
        ...{ startingDeadlineSeconds: 60, concurrency: 'Replace', suspend: true },
      }),
    ],
    ['one that is proven by questions', 'b1', of({ verify: { queries: [{ sql: 'SELECT 1', expect: '1' }] } })],
    ['a snapshot of the provider', 'b1', byProvider()],
    ['a snapshot of the provider that is believed', 'b1', byProvider({ verify: { mode: 'None' } })],
    ['a schedule of snapshots', 'b1', byProvider({ schedule, retention: { keepLast: 2 }, artifactPolicy: 'Delete' })],
    ['the longest deadline', 'b1', of({ deadline: '168h' })],
    ['the shortest deadline', 'b1', of({ deadline: '60s' })],
    ['one of a whole server', 'b1', of({ method: 'Physical', options: { compress: { method: 'zstd', level: 19 } } })],
    [
      'a long name without a schedule',
      'a'.repeat(63),
      of({ options: { compress: { method: 'none' }, jobs: 16, excludeTables: ['public.cache'] } }),
    ],
  ],
  refused: [
    ['no target', 'b1', of({ target: {} }), 'spec.target', oneTarget],
    ['two targets', 'b1', of({ target: { pvc, s3 } }), 'spec.target', oneTarget],
    ['no target at all', 'b1', { databaseRef: { name: 'shop' } }, 'spec.target', noTarget],
    ['a target of the provider', 'b1', of({ method: 'Provider' }), 'spec.target', noTarget],
    [
      'a snapshot that is packed',
      'b1',
      byProvider({ options: { compress: { method: 'none' } } }),
      'spec.options',
      unpacked,
    ],
    ['a part of a snapshot', 'b1', byProvider({ options: { excludeTables: ['a.b'] } }), 'spec.options', ofLogical],
    ['a snapshot that is restored', 'b1', byProvider({ verify: { mode: 'Restore' } }), 'spec.verify', unproven],
    [
      'a snapshot that is asked',
      'b1',
      byProvider({ verify: { queries: [{ sql: 'SELECT 1', expect: '1' }] } }),
      'spec.verify',
      unproven,
    ],
    [
      'a Database of another namespace',
      'b1',
      of({ databaseRef: { name: 'shop', namespace: 'default' } }),
      'spec.databaseRef.namespace',
      'a Backup uses a Database of its own namespace; remove namespace',
    ],
    ['zstd of pg_dump', 'b1', of({ options: { compress: { method: 'zstd' } } }), 'spec.options', noZstd],
    [
      'much of gzip',
      'b1',
      of({ options: { compress: { method: 'gzip', level: 10 } } }),
      'spec.options.compress.level',
      levels,
    ],
    [
      'some of none',
      'b1',
      of({ options: { compress: { method: 'none', level: 1 } } }),
      'spec.options.compress.level',
      levels,
    ],
    ['jobs of a copy', 'b1', of({ method: 'Physical', options: { jobs: 2 } }), 'spec.options', ofLogical],
    [
      'a copy without a table',
      'b1',
      of({ method: 'Physical', options: { excludeTables: ['a.b'] } }),
      'spec.options',
      ofLogical,
    ],
    ['no time', 'b1', of({ deadline: '59s' }), 'spec.deadline', deadline],
    ['all time', 'b1', of({ deadline: '169h' }), 'spec.deadline', deadline],
    ['retention of one', 'b1', of({ retention: { keepLast: 1 } }), 'spec.retention', noRetention],
    ['a time zone of one', 'b1', of({ timeZone: 'UTC' }), 'spec.timeZone', noZone],
    ['a single one at once', 'b1', of({ immediate: true }), 'spec.immediate', noHurry],
    ['a schedule of a long name', 'a'.repeat(53), of({ schedule }), '<nil>', longName],
  ],
  existing: {
    single: of(),
    nightly: of({ schedule }),
  },
  acceptedChanges: [
    ['that it is suspended', 'single', { suspend: true }],
    ['what becomes of its artifact', 'single', { artifactPolicy: 'Delete' }],
    ['another schedule', 'nightly', { schedule: '0 3 * * *', timeZone: 'Europe/Berlin' }],
    ['other backups of it', 'nightly', { verify: { mode: 'None' }, deadline: '2h', retention: { keepLast: 2 } }],
  ],
  refusedChanges: [
    [
      'another database',
      'single',
      { databaseRef: { name: 'other' } },
      'spec.databaseRef',
      'databaseRef is immutable; create another Backup',
    ],
    ['another place', 'nightly', { target: { pvc: { claimName: 'other' } } }, 'spec.target', sameTarget],
    ['another method', 'nightly', { method: 'Physical' }, 'spec.method', sameMethod],
    ['a schedule', 'single', { schedule }, 'spec.schedule', stays],
    ['no schedule', 'nightly', { schedule: null }, 'spec.schedule', stays],
    ['another way to prove it', 'single', { verify: { mode: 'None' } }, 'spec', made],
    ['another compression', 'single', { options: { compress: { method: 'gzip' } } }, 'spec', made],
    ['another deadline', 'single', { deadline: '2h' }, 'spec', made],
  ],
}
