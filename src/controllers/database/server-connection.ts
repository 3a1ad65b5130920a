// Connection to a Database's server: its address and credentials, for all code that uses the server. If the connection
// is unknown, it is a problem whose message has no value of a Secret (I11). Pure.
import { databasePort, databaseServerNames, databaseSideService } from '../../../constructs/index.ts'
import type { DatabaseSpec, DatabaseStatus } from '../../../imports/wire/database.ts'
import { type LiveObject, valueAt } from '../../index.ts'
import type { ServerAccess, TlsMode } from '../engines/server-access.ts'
import {
  endpointRejection,
  type ReferencePolicy,
  type Rejection,
  secretRejection,
} from '../references/reference-policy.ts'
import { secretText, withoutLineEnd } from './secret-text.ts'

export type ServerConnection =
  | {
      readonly kind: 'known'
      readonly access: ServerAccess
      /** See ReferencePolicy; absent: false. */
      readonly dialsLocalAddresses?: true
    }
  | { readonly kind: 'unknown'; readonly reason: ConnectionProblem; readonly message: string }

export type ConnectionProblem =
  | 'SecretNotFound'
  /** The message names the key. */
  | 'SecretIncomplete'
  | 'InvalidHost'
  | 'InvalidPort'
  /** A NUL would end the text in the protocol, and the rest would be a parameter of the session. */
  | 'InvalidLogin'
  | 'InvalidCertificate'
  | Rejection['reason']
  /** The Database's own server does not exist yet. */
  | 'ServerNotMade'

export type DatabaseObject = LiveObject<DatabaseSpec, DatabaseStatus> & { readonly spec: DatabaseSpec }

/** Objects that describe the connection, all in the Database's own namespace. */
export interface ConnectionSource {
  /** Secret with host, port, username, password, and optionally ca.crt. */
  readonly secret: string
  readonly caSecret: { readonly name: string; readonly key: string } | undefined
  /** Service that may have an address on this machine. */
  readonly service: string | undefined
  /** Service of the serving server only, if there are or were two. The clients' Service changes its target. */
  readonly sideService: string | undefined
  readonly maintenanceDatabase: string
  readonly tls: TlsMode
  /** The operator creates the server and its Secret, so a missing object is not a user's error. */
  readonly isOurs: boolean
  /** UID of the Database, whose children the Services are. */
  readonly uid: string
}

/** Returns undefined for a provider that this version does not know. */
export function connectionSource({ metadata, spec, status }: DatabaseObject): ConnectionSource | undefined {
  const { server, inCluster, rds } = spec.provider
  if (server !== undefined) {
    const { connectionSecretRef, caSecretRef, maintenanceDatabase, sslMode: tls } = server
    const nowhere = { service: undefined, sideService: undefined }
    const given = { caSecret: caSecretRef, ...nowhere, maintenanceDatabase, tls, isOurs: false, uid: metadata.uid }
    return { secret: connectionSecretRef.name, ...given }
  }
  const { adminSecret, clientService: service } = databaseServerNames(metadata.name)
  const own = { secret: adminSecret, maintenanceDatabase: 'postgres', isOurs: true, uid: metadata.uid }
  if (inCluster !== undefined) {
    const sideService = sideServiceOf(metadata.name, status)
    return { ...own, caSecret: undefined, service, sideService, tls: 'verify-full' }
  }
  if (rds !== undefined) {
    return { ...own, caSecret: rds.caSecretRef, service: undefined, sideService: undefined, tls: rds.sslMode }
  }
  return undefined
}

function sideServiceOf(name: string, status: DatabaseStatus | undefined): string | undefined {
  const { server } = status ?? {}
  if (server === undefined) return undefined
  const isFirst = server.name === databaseServerNames(name).statefulSet
  const state = status?.upgrade?.state ?? 'Completed'
  const isAlone = state === 'Completed' || state === 'Compensated'
  return isFirst && isAlone ? undefined : databaseSideService(name, server.version)
}

/** Returns the names of the Secrets that the connection is read from, each once. */
export function connectionSecrets(source: ConnectionSource | undefined): readonly string[] {
  if (source === undefined) return []
  return [...new Set([source.secret, ...(source.caSecret === undefined ? [] : [source.caSecret.name])])]
}

export interface ConnectionInput {
  readonly source: ConnectionSource | undefined
  /** Existing Secrets of `connectionSecrets`, by name. */
  readonly secrets: ReadonlyMap<string, LiveObject>
  readonly service: LiveObject | undefined
  readonly sideService?: LiveObject | undefined
  readonly policy: ReferencePolicy
}

export function serverConnection({ source, secrets, service, sideService, policy }: ConnectionInput): ServerConnection {
  if (source === undefined || !isMade(source, { secrets, service, sideService })) {
    return unknown('ServerNotMade', 'the server is not there yet')
  }
  const { secret: name, maintenanceDatabase, tls } = source
  const secret = secrets.get(name)
  if (secret === undefined)
    return unknown('SecretNotFound', `Secret ${name}, which says how the server is reached, is missing`)
  const rejection = rejectionOf(source, { secrets, policy })
  if (rejection !== undefined) return unknown(rejection.reason, rejection.message)
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
  const elsewhere = source.isOurs ? undefined : endpointRejection(host, policy)
  if (elsewhere !== undefined) return unknown(elsewhere.reason, elsewhere.message)
  const texts = { username, password, maintenanceDatabase }
  const cut = Object.entries(texts).find(([, text]) => text.includes('\0'))
  if (cut !== undefined)
    return unknown('InvalidLogin', `${cut[0]} of the server in Secret ${name} holds a NUL character`)
  const trust = trustOf(source, secret, secrets)
  if (trust.kind === 'unknown') return trust
  const { dialsLocalAddresses = false } = policy
  const dial = dialOf({ service, sideService, dialsLocalAddresses })
  return {
    kind: 'known',
    ...(dialsLocalAddresses ? { dialsLocalAddresses } : {}),
    access: {
      host,
      port: Number(port),
      ...(dial === undefined ? {} : { dial }),
      username,
      password,
      maintenanceDatabase,
      tls,
      ...(trust.pem === undefined ? {} : { ca: trust.pem }),
    },
  }
}

/** Checks the Secrets that a spec names. Secrets that the operator created for this Database are exempt. */
function rejectionOf(
  { secret, caSecret, isOurs }: ConnectionSource,
  { secrets, policy }: Pick<ConnectionInput, 'secrets' | 'policy'>,
): Rejection | undefined {
  for (const name of [...(isOurs ? [] : [secret]), ...(caSecret === undefined ? [] : [caSecret.name])]) {
    const found = secrets.get(name)
    const rejection = found && secretRejection(found, 'Database', policy)
    if (rejection !== undefined) return rejection
  }
  return undefined
}

function isMade(
  source: ConnectionSource,
  { secrets, service, sideService }: Pick<ConnectionInput, 'secrets' | 'service' | 'sideService'>,
): boolean {
  if (!source.isOurs) return true
  const secret = secrets.get(source.secret)
  const hasService = source.service === undefined || (service !== undefined && isOwnService(service, source.uid))
  const hasSide = sideService === undefined || isOwnService(sideService, source.uid)
  return hasService && hasSide && secret !== undefined && textOf(secret, 'host') !== undefined
}

/**
 * Returns whether the Service is a child of the Database and selects pods. Another Service with its name leads wherever
 * its author wants.
 */
function isOwnService(service: LiveObject, uid: string): boolean {
  const { ownerReferences = [] } = service.metadata
  return leadsToPods(service) && ownerReferences.some((owner) => owner.controller === true && owner.uid === uid)
}

/** Returns whether the Service selects pods. One of type ExternalName is an alias of any host. */
export function leadsToPods(service: LiveObject): boolean {
  return valueAt(service, 'spec', 'type') !== 'ExternalName'
}

/**
 * Returns the address of one server; undefined if the clients' host is dialled. The certificate is for the clients'
 * host in both cases.
 */
export function dialOf({
  service,
  sideService,
  dialsLocalAddresses,
}: {
  readonly service?: LiveObject | undefined
  readonly sideService: LiveObject | undefined
  readonly dialsLocalAddresses: boolean
}): ServerAccess['dial'] {
  const [client, side] = [service, sideService].map((one) => one?.metadata.annotations?.[localAddress])
  const local = dialsLocalAddresses ? (side ?? client) : undefined
  if (local !== undefined) return { host: local, port: databasePort }
  if (sideService === undefined) return undefined
  const { namespace, name } = sideService.metadata
  return { host: `${name}.${namespace}.svc`, port: databasePort }
}

/** Annotation in which a node on this machine reports the local address of a Service (docs/local-node.md). */
const localAddress = 'konverge.dev/local-address'

const connectionKeys = ['host', 'port', 'username', 'password'] as const

/**
 * A DNS name or an IP address; no list, and no path of a socket. Its length counts once per database in a user's
 * password file.
 */
const hostPattern = /^[A-Za-z0-9_.:%-]{1,253}$/

/** Limit in bytes. Each session reads all certificates in the event loop; RDS's bundle of all regions has 165 KiB. */
const longestTrust = 512 * 1024

type Trust =
  | { readonly kind: 'trust'; readonly pem: string | undefined }
  | Extract<ServerConnection, { kind: 'unknown' }>

/**
 * Returns the certificates of the CA Secret, which has to have them, or the optional ones of the connection's Secret.
 */
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
  if (pem !== undefined && pem.length > longestTrust) {
    const message = `${place.key} in Secret ${place.name} has ${pem.length} bytes; a session reads at most ${longestTrust}: leave out certificates that the server does not need`
    return unknown('InvalidCertificate', message)
  }
  if (pem === undefined || pem.includes('-----BEGIN CERTIFICATE-----')) return { kind: 'trust', pem }
  return unknown('InvalidCertificate', `${place.key} in Secret ${place.name} is not a certificate in PEM`)
}

function unknown(reason: ConnectionProblem, message: string): Extract<ServerConnection, { kind: 'unknown' }> {
  return { kind: 'unknown', reason, message }
}

/** Returns undefined if the value is empty. No value here can have a line break at its end. */
function textOf(secret: LiveObject, key: string): string | undefined {
  const text = withoutLineEnd(secretText(secret, key) ?? '')
  return text === '' ? undefined : text
}
