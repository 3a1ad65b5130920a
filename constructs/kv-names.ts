// What are the parts of a store called? Names, labels and addresses follow from the store's name alone, never from where a
// construct stands in a tree: selectors and volume claims are immutable, so a name that moves would cost the data.

/** The label of every object and pod of a store; its value is the store's name. No other label selects the pods. */
export const kvSelectorLabel = 'data.konverge.dev/replicatedkvstore'

/** The volume of a pod, and the first part of the name of its claim, `data-<name>-<ordinal>`. */
export const kvVolumeName = 'data'

/** What a store with this name is called, part by part. */
export interface KvNames {
  readonly serviceAccount: string
  /** For clients: one address, behind which are the replicas that serve. */
  readonly clientService: string
  /** For peers: a DNS name that lists every replica, and one for each of them. */
  readonly headlessService: string
  readonly statefulSet: string
  readonly podDisruptionBudget: string
}

export function kvNames(name: string): KvNames {
  return {
    serviceAccount: name,
    clientService: name,
    headlessService: `${name}-headless`,
    statefulSet: name,
    podDisruptionBudget: name,
  }
}

/** The labels by which Services, StatefulSet and PodDisruptionBudget find the pods. Immutable once they are applied. */
export function kvSelectorLabels(name: string): Readonly<Record<string, string>> {
  return { [kvSelectorLabel]: name }
}

/** The same in text form, as the scale subresource wants it. */
export function kvSelector(name: string): string {
  return `${kvSelectorLabel}=${name}`
}

/** The labels of every part: the selector's, and the recommended ones for people and tools. */
export function kvLabels(name: string): Readonly<Record<string, string>> {
  return {
    ...kvSelectorLabels(name),
    'app.kubernetes.io/name': 'replicatedkvstore',
    'app.kubernetes.io/instance': name,
    'app.kubernetes.io/component': 'kv-server',
  }
}

export interface KvEndpointsInput {
  readonly name: string
  readonly namespace: string
  readonly replicas: number
  readonly port: number
}

/** `<name>-<ordinal>.<name>-headless.<namespace>.svc:<port>` of every replica: addresses that pods keep when they are replaced. */
export function kvEndpoints({ name, namespace, replicas, port }: KvEndpointsInput): string[] {
  const { statefulSet, headlessService } = kvNames(name)
  const address = (ordinal: number) => `${statefulSet}-${ordinal}.${headlessService}.${namespace}.svc:${port}`
  return Array.from({ length: replicas }, (_, ordinal) => address(ordinal))
}
