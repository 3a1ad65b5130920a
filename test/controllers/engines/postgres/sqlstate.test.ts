import { describe, expect, it } from 'vitest'
import { engineErrorOf, speaksOfServer } from '../../../../src/controllers/engines/postgres/sqlstate.ts'

const context = { attempt: 'do it on db:5432', admin: 'op' }
const fromServer = (
  code: string,
  message = 'the server’s words',
  more: { detail?: string; constraint?: string } = {},
) => engineErrorOf({ code, message, detail: more.detail, constraint: more.constraint, isFromServer: true }, context)
const fromClient = (code: string | undefined, message: string) =>
  engineErrorOf({ code, message, detail: undefined, constraint: undefined, isFromServer: false }, context)

describe('the table of errors', () => {
  it.each([
    ['57P01', 'ServerUnreachable', 'retry', undefined],
    ['57P02', 'ServerUnreachable', 'retry', undefined],
    ['57P03', 'ServerUnreachable', 'retry', undefined],
    ['08006', 'ServerUnreachable', 'retry', undefined],
    ['25006', 'ServerUnreachable', 'retry', undefined],
    ['25P04', 'StatementFailed', 'retry', undefined],
    ['53300', 'TooManyConnections', 'retry', 15_000],
    ['28P01', 'AdminAuthFailed', 'stop', 300_000],
    ['28000', 'AdminAuthFailed', 'stop', 300_000],
    ['42501', 'InsufficientPrivilege', 'stop', 600_000],
    ['42P04', 'AlreadyExists', 'retry', undefined],
    ['42710', 'AlreadyExists', 'retry', undefined],
    ['3D000', 'NotFound', 'retry', undefined],
    ['42704', 'NotFound', 'retry', undefined],
    ['55006', 'DatabaseInUse', 'retry', 10_000],
    ['55000', 'StatementFailed', 'stop', 600_000],
    ['2BP01', 'DependentObjects', 'retry', 10_000],
    ['40001', 'Contention', 'retry', undefined],
    ['40P01', 'Contention', 'retry', undefined],
    ['55P03', 'Contention', 'retry', undefined],
    ['53100', 'StorageFull', 'stop', 300_000],
    ['57014', 'StatementFailed', 'retry', undefined],
    ['XX000', 'StatementFailed', 'retry', undefined],
    ['42601', 'StatementFailed', 'stop', 600_000],
    ['22001', 'StatementFailed', 'stop', 600_000],
    ['23505', 'StatementFailed', 'stop', 600_000],
  ] as const)('maps %s to %s, %s, after %s ms', (sqlState, code, remedy, retryAfterMs) => {
    const error = fromServer(sqlState)
    expect(error).toMatchObject({ code, remedy, retryAfterMs, sqlState })
    expect(error.message).toContain(`could not do it on db:5432: ${sqlState} the server’s words`)
    expect(speaksOfServer(error)).toBe(code === 'ServerUnreachable' && sqlState !== '25006')
  })

  it.each([
    ['ECONNREFUSED', 'connect ECONNREFUSED 127.0.0.1:1', 'ServerUnreachable'],
    ['ENOTFOUND', 'getaddrinfo ENOTFOUND db', 'ServerUnreachable'],
    ['EAI_AGAIN', 'getaddrinfo EAI_AGAIN db', 'ServerUnreachable'],
    ['ETIMEDOUT', 'connect ETIMEDOUT', 'ServerUnreachable'],
    ['ECONNRESET', 'read ECONNRESET', 'ServerUnreachable'],
    [undefined, 'Connection terminated unexpectedly', 'ServerUnreachable'],
    [undefined, 'no answer within 5 s', 'ServerUnreachable'],
    [undefined, 'The server does not support SSL connections', 'TLSVerifyFailed'],
    ['DEPTH_ZERO_SELF_SIGNED_CERT', 'self-signed certificate', 'TLSVerifyFailed'],
    ['SELF_SIGNED_CERT_IN_CHAIN', 'self-signed certificate in chain', 'TLSVerifyFailed'],
    ['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'unable to verify', 'TLSVerifyFailed'],
    ['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'unable to get local issuer', 'TLSVerifyFailed'],
    ['CERT_HAS_EXPIRED', 'certificate has expired', 'TLSVerifyFailed'],
    ['ERR_TLS_CERT_ALTNAME_INVALID', 'altnames', 'TLSVerifyFailed'],
    ['EPROTO', 'write EPROTO', 'TLSVerifyFailed'],
    [undefined, 'SASL: client password must be a non-empty string', 'AdminAuthFailed'],
  ] as const)('maps %s (%s) to %s', (sign, message, code) => {
    const error = fromClient(sign, message)
    expect(error).toMatchObject({ code, remedy: code === 'ServerUnreachable' ? 'retry' : 'stop', sqlState: undefined })
    expect(speaksOfServer(error)).toBe(code === 'ServerUnreachable')
  })

  it('keeps the detail of dependents and of sessions, and no other', () => {
    const detail = 'Key (email)=(bob@example.com) is there.\nand more'
    expect(fromServer('2BP01', 'm', { detail }).message).toContain('bob@example.com) is there.; and more')
    expect(fromServer('55006', 'm', { detail }).message).toContain('bob@')
    for (const code of ['23505', '22001', '42501', '28P01', '53300', '42710', 'XX000']) {
      expect(fromServer(code, 'm', { detail }).message).not.toContain('bob')
    }
  })

  it('recognizes names and catalogs that two sessions change at once', () => {
    const duplicate = (constraint: string) => fromServer('23505', 'duplicate key', { constraint }).code
    expect(duplicate('pg_authid_rolname_index')).toBe('AlreadyExists')
    expect(duplicate('pg_database_datname_index')).toBe('AlreadyExists')
    expect(duplicate('pg_namespace_nspname_index')).toBe('Contention')
    expect(duplicate('orders_pkey')).toBe('StatementFailed')
    expect(fromServer('XX000', 'tuple concurrently updated').code).toBe('Contention')
  })

  it('retries when a server is closed temporarily, and not when it is broken', () => {
    const remedy = (message: string) => fromServer('55000', message).remedy
    expect(remedy('database "shop" is not currently accepting connections')).toBe('retry')
    expect(remedy('cannot connect to invalid database "shop"')).toBe('stop')
  })

  it.each([
    ['must be member of role "a "" b"', 'GRANT "a """" b" TO "op"'],
    ['must be able to SET ROLE "shop"', 'GRANT "shop" TO "op" WITH SET TRUE, INHERIT TRUE'],
    ['permission denied to grant role "shop"', 'GRANT "shop" TO "op" WITH ADMIN OPTION'],
    ['must have admin option on role "shop"', 'GRANT "shop" TO "op" WITH ADMIN OPTION'],
    ['permission denied to create role', 'ALTER ROLE "op" CREATEROLE'],
    ['permission denied to create database', 'ALTER ROLE "op" CREATEDB'],
    ['permission denied to create extension "x"', 'a superuser has to run CREATE EXTENSION "x"'],
    ['permission denied for schema app', 'make "op" a member of its owner'],
    ['must be owner of table orders', 'make "op" a member of its owner'],
  ])('names what is missing when the server reports %s', (message, missing) => {
    expect(fromServer('42501', message).message).toMatch(new RegExp(`; missing: ${missing}$`))
  })

  it('gives no remedy when it knows none', () => {
    expect(fromServer('42501', 'something new').message).toBe('could not do it on db:5432: 42501 something new')
  })
})
