// Objects of a replicated key-value store: a StatefulSet with a volume for each pod, Services for peers and for
// clients, and a ServiceAccount. From two replicas on it has a PodDisruptionBudget. Invariant: same props, same bytes;
// names and labels never depend on ids in the construct tree.
//
// Plain ApiObjects in wire shape instead of the typed constructs of cdk8s-plus, which drop unknown fields.
// podTemplate.affinity of users may come from newer clusters than any library.
import { ApiObject } from 'cdk8s'
import { Construct } from 'constructs'
import type { KvClusterProps } from './kv-cluster-props.ts'
import { kvLabels, kvNames, kvSelectorLabels, kvVolumeName } from './kv-names.ts'
import { kvPodTemplate, kvPortName, kvReservedVariables } from './kv-pod.ts'
import { type Manifest, unlessEmpty } from './manifest.ts'

/**
 * A replicated key-value store. Namespace and further labels come from the chart.
 *
 * @example new KvCluster(chart, 'cart', { name: 'cart', image: 'valkey/valkey:8.0', replicas: 3 })
 */
export class KvCluster extends Construct {
  /** Labels that select the pods. */
  readonly selectorLabels: Readonly<Record<string, string>>
  readonly serviceAccount: ApiObject
  readonly headlessService: ApiObject
  readonly clientService: ApiObject
  readonly statefulSet: ApiObject
  /** Absent for a single replica, or if disabled. */
  readonly podDisruptionBudget?: ApiObject

  /** @throws {RangeError} if the name, the replicas or the variables cannot make a working store. */
  constructor(scope: Construct, id: string, props: KvClusterProps) {
    super(scope, id)
    refuseImpossible(props)
    const { name, replicas = 1, port = 6379 } = props
    const names = kvNames(name)
    const selector = kvSelectorLabels(name)
    const metadata = (objectName: string) => ({ name: objectName, labels: { ...kvLabels(name) } })
    const service = { selector, ports: [{ name: kvPortName, port, protocol: 'TCP', targetPort: kvPortName }] }

    this.selectorLabels = selector
    this.serviceAccount = new ApiObject(this, 'service-account', {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: metadata(names.serviceAccount),
      automountServiceAccountToken: false,
    })
    this.headlessService = new ApiObject(this, 'headless-service', {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: metadata(names.headlessService),
      // Peers must find each other before they are ready, because that makes them ready.
      spec: { ...service, clusterIP: 'None', publishNotReadyAddresses: true },
    })
    this.clientService = new ApiObject(this, 'client-service', {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: metadata(names.clientService),
      spec: service,
    })
    this.statefulSet = new ApiObject(this, 'stateful-set', {
      apiVersion: 'apps/v1',
      kind: 'StatefulSet',
      metadata: metadata(names.statefulSet),
      spec: statefulSetSpec({ ...props, replicas, port }),
    })
    this.statefulSet.node.addDependency(this.serviceAccount, this.headlessService, this.clientService)
    if (replicas < 2 || props.pdb?.enabled === false) return
    this.podDisruptionBudget = new ApiObject(this, 'pod-disruption-budget', {
      apiVersion: 'policy/v1',
      kind: 'PodDisruptionBudget',
      metadata: metadata(names.podDisruptionBudget),
      spec: { maxUnavailable: 1, selector: { matchLabels: selector } },
    })
    this.podDisruptionBudget.node.addDependency(this.statefulSet)
  }
}

function statefulSetSpec(props: KvClusterProps & { readonly replicas: number; readonly port: number }): Manifest {
  const { name, replicas, storage, pvcRetention, updateStrategy } = props
  const rollingUpdate = unlessEmpty(updateStrategy)
  const selectorLabels = kvSelectorLabels(name)
  return {
    replicas,
    serviceName: kvNames(name).headlessService,
    selector: { matchLabels: selectorLabels },
    template: kvPodTemplate(props),
    volumeClaimTemplates: [
      {
        apiVersion: 'v1',
        kind: 'PersistentVolumeClaim',
        // Claim templates are immutable, so they have no label whose value may change in a later version.
        metadata: { name: kvVolumeName, labels: selectorLabels },
        spec: {
          accessModes: ['ReadWriteOnce'],
          resources: { requests: { storage: storage?.size ?? '1Gi' } },
          storageClassName: storage?.storageClassName,
        },
      },
    ],
    persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Retain', whenScaled: 'Retain', ...pvcRetention },
    updateStrategy: rollingUpdate === undefined ? undefined : { type: 'RollingUpdate', rollingUpdate },
  }
}

/** The CRD rejects these too; a plain cdk8s app has no CRD between it and the API server. */
function refuseImpossible({ name, replicas = 1, env = [] }: KvClusterProps): void {
  const reserved = env.find((variable) => kvReservedVariables.includes(variable.name))
  if (reserved !== undefined) {
    throw new RangeError(`KvCluster ${name}: ${reserved.name} is set by the construct; choose another name`)
  }
  if (!/^[a-z]([-a-z0-9]*[a-z0-9])?$/.test(name) || name.length > 52) {
    const rule = "use at most 52 of a-z, 0-9 and '-', begin with a letter, and do not end with '-'"
    throw new RangeError(`KvCluster ${name}: Services and pod labels cannot take this name; ${rule}`)
  }
  if (!Number.isInteger(replicas) || replicas < 1) {
    throw new RangeError(`KvCluster ${name}: ${replicas} replicas cannot keep data; use a whole number from 1`)
  }
}
