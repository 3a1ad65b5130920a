// Names of the parts of a database server. Invariant: names, labels and addresses follow from the Database's name
// alone, never from the construct tree. Selectors and volume claims are immutable, so a changed name would lose the
// data.

/** Label of every object and pod of a server; its value is the Database's name. Only this label selects the pod. */
export const databaseSelectorLabel = 'data.konverge.dev/database'

/** Name of the pod's volume, and the first part of its claim's name. */
export const databaseVolumeName = 'data'

/** Folder of the server's data on the volume: below the root, which may contain `lost+found`. */
export const databaseDataFolder = 'pgdata'

/** TCP port of the server, in containers and Services. */
export const databasePort = 5432

/** Superuser of the server, which initdb creates. */
export const databaseAdmin = 'postgres'

/**
 * Longest name for which all names below are valid. Source: 63 characters for a Service, and for the label of a
 * revision.
 */
export const databaseServerNameLimit = 43

/** Names of the parts of a Database's server. */
export interface DatabaseServerNames {
  readonly statefulSet: string
  readonly pod: string
  readonly volumeClaim: string
  /** For clients: one stable address. */
  readonly clientService: string
  /** For the StatefulSet, which requires one. */
  readonly headlessService: string
  readonly configMap: string
  /** Secret with the superuser's address and credentials, in the keys of a connection Secret. */
  readonly adminSecret: string
  readonly tlsSecret: string
}

/**
 * Returns the names of the parts. They have a suffix, unlike those of a ReplicatedKVStore, so a store and a database
 * may share a name.
 *
 * @example databaseServerNames('shop').statefulSet // 'shop-postgres'
 */
export function databaseServerNames(name: string): DatabaseServerNames {
  const server = `${name}-postgres`
  return {
    statefulSet: server,
    pod: `${server}-0`,
    volumeClaim: `${databaseVolumeName}-${server}-0`,
    clientService: server,
    headlessService: `${server}-headless`,
    configMap: server,
    adminSecret: `${server}-admin`,
    tlsSecret: `${server}-tls`,
  }
}

/** Returns the labels by which Services and StatefulSet select the pod. Immutable once applied. */
export function databaseSelectorLabels(name: string): Readonly<Record<string, string>> {
  return { [databaseSelectorLabel]: name }
}

/**
 * One of the servers of a Database. During a version upgrade a Database has two of them, which share Secrets,
 * configuration and the clients' address.
 */
export interface DatabaseSide {
  /** The major version. */
  readonly version: string
  readonly statefulSet: string
  readonly pod: string
  readonly volumeClaim: string
  readonly headlessService: string
  /**
   * Address of this server only, for the operator and the other server. The first server has it only while there are
   * two.
   */
  readonly sideService: string
  /** Immutable once applied. */
  readonly selectorLabels: Readonly<Record<string, string>>
}

/** Returns the names of a Database's first server. */
export function firstDatabaseSide(name: string, version: string): DatabaseSide {
  const { statefulSet, pod, volumeClaim, headlessService } = databaseServerNames(name)
  const parts = { statefulSet, pod, volumeClaim, headlessService }
  return {
    version,
    ...parts,
    sideService: databaseSideService(name, version),
    selectorLabels: databaseSelectorLabels(name),
  }
}

/**
 * Returns the names of a server after an upgrade. Names of Databases contain no dot, so its label cannot equal that of
 * another Database.
 */
export function laterDatabaseSide(name: string, version: string): DatabaseSide {
  const server = databaseSideService(name, version)
  return {
    version,
    statefulSet: server,
    pod: `${server}-0`,
    volumeClaim: `${databaseVolumeName}-${server}-0`,
    headlessService: `${server}-headless`,
    sideService: server,
    selectorLabels: databaseSelectorLabels(`${name}.${version}`),
  }
}

/** Returns the Database's name in the label value of any of its servers. */
export function databaseOfLabel(value: string): string {
  return value.split('.', 1)[0] ?? value
}

/** Returns labels that select no pod. */
export function noDatabaseSide(name: string): Readonly<Record<string, string>> {
  return databaseSelectorLabels(`${name}.none`)
}

/** Returns the Service of one server, whether it is the first one or a later one. */
export function databaseSideService(name: string, version: string): string {
  return `${name}-pg${version}`
}

/** Returns the labels of every part: those of the selector, and the recommended ones for people and tools. */
export function databaseLabels(name: string): Readonly<Record<string, string>> {
  return {
    ...databaseSelectorLabels(name),
    'app.kubernetes.io/name': 'postgresql',
    'app.kubernetes.io/instance': name,
    'app.kubernetes.io/component': 'database-server',
  }
}

/** Returns the DNS name for clients in the whole cluster: complete except for the cluster's own domain. */
export function databaseHost(name: string, namespace: string): string {
  return `${databaseServerNames(name).clientService}.${namespace}.svc`
}

/** Returns all DNS names of the server, for its certificate; the first one is `databaseHost`. */
export function databaseHosts(name: string, namespace: string): readonly string[] {
  const { clientService, pod, headlessService } = databaseServerNames(name)
  const host = databaseHost(name, namespace)
  const own = `${pod}.${headlessService}.${namespace}.svc`
  const inCluster = (service: string) => `${service}.cluster.local`
  return [host, inCluster(host), `${clientService}.${namespace}`, clientService, own, inCluster(own)]
}
