// What are the parts of a database server called? Names, labels and addresses follow from the Database's name alone, never from
// where a construct stands in a tree: selectors and volume claims are immutable, so a name that moves would cost the data.

/** The label of every object and pod of a server; its value is the Database's name. No other label selects the pod. */
export const databaseSelectorLabel = 'data.konverge.dev/database'

/** The volume of the pod, and the first part of the name of its claim. */
export const databaseVolumeName = 'data'

/** Where on the volume the server's data is: below the root, in which there may be a `lost+found`. */
export const databaseDataFolder = 'pgdata'

/** The TCP port of the server, in containers and Services. */
export const databasePort = 5432

/** Who made the server, and may do everything on it. */
export const databaseAdmin = 'postgres'

/** The longest name of which all the names below can be made. Source: 63 characters for a Service, and for the label of a revision. */
export const databaseServerNameLimit = 43

/** What the server of a Database with this name is called, part by part. */
export interface DatabaseServerNames {
  readonly statefulSet: string
  readonly pod: string
  readonly volumeClaim: string
  /** For clients: one address that stays. */
  readonly clientService: string
  /** For the StatefulSet, which needs one. */
  readonly headlessService: string
  readonly configMap: string
  /** How the server is reached with all rights, in the keys that a connection Secret has. */
  readonly adminSecret: string
  readonly tlsSecret: string
}

/** Unlike a ReplicatedKVStore's parts they do not bear the mere name: a store and a database of one name get along. */
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

/** The labels by which Services and StatefulSet find the pod. Immutable once they are applied. */
export function databaseSelectorLabels(name: string): Readonly<Record<string, string>> {
  return { [databaseSelectorLabel]: name }
}

/**
 * The parts of one server. A Database that moves to a newer version has two for a while; Secrets, configuration and the address of clients
 * are of both.
 */
export interface DatabaseSide {
  /** The major version. */
  readonly version: string
  readonly statefulSet: string
  readonly pod: string
  readonly volumeClaim: string
  readonly headlessService: string
  /** The address of this server and no other, for the operator and the other side. The first server has it only while there are two. */
  readonly sideService: string
  /** Immutable once they are applied. */
  readonly selectorLabels: Readonly<Record<string, string>>
}

/** The server that a Database is made with. */
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

/** One that it moves to. A name of a Database in the cluster has no dot, so that no other one's label is the same. */
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

/** The Database's name in the value of the label of any side. */
export function databaseOfLabel(value: string): string {
  return value.split('.', 1)[0] ?? value
}

/** Selects no pod. */
export function noDatabaseSide(name: string): Readonly<Record<string, string>> {
  return databaseSelectorLabels(`${name}.none`)
}

/** The Service of one side: the same whether it is the first server or a later one. */
export function databaseSideService(name: string, version: string): string {
  return `${name}-pg${version}`
}

/** The labels of every part: the selector's, and the recommended ones for people and tools. */
export function databaseLabels(name: string): Readonly<Record<string, string>> {
  return {
    ...databaseSelectorLabels(name),
    'app.kubernetes.io/name': 'postgresql',
    'app.kubernetes.io/instance': name,
    'app.kubernetes.io/component': 'database-server',
  }
}

/** The DNS name by which clients of the whole cluster reach the server: a full one but for the cluster's own domain. */
export function databaseHost(name: string, namespace: string): string {
  return `${databaseServerNames(name).clientService}.${namespace}.svc`
}

/** Every name by which the server may be reached, for its certificate; the first one is `databaseHost`. */
export function databaseHosts(name: string, namespace: string): readonly string[] {
  const { clientService, pod, headlessService } = databaseServerNames(name)
  const host = databaseHost(name, namespace)
  const own = `${pod}.${headlessService}.${namespace}.svc`
  const inCluster = (service: string) => `${service}.cluster.local`
  return [host, inCluster(host), `${clientService}.${namespace}`, clientService, own, inCluster(own)]
}
