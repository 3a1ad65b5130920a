// Connection to a server as its Secrets describe it, and every defect of these Secrets.
import { describe, expect, it } from 'vitest'
import {
  connectionSecrets,
  connectionSource,
  serverConnection,
} from '../../../src/controllers/database/server-connection.ts'
import type { LiveObject } from '../../../src/index.ts'
import { access, databaseObject, inCluster, secret, uid } from './databases.ts'
import { rdsProvider } from './rds/instances.ts'

const values = { host: 'db.example', port: '5432', username: 'op', password: 'admin-password' }
const pem = '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----'
const plain = {
  connectionSecretRef: { name: 'server' },
  maintenanceDatabase: 'postgres',
  sslMode: 'verify-full',
} as const
const withCa = { ...plain, caSecretRef: { name: 'trust', key: 'root.pem' } }

function connectionOf(server: typeof plain | typeof withCa, ...found: readonly LiveObject[]) {
  const source = connectionSource(databaseObject({ provider: { server } }))
  const secrets = new Map(found.map((one) => [one.metadata.name, one]))
  return serverConnection({ source, secrets, service: undefined, policy: {} })
}

describe('an existing server', () => {
  it('is reached with the values of its Secret', () => {
    expect(connectionOf(plain, secret('server', values))).toEqual({ kind: 'known', access })
    const other = { ...plain, maintenanceDatabase: 'defaultdb', sslMode: 'require' } as const
    expect(connectionOf(other as never, secret('server', values))).toMatchObject({
      access: { maintenanceDatabase: 'defaultdb', tls: 'require' },
    })
  })

  it('is verified with the given certificates, those of their own Secret first', () => {
    const own = secret('server', { ...values, 'ca.crt': pem })
    expect(connectionOf(plain, own)).toMatchObject({ access: { ca: pem } })
    const trust = secret('trust', { 'root.pem': `${pem}\n` })
    expect(connectionOf(withCa, own, trust)).toMatchObject({ access: { ca: pem } })
  })

  it('has values without trailing line breaks', () => {
    const broken = Object.fromEntries(Object.entries(values).map(([key, value]) => [key, `${value}\r\n`]))
    expect(connectionOf(plain, secret('server', broken))).toEqual({ kind: 'known', access })
  })

  it.each([
    ['SecretNotFound', 'Secret server, which says how the server is reached, is missing', plain, []],
    [
      'SecretIncomplete',
      'Secret server has no port, password; it needs host, port, username, password',
      plain,
      [secret('server', { host: 'db.example', username: 'op', password: '' })],
    ],
    [
      'InvalidLogin',
      'username of the server in Secret server holds a NUL character',
      plain,
      [secret('server', { ...values, username: 'op\0options\0-crole=chief' })],
    ],
    [
      'InvalidHost',
      'host in Secret server is not the name or address of one server',
      plain,
      [secret('server', { ...values, host: 'a.example,b.example' })],
    ],
    [
      'InvalidHost',
      'host in Secret server is not the name or address of one server',
      plain,
      [secret('server', { ...values, host: '/run/postgresql' })],
    ],
    [
      'InvalidHost',
      'host in Secret server is not the name or address of one server',
      plain,
      [secret('server', { ...values, host: 'a'.repeat(254) })],
    ],
    ...['0', '65536', 'http', '54 32', '-1'].map(
      (port) =>
        [
          'InvalidPort',
          'port in Secret server is not a number from 1 to 65535',
          plain,
          [secret('server', { ...values, port })],
        ] as const,
    ),
    [
      'InvalidCertificate',
      'ca.crt in Secret server is not a certificate in PEM',
      plain,
      [secret('server', { ...values, 'ca.crt': 'MIIB' })],
    ],
    [
      'SecretNotFound',
      'Secret trust, which says what certificates are trusted, is missing',
      withCa,
      [secret('server', values)],
    ],
    [
      'SecretIncomplete',
      'Secret trust has no root.pem',
      withCa,
      [secret('server', values), secret('trust', { 'ca.crt': pem })],
    ],
  ] as const)('has no connection: %s: %s', (reason, message, server, found) => {
    expect(connectionOf(server, ...found)).toEqual({ kind: 'unknown', reason, message })
  })

  it('names its Secrets, each once', () => {
    expect(connectionSecrets(connectionSource(databaseObject({ provider: { server: withCa } })))).toEqual([
      'server',
      'trust',
    ])
    const same = { ...plain, caSecretRef: { name: 'server', key: 'ca' } }
    expect(connectionSecrets(connectionSource(databaseObject({ provider: { server: same } })))).toEqual(['server'])
    expect(connectionSecrets(undefined)).toEqual([])
  })
})

describe('an in-cluster server', () => {
  const source = connectionSource(databaseObject({ provider: inCluster, version: '18' }))
  const host = 'shop-db-postgres.shop.svc'
  const admin = secret('shop-db-postgres-admin', { ...values, host, 'ca.crt': pem })
  const secrets = new Map([[admin.metadata.name, admin]])
  const owner = { apiVersion: 'data.konverge.dev/v1alpha1', kind: 'Database', name: 'shop-db', uid, controller: true }
  const place = { name: 'shop-db-postgres', namespace: 'shop', uid: 'u', resourceVersion: '1' }
  const metadata = { ...place, ownerReferences: [owner] }
  const service: LiveObject = { apiVersion: 'v1', kind: 'Service', metadata }

  it('is absent before its Secret and its Service exist', () => {
    const notMade = { kind: 'unknown', reason: 'ServerNotMade', message: 'the server is not there yet' }
    expect(serverConnection({ source, secrets: new Map(), service, policy: {} })).toEqual(notMade)
    expect(serverConnection({ source, secrets, service: undefined, policy: {} })).toEqual(notMade)
  })

  it.each<[string, Partial<LiveObject> & Record<string, unknown>]>([
    ['nobody’s', { metadata: place }],
    ['another Database’s', { metadata: { ...place, ownerReferences: [{ ...owner, uid: 'other' }] } }],
    ['owned and not controlled', { metadata: { ...place, ownerReferences: [{ ...owner, controller: false }] } }],
    ['another name of some host', { spec: { type: 'ExternalName', externalName: 'db.attacker.example' } }],
  ])('is not dialled by a Service of its name that is %s', (_, changes) => {
    const bent = { ...service, ...changes }
    const notMade = { kind: 'unknown', reason: 'ServerNotMade', message: 'the server is not there yet' }
    expect(serverConnection({ source, secrets, service: bent, policy: {} })).toEqual(notMade)
    expect(serverConnection({ source, secrets, service, sideService: bent, policy: {} })).toEqual(notMade)
  })

  it('is reached by its Service, and presents a certificate for that name', () => {
    const connection = serverConnection({ source, secrets, service, policy: {} })
    expect(connection).toEqual({ kind: 'known', access: { ...access, host, ca: pem } })
  })

  it("is dialled at the node's local address under the same name when the operator is configured so", () => {
    const annotations = { 'konverge.dev/local-address': '127.51.0.1' }
    const local = { ...service, metadata: { ...metadata, annotations } }
    const dial = { host: '127.51.0.1', port: 5432 }
    const told = { source, secrets, service: local, policy: { dialsLocalAddresses: true } }
    expect(serverConnection(told)).toMatchObject({ access: { host, dial, ca: pem } })
    expect(serverConnection({ ...told, policy: {} })).toEqual({ kind: 'known', access: { ...access, host, ca: pem } })
    // The same holds for the one server of an upgrade that serves.
    const side = { ...local, metadata: { ...local.metadata, name: 'shop-db-postgres-18' } }
    expect(serverConnection({ ...told, service, sideService: side, policy: {} })).toMatchObject({
      access: { dial: { host: 'shop-db-postgres-18.shop.svc', port: 5432 } },
    })
  })
})

describe('an instance of RDS', () => {
  const rds = rdsProvider({ sslMode: 'verify-full', caSecretRef: { name: 'rds-ca', key: 'ca.crt' } })
  const source = connectionSource(databaseObject({ provider: { rds }, version: '18' }))
  const { host: _, port: __, ...unserved } = values
  const authority = secret('rds-ca', { 'ca.crt': pem })
  const connectionOver = (admin: Readonly<Record<string, string>>) => {
    const found = [secret('shop-db-postgres-admin', admin), authority]
    const secrets = new Map(found.map((one) => [one.metadata.name, one]))
    return serverConnection({ source, secrets, service: undefined, policy: {} })
  }

  it('is absent before its Secret has an address', () => {
    const notMade = { kind: 'unknown', reason: 'ServerNotMade', message: 'the server is not there yet' }
    expect(serverConnection({ source, secrets: new Map(), service: undefined, policy: {} })).toEqual(notMade)
    expect(connectionOver(unserved)).toEqual(notMade)
  })

  it('is reached with the values of its Secret, and verified with the AWS certificates', () => {
    expect(connectionOver(values)).toEqual({ kind: 'known', access: { ...access, ca: pem } })
    expect(connectionSecrets(source)).toEqual(['shop-db-postgres-admin', 'rds-ca'])
  })
})
