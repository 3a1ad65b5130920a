// Names of the parts of a store. Invariant: names, labels and addresses follow from the store's name alone, never from
// the construct tree. Selectors and volume claims are immutable, so a changed name would lose the data.

/** Label of every object and pod of a store; its value is the store's name. Only this label selects the pods. */
export const kvSelectorLabel = 'data.konverge.dev/replicatedkvstore'

/** Name of a pod's volume, and the first part of its claim's name, `data-<name>-<ordinal>`. */
export const kvVolumeName = 'data'

/** Names of the parts of a store. */
export interface KvNames {
  readonly serviceAccount: string
  /** For clients: one address for the serving replicas. */
  readonly clientService: string
  /** For peers: a DNS name that lists every replica, and one for each of them. */
  readonly headlessService: string
  readonly statefulSet: string
  readonly podDisruptionBudget: string
}

/** Returns the names of the parts of a store. */
export function kvNames(name: string): KvNames {
  return {
    serviceAccount: name,
    clientService: name,
    headlessService: `${name}-headless`,
    statefulSet: name,
    podDisruptionBudget: name,
  }
}

/**
 * Returns the labels by which Services, StatefulSet and PodDisruptionBudget select the pods. Immutable once applied.
 */
export function kvSelectorLabels(name: string): Readonly<Record<string, string>> {
  return { [kvSelectorLabel]: name }
}

/** Returns the selector as text, for the scale subresource. */
export function kvSelector(name: string): string {
  return `${kvSelectorLabel}=${name}`
}

/** Returns the labels of every part: those of the selector, and the recommended ones for people and tools. */
export function kvLabels(name: string): Readonly<Record<string, string>> {
  return {
    ...kvSelectorLabels(name),
    'app.kubernetes.io/name': 'replicatedkvstore',
    'app.kubernetes.io/instance': name,
    'app.kubernetes.io/component': 'kv-server',
  }
}

/** Input of `kvEndpoints`. */
export interface KvEndpointsInput {
  readonly name: string
  readonly namespace: string
  readonly replicas: number
  readonly port: number
}

/**
 * Returns `<name>-<ordinal>.<name>-headless.<namespace>.svc:<port>` of every replica: addresses that survive a
 * replacement of pods.
 */
export function kvEndpoints({ name, namespace, replicas, port }: KvEndpointsInput): string[] {
  const { statefulSet, headlessService } = kvNames(name)
  const address = (ordinal: number) => `${statefulSet}-${ordinal}.${headlessService}.${namespace}.svc:${port}`
  return Array.from({ length: replicas }, (_, ordinal) => address(ordinal))
}
