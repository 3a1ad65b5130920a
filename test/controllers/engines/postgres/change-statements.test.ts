import { describe, expect, it } from 'vitest'
import type { Change } from '../../../../src/controllers/engines/change.ts'
import { changeStatements } from '../../../../src/controllers/engines/postgres/change-statements.ts'
import { scramVerifier } from '../../../../src/controllers/engines/postgres/scram.ts'
import { phraseOf } from '../../../../src/controllers/engines/postgres/transaction-runner.ts'

const superuser = { majorVersion: 18, isSuperuser: true }
const token = { uid: 'u', generation: 1 }
const mark = `'konverge {"uid":"u","generation":1}'`
const verifier = scramVerifier({ password: 'secret', salt: Buffer.alloc(16), iterations: 2 })
const object = { role: 'r', on: 'Table', schema: 's', table: '', names: ['a', 'b"'] } as const
const beforehand = { role: 'r', creator: 'c', on: 'Sequence', privileges: ['USAGE'] } as const

/** A DO block inside a string literal. */
const expectation = (identity: string) => `DO 'BEGIN
    PERFORM FROM pg_catalog.pg_authid r WHERE r.rolname = ''r'' AND ${identity} FOR SHARE;
    IF NOT FOUND THEN
      RAISE EXCEPTION USING ERRCODE = ''undefined_object'', MESSAGE = ''another role than before, or none, is called "r"'';
    END IF;
  END'`

describe('a change', () => {
  it.each<readonly [Change, readonly string[], string]>([
    [
      { kind: 'createRole', role: 'a"b', token, attributes: { canLogin: true, inherits: false, verifier } },
      [`CREATE ROLE "a""b" LOGIN NOINHERIT PASSWORD '${verifier}'`, `COMMENT ON ROLE "a""b" IS ${mark}`],
      'create role "a\\"b"',
    ],
    [
      {
        kind: 'alterRole',
        role: 'r',
        attributes: { connectionLimit: -1, validUntil: null, verifier: null, canReplicate: false },
      },
      [`ALTER ROLE "r" NOREPLICATION CONNECTION LIMIT -1 VALID UNTIL 'infinity' PASSWORD NULL`],
      'alter role "r"',
    ],
    [{ kind: 'alterRole', role: 'r', attributes: {} }, [], 'alter role "r"'],
    [{ kind: 'renameRole', role: 'r', to: 's' }, ['ALTER ROLE "r" RENAME TO "s"'], 'rename role "r"'],
    [{ kind: 'joinRole', role: 'r' }, [], 'join role "r"'],
    [
      { kind: 'expectRole', role: 'r', is: { oid: 5, canLogin: true } },
      [expectation('r.oid = 5 AND r.rolcanlogin = true')],
      'expect role "r"',
    ],
    [
      { kind: 'expectRole', role: 'r', is: { verifier } },
      [expectation(`r.rolpassword = ''${verifier}''`)],
      'expect role "r"',
    ],
    [
      { kind: 'setRoleSetting', role: 'r', database: 'd', name: 'search_path', value: 'a, b' },
      [`SET LOCAL ROLE "r"; ALTER ROLE "r" IN DATABASE "d" SET "search_path" TO 'a', 'b'; SET LOCAL ROLE NONE`],
      'set role setting "r"',
    ],
    [
      { kind: 'setRoleSetting', role: 'r', database: undefined, name: 'app.tenant', value: 'a' },
      [
        `SET LOCAL ROLE "r"; SET LOCAL "app"."tenant" TO 'a'; SET LOCAL ROLE NONE; ALTER ROLE "r" SET "app"."tenant" TO 'a'`,
      ],
      'set role setting "r"',
    ],
    [
      { kind: 'createExtension', extension: "cit'ext", version: '1.6' },
      [expect.stringMatching(/^DO 'DECLARE.*e\.extname = ''cit''''ext''\).*v\.version = ''1\.6''.*END'$/s)],
      'create extension "cit\'ext"',
    ],
    [{ kind: 'dropSchema', schema: 's' }, ['DROP SCHEMA IF EXISTS "s"'], 'drop schema "s"'],
    [{ kind: 'renameDatabase', database: 'd', to: 'e' }, ['ALTER DATABASE "d" RENAME TO "e"'], 'rename database "d"'],
    [
      { kind: 'createReplicator', role: 'r', database: 'd', token, verifier },
      [
        `CREATE ROLE "r" LOGIN REPLICATION BYPASSRLS CONNECTION LIMIT 10 PASSWORD '${verifier}'`,
        `COMMENT ON ROLE "r" IS ${mark}`,
        'GRANT CONNECT ON DATABASE "d" TO "r"',
        'GRANT pg_read_all_data TO "r"',
      ],
      'create replicator "r"',
    ],
    [
      { kind: 'dropReplicator', role: 'r', database: 'd' },
      ['REVOKE CONNECT ON DATABASE "d" FROM "r"', 'DROP ROLE "r"'],
      'drop replicator "r"',
    ],
    [
      { kind: 'createPublication', publication: 'p', tables: [{ schema: 's', name: 't"' }], token },
      ['CREATE PUBLICATION "p" FOR TABLE ONLY "s"."t"""', `COMMENT ON PUBLICATION "p" IS ${mark}`],
      'create publication "p"',
    ],
    [
      { kind: 'createPublication', publication: 'p', tables: [], token },
      ['CREATE PUBLICATION "p"', `COMMENT ON PUBLICATION "p" IS ${mark}`],
      'create publication "p"',
    ],
    [{ kind: 'dropPublication', publication: 'p' }, ['DROP PUBLICATION IF EXISTS "p"'], 'drop publication "p"'],
    [
      { kind: 'redirectSubscription', subscription: 's', connection: "host='there'" },
      [`ALTER SUBSCRIPTION "s" CONNECTION 'host=''there'''`],
      'redirect subscription "s"',
    ],
    [
      { kind: 'dropSubscription', subscription: 's' },
      [
        'ALTER SUBSCRIPTION "s" DISABLE',
        'ALTER SUBSCRIPTION "s" SET (slot_name = NONE)',
        `ALTER SUBSCRIPTION "s" CONNECTION 'host=''/nonexistent'' password=''none'' connect_timeout=''2'''`,
        'DROP SUBSCRIPTION "s"',
      ],
      'drop subscription "s"',
    ],
    [
      { kind: 'grant', ...object, privileges: ['SELECT', 'INSERT'] },
      ['GRANT SELECT, INSERT ON TABLE "s"."a", "s"."b""" TO "r"'],
      'grant "r"',
    ],
    [
      { kind: 'revokeOption', ...object, on: 'Column', table: 't', privileges: ['SELECT', 'UPDATE'] },
      ['REVOKE GRANT OPTION FOR SELECT ("a", "b"""), UPDATE ("a", "b""") ON TABLE "s"."t" FROM "r" CASCADE'],
      'revoke option "r"',
    ],
    [
      { kind: 'grantDefault', ...beforehand, schema: 's' },
      ['ALTER DEFAULT PRIVILEGES FOR ROLE "c" IN SCHEMA "s" GRANT USAGE ON SEQUENCES TO "r"'],
      'grant default "r"',
    ],
    [
      { kind: 'revokeDefault', ...beforehand, schema: '' },
      ['ALTER DEFAULT PRIVILEGES FOR ROLE "c" REVOKE USAGE ON SEQUENCES FROM "r"'],
      'revoke default "r"',
    ],
  ])('%j is %j', (change, statements, phrase) => {
    expect(changeStatements(change, superuser)).toEqual(statements)
    expect(phraseOf(change)).toBe(phrase)
  })

  it.each([
    [15, true, []],
    [15, false, ['GRANT "r" TO CURRENT_USER']],
    [16, false, ['GRANT "r" TO CURRENT_USER WITH INHERIT TRUE, SET TRUE']],
  ])('makes an admin a member on PostgreSQL %i, superuser: %s', (majorVersion, isSuperuser, statements) => {
    expect(changeStatements({ kind: 'joinRole', role: 'r' }, { majorVersion, isSuperuser })).toEqual(statements)
  })

  it('sets the membership options that the version has', () => {
    const change: Change = {
      kind: 'grantMembership',
      role: 'r',
      member: 'm',
      isAdmin: true,
      inherits: false,
      canSet: true,
    }
    const grantors: Change = { kind: 'revokeMembership', role: 'r', member: 'm', grantors: ['x', 'y'] }
    expect(changeStatements(change, { majorVersion: 15, isSuperuser: true })).toEqual([
      'GRANT "r" TO "m" WITH ADMIN OPTION',
    ])
    expect(changeStatements(change, superuser)).toEqual(['GRANT "r" TO "m" WITH ADMIN TRUE, INHERIT FALSE, SET TRUE'])
    expect(changeStatements(grantors, { majorVersion: 15, isSuperuser: true })).toEqual(['REVOKE "r" FROM "m"'])
    expect(changeStatements(grantors, superuser)).toEqual([
      'REVOKE "r" FROM "m" GRANTED BY "x"',
      'REVOKE "r" FROM "m" GRANTED BY "y"',
    ])
  })

  it('becomes several statements when it has many objects', () => {
    const names = Array.from({ length: 1_001 }, (_, at) => `t${at}`)
    const statements = changeStatements({ kind: 'revoke', ...object, names, privileges: ['SELECT'] }, superuser)
    expect(statements).toHaveLength(3)
    expect(statements[2]).toBe('REVOKE SELECT ON TABLE "s"."t1000" FROM "r" CASCADE')
  })

  it('that would send a clear password is rejected, without the password in the error', () => {
    const attempt = () =>
      changeStatements({ kind: 'alterRole', role: 'r', attributes: { verifier: 'clear-needle' } }, superuser)
    expect(attempt).toThrow('no SCRAM verifier')
    expect(attempt).not.toThrow('needle')
  })

  it('with an unknown privilege is rejected', () => {
    for (const privilege of ['ALL', 'select', 'USAGE', 'SELECT TO evil; --']) {
      expect(() => changeStatements({ kind: 'grant', ...object, privileges: [privilege] }, superuser)).toThrow(
        'none of',
      )
    }
  })
})
