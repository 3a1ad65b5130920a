// How is the server of a Database reached, and as whom? Read from the objects that say it, here for everybody who speaks to that
// server; or what is wrong with them, in words that hold no value of a Secret (I11). Pure.
import { databasePort, databaseServerNames } from '../../../constructs/index.ts'
import type { DatabaseSpec, DatabaseStatus } from '../../../imports/wire/database.ts'
import type { LiveObject } from '../../index.ts'
import type { ServerAccess, TlsMode } from '../engines/server-access.ts'
import { secretText } from './secret-text.ts'

export type ServerConnection =
  | { readonly kind: 'known'; readonly access: ServerAccess }
  | { readonly kind: 'unknown'; readonly reason: ConnectionProblem; readonly message: string }

export type ConnectionProblem =
  | 'SecretNotFound'
  /** The message names the key. */
  | 'SecretIncomplete'
  | 'InvalidHost'
  | 'InvalidPort'
  | 'InvalidCertificate'
  /** The server that is made for this Database is not there yet. */
  | 'ServerNotMade'

export type DatabaseObject = LiveObject<DatabaseSpec, DatabaseStatus> & { readonly spec: DatabaseSpec }

/** Where it is said, all in the Database's own namespace. */
export interface ConnectionSource {
  /** The Secret with host, port, username and password, and perhaps ca.crt. */
  readonly secret: string
  readonly caSecret: { readonly name: string; readonly key: string } | undefined
  /** The Service that may have an address on this machine. */
  readonly service: string | undefined
  readonly maintenanceDatabase: string
  readonly tls: TlsMode
  /** The server is made for this Database, and its Secret with it: what is missing is not there yet, and nobody's mistake. */
  readonly isOurs: boolean
}

/** Undefined for a provider that this version does not know. */
export function connectionSource({ metadata, spec }: DatabaseObject): ConnectionSource | undefined {
  const { server, inCluster, rds } = spec.provider
  if (server !== undefined) {
    const { connectionSecretRef, caSecretRef, maintenanceDatabase, sslMode: tls } = server
    const given = { caSecret: caSecretRef, service: undefined, maintenanceDatabase, tls, isOurs: false }
    return { secret: connectionSecretRef.name, ...given }
  }
  const { adminSecret, clientService: service } = databaseServerNames(metadata.name)
  const own = { secret: adminSecret, maintenanceDatabase: 'postgres', isOurs: true }
  if (inCluster !== undefined) return { ...own, caSecret: undefined, service, tls: 'verify-full' }
  if (rds !== undefined) return { ...own, caSecret: rds.caSecretRef, service: undefined, tls: rds.sslMode }
  return undefined
}

/** The Secrets that it is read from, each once. */
export function connectionSecrets(source: ConnectionSource | undefined): readonly string[] {
  if (source === undefined) return []
  return [...new Set([source.secret, ...(source.caSecret === undefined ? [] : [source.caSecret.name])])]
}

export interface ConnectionInput {
  readonly source: ConnectionSource | undefined
  /** Of `connectionSecrets`, those that are there, by name. */
  readonly secrets: ReadonlyMap<string, LiveObject>
  readonly service: LiveObject | undefined
}

export function serverConnection({ source, secrets, service }: ConnectionInput): ServerConnection {
  if (source === undefined || !isMade(source, { secrets, service })) {
    return unknown('ServerNotMade', 'the server is not there yet')
  }
  const { secret: name, maintenanceDatabase, tls } = source
  const secret = secrets.get(name)
  if (secret === undefined)
    return unknown('SecretNotFound', `Secret ${name}, which says how the server is reached, is missing`)
  const [host, port, username, password] = connectionKeys.map((key) => textOf(secret, key))
  if (host === undefined || port === undefined || username === undefined || password === undefined) {
    const missing = connectionKeys.filter((key) => textOf(secret, key) === undefined)
    return unknown(
      'SecretIncomplete',
      `Secret ${name} has no ${missing.join(', ')}; it needs ${connectionKeys.join(', ')}`,
    )
  }
  if (!hostPattern.test(host)) {
    return unknown('InvalidHost', `host in Secret ${name} is not the name or address of one server`)
  }
  if (!/^\d{1,5}$/.test(port) || Number(port) < 1 || Number(port) > 65_535) {
    return unknown('InvalidPort', `port in Secret ${name} is not a number from 1 to 65535`)
  }
  const trust = trustOf(source, secret, secrets)
  if (trust.kind === 'unknown') return trust
  const dialled = service?.metadata.annotations?.[localAddress]
  return {
    kind: 'known',
    access: {
      host,
      port: Number(port),
      ...(dialled === undefined ? {} : { dial: { host: dialled, port: databasePort } }),
      username,
      password,
      maintenanceDatabase,
      tls,
      ...(trust.pem === undefined ? {} : { ca: trust.pem }),
    },
  }
}

function isMade(source: ConnectionSource, { secrets, service }: Omit<ConnectionInput, 'source'>): boolean {
  if (!source.isOurs) return true
  const secret = secrets.get(source.secret)
  const hasService = source.service === undefined || service !== undefined
  return hasService && secret !== undefined && textOf(secret, 'host') !== undefined
}

/** Where a node on this machine says at which address a Service of its pods is dialled (docs/local-node.md). */
const localAddress = 'konverge.dev/local-address'

const connectionKeys = ['host', 'port', 'username', 'password'] as const

/** A DNS name or an IP address; neither a list of them nor a socket's path. */
const hostPattern = /^[A-Za-z0-9_.:%-]+$/

type Trust =
  | { readonly kind: 'trust'; readonly pem: string | undefined }
  | Extract<ServerConnection, { kind: 'unknown' }>

/** The certificates of a Secret of their own, which has to have them, or those that the connection's own Secret may have. */
function trustOf(
  { caSecret, secret: name }: ConnectionSource,
  own: LiveObject,
  secrets: ConnectionInput['secrets'],
): Trust {
  const place = caSecret ?? { name, key: 'ca.crt' }
  const secret = caSecret === undefined ? own : secrets.get(caSecret.name)
  if (secret === undefined) {
    return unknown('SecretNotFound', `Secret ${place.name}, which says what certificates are trusted, is missing`)
  }
  const pem = textOf(secret, place.key)
  if (pem === undefined && caSecret !== undefined) {
    return unknown('SecretIncomplete', `Secret ${place.name} has no ${place.key}`)
  }
  if (pem === undefined || pem.includes('-----BEGIN CERTIFICATE-----')) return { kind: 'trust', pem }
  return unknown('InvalidCertificate', `${place.key} in Secret ${place.name} is not a certificate in PEM`)
}

function unknown(reason: ConnectionProblem, message: string): Extract<ServerConnection, { kind: 'unknown' }> {
  return { kind: 'unknown', reason, message }
}

/** Undefined where it is empty. Editors and `echo` leave line breaks at the end, which none of these values can have. */
function textOf(secret: LiveObject, key: string): string | undefined {
  const text = secretText(secret, key)?.replace(/[\r\n]+$/, '')
  return text === '' ? undefined : text
}
