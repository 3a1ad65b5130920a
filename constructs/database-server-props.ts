// Props of DatabaseServer, and their derivation from a spec. The operator, `konverge preview` and the samples use the
// same one. Passwords and certificates are inputs; a construct creates none.
import type {
  DatabaseSpecInput,
  DatabaseSpecProviderInClusterInput,
  DatabaseSpecProviderInClusterResources,
} from '../imports/wire/database.ts'
import type { DatabaseSide } from './database-server-names.ts'

/** Volume of the server. */
export interface DatabaseStorage {
  /**
   * A quantity, such as `10Gi`. StatefulSets cannot change it later.
   *
   * @default '1Gi'
   */
  readonly size?: string
  /**
   * StorageClass; the empty string selects an existing volume.
   *
   * @default - the cluster's default class
   */
  readonly storageClassName?: string
}

/** Server certificate, in PEM. */
export interface DatabaseCertificate {
  /** Valid for all of `databaseHosts`. Its own authority, unless `authority` is given. */
  readonly certificate: string
  /** RSA or ECDSA: clients with channel binding know no hash for Ed25519. */
  readonly privateKey: string
  /**
   * Authority by which clients verify the certificate.
   *
   * @default - the certificate
   */
  readonly authority?: string
}

/** A PostgreSQL server, in the terms of a Database's spec. */
export interface DatabaseServerProps {
  /** Name of the Database: a DNS-1035 label of at most 43 characters. */
  readonly name: string
  /** Namespace of the server, for its DNS names. */
  readonly namespace: string
  /** Major version. A server cannot read the files of another one. */
  readonly version: string
  /**
   * Container image with the interface of Docker's official one and the user 999.
   *
   * @default - postgres:<version>
   */
  readonly image?: string
  /** @default - 1Gi of the cluster's default class */
  readonly storage?: DatabaseStorage
  /**
   * Fate of the volume, and of all data, when the server is deleted.
   *
   * @default 'Retain'
   */
  readonly volumeWhenDeleted?: 'Retain' | 'Delete'
  /** @default - no requests and no limits */
  readonly resources?: DatabaseSpecProviderInClusterResources
  /**
   * Settings by name, as in postgresql.conf. A change restarts the server.
   *
   * @default - PostgreSQL's own
   */
  readonly parameters?: Readonly<Record<string, number | string>>
  /**
   * Lets another server replicate from this one, as in an upgrade. A change restarts the server.
   *
   * @default false
   */
  readonly canBeFollowed?: boolean
  /**
   * Names of this server, if the Database has or had two.
   *
   * @default - firstDatabaseSide
   */
  readonly side?: DatabaseSide
  /** The other server. */
  readonly beside?: DatabaseBeside
  /**
   * Routes the Service for clients to this server; false: temporarily to none.
   *
   * @default true
   */
  readonly takesClients?: boolean
  /** Password of the role `databaseAdmin`. The server reads it at the first start with an empty volume only. */
  readonly adminPassword: string
  readonly tls: DatabaseCertificate
}

/** A server that gets no clients: it is being filled, or is kept for a while. */
export interface DatabaseBeside {
  readonly side: DatabaseSide
  /** @default - the image of its version */
  readonly image?: string
  /** Size in its claim template. */
  readonly volumeSize: string
  readonly volumeWhenDeleted: 'Retain' | 'Delete'
  /** False: it is kept without a pod. */
  readonly isRunning: boolean
}

/** Properties of a server that the spec does not contain. */
export interface DatabaseServerFacts {
  readonly namespace: string
  readonly adminPassword: string
  readonly tls: DatabaseCertificate
  /** Size in the claim template, if it differs from the spec: templates cannot change, claims can grow. */
  readonly volumeSize?: string
  /** @default 'Retain' */
  readonly volumeWhenDeleted?: 'Retain' | 'Delete'
  /** @default - firstDatabaseSide */
  readonly side?: DatabaseSide
  readonly beside?: DatabaseBeside
  /** @default true */
  readonly takesClients?: boolean
  /** Image of the server, if it differs from the spec: of an old server beside a new one. */
  readonly image?: string
  /** @default - as the spec says */
  readonly canBeFollowed?: boolean
}

/**
 * Returns the props for a spec with the provider `inCluster`, as people write it or as the API server returns it: the
 * construct and the CRD have the same defaults.
 *
 * @example new DatabaseServer(chart, 'server', databaseServerProps(object.metadata.name, object.spec, facts))
 * @throws {RangeError} if the spec has another provider, or no version; the CRD prevents both.
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
