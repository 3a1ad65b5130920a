// Review of the steps of a Migration with PostgreSQL's own grammar: rejected statements, positions of findings, and
// accepted statements.
import { beforeAll, describe, expect, it } from 'vitest'
import type { MigrationStep } from '../../../../../src/controllers/engines/migration-step.ts'
import { loadSqlParser } from '../../../../../src/controllers/engines/postgres/review/parser-loader.ts'
import { stepReviewer } from '../../../../../src/controllers/engines/postgres/review/review.ts'
import { findingText, type ReviewSteps, type StepReview } from '../../../../../src/controllers/engines/step-review.ts'
import { assertStep, copyStep, sqlStep } from '../../../migration/steps.ts'

let review: ReviewSteps

beforeAll(async () => {
  review = stepReviewer(await loadSqlParser())
})

function look(step: MigrationStep): StepReview {
  return review([step], { requiresVerify: false })
}

/** Returns `code line:column` of each finding, as in the rows below. */
function told(step: MigrationStep): readonly string[] {
  return look(step).findings.map(({ code, place }) => `${code} ${place.line}:${place.column}`)
}

const verify = { sql: 'SELECT 1', expect: '1' }

describe('a step in a transaction', () => {
  it.each([
    ['selec 1', 'ParseError 1:1'],
    ["SELECT 'ä€😀';\n  selec 1", 'ParseError 2:3'],
    ['SELECT 1 FROM', 'ParseError 1:14'],
    ['\\d orders', 'ParseError 1:1'],
    ['SELECT 1\0', 'ParseError 1:1'],
    ['  \n', 'EmptyStep 1:1'],
    ['-- nothing\n;', 'EmptyStep 1:1'],
    ['SELECT 1; -- then\n/* now */ COMMIT', 'TransactionControlInStep 2:11'],
    ["SELECT 'ä'; BEGIN", 'TransactionControlInStep 1:13'],
    ['ROLLBACK', 'TransactionControlInStep 1:1'],
    ['SAVEPOINT a', 'TransactionControlInStep 1:1'],
    ["PREPARE TRANSACTION 'a'", 'TransactionControlInStep 1:1'],
    ["COMMIT PREPARED 'a'", 'TransactionControlInStep 1:1'],
    ['SET TRANSACTION READ ONLY', 'TransactionControlInStep 1:1'],
    ['CREATE INDEX CONCURRENTLY i ON t (a)', 'NotInTransaction 1:1'],
    ['DROP INDEX CONCURRENTLY i', 'NotInTransaction 1:1'],
    ['REINDEX TABLE CONCURRENTLY t', 'NotInTransaction 1:1'],
    ['REINDEX (CONCURRENTLY ON) INDEX i', 'NotInTransaction 1:1'],
    ['REINDEX SCHEMA s', 'NotInTransaction 1:1'],
    ['VACUUM FULL t', 'NotInTransaction 1:1'],
    ['CLUSTER', 'NotInTransaction 1:1'],
    ['CREATE DATABASE d', 'NotInTransaction 1:1'],
    ['DROP DATABASE d', 'NotInTransaction 1:1'],
    ['ALTER DATABASE d SET TABLESPACE s', 'NotInTransaction 1:1'],
    ["CREATE TABLESPACE s LOCATION '/s'", 'NotInTransaction 1:1'],
    ['DROP TABLESPACE s', 'NotInTransaction 1:1'],
    ['ALTER TABLE t DETACH PARTITION p CONCURRENTLY', 'NotInTransaction 1:1'],
    ["CREATE SUBSCRIPTION s CONNECTION 'host=a' PUBLICATION p", 'NotInTransaction 1:1'],
    ['DROP SUBSCRIPTION s', 'NotInTransaction 1:1'],
    ['ALTER SUBSCRIPTION s REFRESH PUBLICATION', 'NotInTransaction 1:1'],
    ['ALTER SUBSCRIPTION s SET PUBLICATION p', 'NotInTransaction 1:1'],
    ["COPY t FROM PROGRAM 'curl evil'", 'ServerAccess 1:1'],
    ["COPY (SELECT 1) TO '/tmp/a'", 'ServerAccess 1:1'],
    ["SELECT pg_read_file('/etc/passwd')", 'ServerAccess 1:1'],
    ["INSERT INTO t SELECT pg_catalog.lo_import('/etc/passwd')", 'ServerAccess 1:1'],
    ['COPY t FROM STDIN', 'CopyWithClient 1:1'],
    ['COPY t TO STDOUT', 'CopyWithClient 1:1'],
    ['ALTER SYSTEM SET work_mem = 1', 'AlterSystem 1:1'],
    ["CREATE ROLE a LOGIN PASSWORD 'secret'", 'ClearPassword 1:1'],
    ["ALTER USER a WITH ENCRYPTED PASSWORD 'secret'", 'ClearPassword 1:1'],
    ["CREATE USER MAPPING FOR a SERVER s OPTIONS (user 'a', password 'secret')", 'ClearPassword 1:1'],
    ["CREATE SUBSCRIPTION s CONNECTION 'password=a' PUBLICATION p WITH (connect = false)", 'ClearPassword 1:1'],
    ["SET search_path TO 'a'", 'SessionSetting 1:1'],
    ['RESET ALL', 'SessionSetting 1:1'],
    ['SET SESSION CHARACTERISTICS AS TRANSACTION READ ONLY', 'SessionSetting 1:1'],
    ['DISCARD TEMP', 'SessionSetting 1:1'],
    ["SELECT set_config('work_mem', '1MB', false)", 'SessionSetting 1:1'],
    ['SET ROLE admin', 'RoleChange 1:1'],
    ['SET LOCAL ROLE admin', 'RoleChange 1:1'],
    ['RESET ROLE', 'RoleChange 1:1'],
    ['SET SESSION AUTHORIZATION DEFAULT', 'RoleChange 1:1'],
    ["SELECT set_config('role', 'admin', true)", 'RoleChange 1:1'],
    ['SELECT pg_advisory_unlock_all()', 'SessionLock 1:1'],
    ['SELECT pg_try_advisory_lock(1)', 'SessionLock 1:1'],
    ['DROP SCHEMA _konverge CASCADE', 'ReservedSchema 1:1'],
    ['DELETE FROM _konverge.migration_steps', 'ReservedSchema 1:1'],
    ['SET LOCAL search_path TO _konverge', 'ReservedSchema 1:1'],
    ['CREATE TABLE a (b int); ALTER TABLE a SET SCHEMA _konverge', 'ReservedSchema 1:25'],
  ])('with %j is rejected: %s', (sql, finding) => {
    expect(told(sqlStep(sql))).toEqual([finding])
  })

  it.each([
    'CREATE TABLE t (a int); CREATE INDEX i ON t (a); INSERT INTO t VALUES (1)',
    'SET LOCAL work_mem TO 1; SET LOCAL lock_timeout TO 1; ANALYZE t',
    "SELECT set_config('work_mem', '1MB', true)",
    'SELECT pg_advisory_xact_lock(1)',
    "CREATE ROLE a PASSWORD 'SCRAM-SHA-256$4096:c2FsdA==$a:b'; ALTER ROLE a PASSWORD NULL",
    "ALTER ROLE a SET search_path TO 'b'; ALTER DATABASE d SET work_mem TO 1",
    "ALTER TYPE mood ADD VALUE 'sad'; REINDEX TABLE t; REINDEX (CONCURRENTLY false) TABLE t; CLUSTER t",
    "CREATE SUBSCRIPTION s CONNECTION 'host=a' PUBLICATION p WITH (create_slot = false)",
    'ALTER SUBSCRIPTION s SET PUBLICATION p WITH (refresh = off)',
    "COMMENT ON TABLE t IS 'COMMIT; _konverge'; -- ROLLBACK",
    "CREATE FUNCTION f() RETURNS int LANGUAGE sql SET search_path TO '' AS 'SELECT 1'",
    'CREATE PROCEDURE p() LANGUAGE plpgsql AS $$ BEGIN COMMIT; END $$',
  ])('may contain %j', (sql) => {
    expect(look(sqlStep(sql)).findings).toEqual([])
  })

  it('appears in findings without its passwords', () => {
    const texts = look(sqlStep("ALTER ROLE a PASSWORD 'opensesame'")).findings.map(findingText)
    expect(texts).toEqual([expect.stringMatching(/^step step, sql 1:1: a password stands here/)])
    expect(texts.join()).not.toContain('opensesame')
  })
})

describe('a step outside a transaction', () => {
  const outside = { isTransactional: false, verify }

  it.each([
    ['CREATE INDEX CONCURRENTLY i ON t (a);\nSELECT 1', outside, ['MoreThanOneStatement 2:1']],
    ['CREATE INDEX CONCURRENTLY ON t (a)', outside, ['IndexNameMissing 1:1']],
    ['VACUUM t', { isTransactional: false }, ['VerifyMissing 1:1']],
    ['COMMIT', outside, ['TransactionControlInStep 1:1']],
    ['SET ROLE a', outside, ['RoleChange 1:1']],
    ['CREATE INDEX CONCURRENTLY i ON t (a)', outside, []],
    ['CALL backfill()', outside, []],
    ['DO $$ BEGIN COMMIT; END $$', outside, []],
  ] as const)('with %j', (sql, changes, findings) => {
    expect(told(sqlStep(sql, changes))).toEqual(findings)
  })
})

describe('code inside a step', () => {
  it('is reviewed when it is a literal, and reported as unreviewed when it is built at run time', () => {
    const sql = `CREATE TABLE t (a int);
DO $code$
DECLARE
  one int := pg_try_advisory_lock(1)::int;
BEGIN
  ALTER SYSTEM SET work_mem = 1;
  IF one > 2 THEN
    COMMIT;
  END IF;
  PERFORM set_config('work_mem', '1', false);
  EXECUTE 'DROP TABLE t';
  FOR one IN DELETE FROM _konverge.migration_steps RETURNING 1 LOOP NULL; END LOOP;
EXCEPTION WHEN others THEN
  COPY t FROM PROGRAM 'x';
END $code$`
    const { findings, blindSpots } = look(sqlStep(sql))
    expect(findings.map(({ code, place }) => `${code} ${place.line}:${place.column}`).toSorted()).toEqual([
      'AlterSystem 6:3',
      'ReservedSchema 12:3',
      'ServerAccess 14:3',
      'SessionLock 4:3',
      'SessionSetting 10:3',
      'TransactionControlInStep 8:5',
    ])
    expect(blindSpots.map(findingText)).toEqual([
      'step step, sql 11:3: SQL that is built and executed is not looked into',
    ])
  })

  it.each([
    ["CREATE FUNCTION f() RETURNS void LANGUAGE sql AS $$ COPY t TO '/tmp/x' $$", ['ServerAccess 1:1']],
    [
      "CREATE FUNCTION f() RETURNS void LANGUAGE plpgsql AS $$\nBEGIN\n  SET work_mem = 1;\n  COPY t TO '/tmp/x';\nEND $$",
      ['ServerAccess 4:3'],
    ],
    [
      'CREATE FUNCTION f() RETURNS int BEGIN ATOMIC DELETE FROM _konverge.migration_steps; SELECT 1; END',
      ['ReservedSchema 1:1'],
    ],
    ['DO $$ BEGIN selec 1; END $$', ['ParseError 1:1']],
    ['DO LANGUAGE plpgsql $$ BEGIN COMMIT; END $$', ['TransactionControlInStep 1:1']],
  ])('%j', (sql, findings) => {
    expect(told(sqlStep(sql))).toEqual(findings)
  })

  it.each([
    ['CREATE FUNCTION f() RETURNS int LANGUAGE plpython3u AS $$ import os $$', 'code in plpython3u is not looked into'],
    [
      'CREATE PROCEDURE p() LANGUAGE plpgsql AS $$ BEGIN RETURN QUERY SELECT 1; END $$',
      'cannot use RETURN QUERY in a non-SETOF function, in the body',
    ],
  ])('that cannot be parsed rejects nothing: %j', (sql, message) => {
    expect(look(sqlStep(sql))).toMatchObject({ findings: [], blindSpots: [{ message }] })
  })
})

describe('the verification and compensation of a step', () => {
  it.each([
    ['DELETE FROM t RETURNING 1', ['VerifyNotAQuery 1:1']],
    ['SELECT 1; SELECT 2', ['VerifyNotAQuery 1:1']],
    ['SELECT 1 INTO t', ['VerifyNotAQuery 1:1']],
    ['SELECT', []],
    ['VALUES (1)', []],
    ["SELECT pg_read_file('a')", ['ServerAccess 1:1']],
    ['SELECT FROM', ['ParseError 1:12']],
  ])('with %j', (sql, findings) => {
    expect(told(assertStep(sql))).toEqual(findings)
    expect(look(sqlStep('SELECT 1', { verify: { sql, expect: '1' } })).findings.map(({ place }) => place.part)).toEqual(
      findings.map(() => 'verify'),
    )
  })

  it('needs a query for each step when the migration requires it', () => {
    const steps = [sqlStep('SELECT 1', { name: 'bare' }), sqlStep('SELECT 1', { verify }), copyStep(['t'])]
    const { findings } = review(steps, { requiresVerify: true })
    expect(findings).toMatchObject([{ code: 'VerifyMissing', place: { step: 'bare', part: 'sql' } }])
  })

  it('applies the same rules to the compensation', () => {
    expect(look(sqlStep('SELECT 1', { down: 'SELECT 1;\nCOMMIT' })).findings).toMatchObject([
      { code: 'TransactionControlInStep', place: { part: 'down', line: 2, column: 1 } },
    ])
  })
})
