// Error of a dump or restore tool: its first message, and whether a retry may help. Invariant: it contains no rows.
import { describe, expect, it } from 'vitest'
import {
  isOfNewerSettingAlone,
  toolFailure,
} from '../../../../../src/controllers/engines/postgres/logical/tool-complaint.ts'

const cases = [
  {
    program: 'pg_restore',
    exit: 1,
    printed: `pg_restore: while PROCESSING TOC:
pg_restore: from TOC entry 3344; 0 16390 TABLE DATA users postgres
pg_restore: error: COPY failed for table "users": ERROR:  duplicate key value violates unique constraint "users_pkey"
DETAIL:  Key (email)=(bob@example.com) already exists.
CONTEXT:  COPY users, line 2
Command was: COPY public.users`,
    code: 'RestoreFailed',
    remedy: 'stop',
    message:
      'pg_restore failed on it: COPY failed for table "users": ERROR:  duplicate key value violates unique constraint "users_pkey"',
  },
  {
    program: 'pg_dump',
    exit: 1,
    printed: `pg_dump: error: aborting because of server version mismatch\npg_dump: detail: server version: 18.4; pg_dump version: 15.18`,
    code: 'VersionMismatch',
    remedy: 'stop',
    message: 'pg_dump failed on it: aborting because of server version mismatch',
  },
  {
    program: 'pg_restore',
    exit: 1,
    printed: `pg_restore: while INITIALIZING:
pg_restore: error: could not execute query: ERROR:  unrecognized configuration parameter "transaction_timeout"
Command was: SET transaction_timeout = 0;`,
    code: 'VersionMismatch',
    remedy: 'stop',
    message:
      'pg_restore failed on it: could not execute query: ERROR:  unrecognized configuration parameter "transaction_timeout"',
  },
  {
    program: 'pg_dump',
    exit: 1,
    printed: 'pg_dump: error: query failed: ERROR:  canceling statement due to lock timeout',
    code: 'Contention',
    remedy: 'retry',
    message: 'pg_dump failed on it: query failed: ERROR:  canceling statement due to lock timeout',
  },
  {
    program: 'pg_dump',
    exit: 1,
    printed: 'pg_dump: error: connection to server at "127.0.0.1", port 1 failed: Connection refused',
    code: 'ServerUnreachable',
    remedy: 'retry',
    message: 'pg_dump failed on it: connection to server at "127.0.0.1", port 1 failed: Connection refused',
  },
  {
    program: 'pg_restore',
    exit: 'SIGKILL',
    printed: '',
    code: 'RestoreFailed',
    remedy: 'retry',
    message: 'pg_restore failed on it: it ended with SIGKILL',
  },
  {
    program: 'pg_basebackup',
    exit: 1,
    printed:
      'pg_basebackup: error: connection to server at "db", port 5432 failed: FATAL:  no pg_hba.conf entry for replication connection from host "10.0.0.1", user "admin", SSL encryption',
    code: 'ReplicationRefused',
    remedy: 'stop',
    message:
      'pg_basebackup failed on it: connection to server at "db", port 5432 failed: FATAL:  no pg_hba.conf entry for replication connection from host "10.0.0.1", user "admin", SSL encryption',
  },
  {
    program: 'pg_basebackup',
    exit: 1,
    printed:
      'pg_basebackup: error: could not get COPY data stream: ERROR:  requested WAL segment 000000010000000000000003 has already been removed',
    code: 'LogMissing',
    remedy: 'retry',
    message:
      'pg_basebackup failed on it: could not get COPY data stream: ERROR:  requested WAL segment 000000010000000000000003 has already been removed',
  },
  {
    program: 'pg_basebackup',
    exit: 1,
    printed: 'pg_basebackup: error: could not read COPY data: server closed the connection unexpectedly',
    code: 'ServerUnreachable',
    remedy: 'retry',
    message: 'pg_basebackup failed on it: could not read COPY data: server closed the connection unexpectedly',
  },
] as const

describe('the error of a tool', () => {
  it.each(cases)('is $code', ({ code, remedy, message, ...failed }) => {
    expect(toolFailure({ ...failed, about: 'it' })).toMatchObject({ code, remedy, message })
  })
})

it('is the second one, when the tool is newer than its server', () => {
  const printed = setting + other + ignored(2)
  expect(toolFailure({ program: 'pg_restore', exit: 1, printed, about: 'it' })).toMatchObject({
    code: 'RestoreFailed',
    message: 'pg_restore failed on it: could not execute query: ERROR:  permission denied for table users',
  })
})

const setting = `pg_restore: while INITIALIZING:
pg_restore: error: could not execute query: ERROR:  unrecognized configuration parameter "transaction_timeout"
Command was: SET transaction_timeout = 0;
`
const german = setting.replace(/ERROR: .*/, 'FEHLER:  unbekannter Konfigurationsparameter »transaction_timeout«')
const other = 'pg_restore: error: could not execute query: ERROR:  permission denied for table users\n'
const ignored = (count: number) => `pg_restore: warning: errors ignored on restore: ${count}\n`

describe('a tool that is newer than its server', () => {
  it.each([
    ['went on', setting + ignored(1), 1, true],
    ['went on in another language', german + ignored(1), 1, true],
    ['went on in several parts', setting.repeat(5) + ignored(2), 3, true],
    ['did not go on', setting, 1, false],
    ['had more to complain about', setting + other + ignored(2), 1, false],
    ['complained of something else', other + ignored(1), 1, false],
    ['said it more often than it has sessions', setting.repeat(2) + ignored(2), 1, false],
    ['said it more often than its parts have sessions', setting.repeat(6) + ignored(3), 3, false],
    ['complained of more than was kept', setting.repeat(200) + ignored(1), 300, false],
    ['said nothing', '', 1, false],
  ])('%s', (_, printed, jobs, isForgiven) => {
    expect(isOfNewerSettingAlone(printed, jobs)).toBe(isForgiven)
  })
})
