// Controller of the Service `kubernetes`, which leads to the API server. The Service exists from the start and is
// recreated after a deletion.
// It has no endpoints, because an endpoint may not be a loopback address.
// Source: k8s.io/kubernetes/pkg/controlplane/controller/kubernetesservice.
import type { JsonObject } from '../../base/json.ts'
import type { LogEntry } from '../object-log.ts'
import type { SystemClient } from '../system-client.ts'
import type { ServerController } from './controller-host.ts'

const name = 'kubernetes'
const namespace = 'default'

export const kubernetesService: JsonObject = {
  metadata: { name, namespace, labels: { component: 'apiserver', provider: 'kubernetes' } },
  spec: {
    clusterIP: '10.96.0.1',
    ipFamilyPolicy: 'SingleStack',
    ports: [{ name: 'https', port: 443, protocol: 'TCP', targetPort: 6443 }],
    sessionAffinity: 'None',
    type: 'ClusterIP',
  },
}

/** In Kubernetes this controller is part of the API server. */
export class KubernetesService implements ServerController {
  readonly name = 'kubernetes-service'
  readonly #client: SystemClient

  constructor(client: SystemClient) {
    this.#client = client
  }

  keysFor({ place, kind }: LogEntry): readonly string[] {
    const isIt = place.shelf === 'services' && place.namespace === namespace && place.name === name
    return isIt && kind === 'deleted' ? [name] : []
  }

  reconcile(): undefined {
    const resource = this.#client.resource('v1', 'Service')
    if (resource !== undefined) this.#client.ensure(resource, namespace, kubernetesService)
  }
}
