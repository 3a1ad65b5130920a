// How is the server of a Database reached, and as whom? Read from the objects that say it, here for everybody who speaks to that
// server; or what is wrong with them, in words that hold no value of a Secret (I11). Pure.
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
      /** As of ReferencePolicy; absent: false. */
      readonly dialsLocalAddresses?: true
    }
  | { readonly kind: 'unknown'; readonly reason: ConnectionProblem; readonly message: string }

export type ConnectionProblem =
  | 'SecretNotFound'
  /** The message names the key. */
  | 'SecretIncomplete'
  | 'InvalidHost'
  | 'InvalidPort'
  /** A NUL would end the text in the protocol, and what follows would be a parameter of the session. */
  | 'InvalidLogin'
  | 'InvalidCertificate'
  | Rejection['reason']
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
  /** The Service of the one server that serves, where there are two or have been: what the clients' address leads to changes. */
  readonly sideService: string | undefined
  readonly maintenanceDatabase: string
  readonly tls: TlsMode
  /** The server is made for this Database, and its Secret with it: what is missing is not there yet, and nobody's mistake. */
  readonly isOurs: boolean
  /** Of the Database, whose children the Services are. */
  readonly uid: string
}

/** Undefined for a provider that this version does not know. */
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

/** The Secrets that a spec names; what the operator has made for this Database is not among them. */
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

/** A child of the Database that leads to pods. Another Service of its name leads wherever its author wants. */
function isOwnService(service: LiveObject, uid: string): boolean {
  const { ownerReferences = [] } = service.metadata
  return leadsToPods(service) && ownerReferences.some((owner) => owner.controller === true && owner.uid === uid)
}

/** A Service of type ExternalName is another name of any host. */
export function leadsToPods(service: LiveObject): boolean {
  return valueAt(service, 'spec', 'type') !== 'ExternalName'
}

/** The address of one server, or undefined where the host that clients know is dialled. The certificate is of that one in either case. */
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

/** Where a node on this machine says at which address a Service of its pods is dialled (docs/local-node.md). */
const localAddress = 'konverge.dev/local-address'

const connectionKeys = ['host', 'port', 'username', 'password'] as const

/** A DNS name or an IP address; neither a list of them nor a socket's path. Its length counts for each database of a user's password file. */
const hostPattern = /^[A-Za-z0-9_.:%-]{1,253}$/

/** Bytes. Each session reads all certificates, in the event loop; the bundle of all regions of RDS has 165 KiB. */
const longestTrust = 512 * 1024

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

/** Undefined where it is empty. No value here can have a line break at its end. */
function textOf(secret: LiveObject, key: string): string | undefined {
  const text = withoutLineEnd(secretText(secret, key) ?? '')
  return text === '' ? undefined : text
}
