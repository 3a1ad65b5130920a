// What has to be said of a database server, in a cdk8s app and in a Database? Props of DatabaseServer, and the way to them from a
// spec: the same for the operator, for `konverge preview` and for samples. Passwords and certificates come in; a construct makes none.
import type {
  DatabaseSpecInput,
  DatabaseSpecProviderInClusterInput,
  DatabaseSpecProviderInClusterResources,
} from '../imports/wire/database.ts'
import type { DatabaseSide } from './database-server-names.ts'

/** The volume of the server. */
export interface DatabaseStorage {
  /**
   * A quantity, such as `10Gi`. StatefulSets cannot change it later.
   * @default '1Gi'
   */
  readonly size?: string
  /**
   * The StorageClass; the empty string means a volume that exists already.
   * @default - the cluster's default class
   */
  readonly storageClassName?: string
}

/** What the server shows to its clients, in PEM. */
export interface DatabaseCertificate {
  /** For all of `databaseHosts`. Its own authority, unless `authority` is given. */
  readonly certificate: string
  /** Of RSA or ECDSA: clients that bind their login to the certificate know no hash for Ed25519. */
  readonly privateKey: string
  /**
   * What clients check the certificate by.
   * @default - the certificate
   */
  readonly authority?: string
}

/** A server of PostgreSQL, in the terms of a Database's spec. */
export interface DatabaseServerProps {
  /** The name of the Database: a DNS-1035 label of at most 43 characters. */
  readonly name: string
  /** Where it is, for its DNS names. */
  readonly namespace: string
  /** The major version. Files of one cannot be read by another. */
  readonly version: string
  /**
   * A container image that takes what Docker's official one takes, with the user 999.
   * @default - postgres:<version>
   */
  readonly image?: string
  /** @default - 1Gi of the cluster's default class */
  readonly storage?: DatabaseStorage
  /**
   * What becomes of the volume, and of all data, when the server is deleted.
   * @default 'Retain'
   */
  readonly volumeWhenDeleted?: 'Retain' | 'Delete'
  /** @default - no requests and no limits */
  readonly resources?: DatabaseSpecProviderInClusterResources
  /**
   * Settings by name, as in postgresql.conf. A change restarts the server.
   * @default - PostgreSQL's own
   */
  readonly parameters?: Readonly<Record<string, number | string>>
  /**
   * Whether another server may follow this one's rows, as in an upgrade. A change restarts the server.
   * @default false
   */
  readonly canBeFollowed?: boolean
  /**
   * Which of two servers this is, while there are two or after there were.
   * @default - firstDatabaseSide
   */
  readonly side?: DatabaseSide
  /** The other one. */
  readonly beside?: DatabaseBeside
  /**
   * Whether the Service for clients leads to this server, or for a while to none.
   * @default true
   */
  readonly takesClients?: boolean
  /** Of the role `databaseAdmin`. It is taken at the first start of an empty volume, and never again. */
  readonly adminPassword: string
  readonly tls: DatabaseCertificate
}

/** A server that clients are not led to: one that is being filled, or that is kept for a while. */
export interface DatabaseBeside {
  readonly side: DatabaseSide
  /** @default - the image of its version */
  readonly image?: string
  /** Of its claim template. */
  readonly volumeSize: string
  readonly volumeWhenDeleted: 'Retain' | 'Delete'
  /** Else it is kept without a pod. */
  readonly isRunning: boolean
}

/** What of a server no spec says. */
export interface DatabaseServerFacts {
  readonly namespace: string
  readonly adminPassword: string
  readonly tls: DatabaseCertificate
  /** The size that the claim template has, where that is not the spec's: templates cannot change, claims can grow. */
  readonly volumeSize?: string
  /** @default 'Retain' */
  readonly volumeWhenDeleted?: 'Retain' | 'Delete'
  /** @default - firstDatabaseSide */
  readonly side?: DatabaseSide
  readonly beside?: DatabaseBeside
  /** @default true */
  readonly takesClients?: boolean
  /** The image that the server has, where that is not the spec's: of an old server beside a new one. */
  readonly image?: string
  /** @default - as the spec says */
  readonly canBeFollowed?: boolean
}

/**
 * The props for a spec with the provider `inCluster`, be it as people write it or as the server returns it: the construct's defaults
 * are the CRD's.
 *
 * @example new DatabaseServer(chart, 'server', databaseServerProps(object.metadata.name, object.spec, facts))
 * @throws {RangeError} if the spec has another provider, or no version; the CRD keeps that from happening.
 */
export function databaseServerProps(
  name: string,
  { version, provider, upgrade }: Pick<DatabaseSpecInput, 'version' | 'provider' | 'upgrade'>,
  { volumeSize, ...facts }: DatabaseServerFacts,
): DatabaseServerProps {
  const { inCluster } = provider
  if (inCluster === undefined)
    throw new RangeError(`Database ${name}: its provider is not inCluster; it has no server here`)
  if (version === undefined)
    throw new RangeError(`Database ${name}: version is needed with provider.inCluster; name one`)
  const { storage, ...same } = inCluster satisfies DatabaseSpecProviderInClusterInput
  return {
    ...same,
    ...(upgrade === undefined ? {} : { canBeFollowed: true }),
    ...facts,
    name,
    version: facts.side?.version ?? version,
    storage: { ...storage, ...(volumeSize === undefined ? {} : { size: volumeSize }) },
  }
}
