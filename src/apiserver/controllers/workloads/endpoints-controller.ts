// Endpoints controller: keeps the Endpoints of each Service that selects pods. Source:
// k8s.io/kubernetes/pkg/controller/endpoint.
import { deepEqual, type JsonObject } from '../../../base/json.ts'
import { valueAt } from '../../built-in/field-walk.ts'
import { isTerminating, labelsOf, metadataText, withMetadata } from '../../metadata.ts'
import type { LogEntry } from '../../object-log.ts'
import type { SystemClient } from '../../system-client.ts'
import type { ServerController } from '../controller-host.ts'
import { endpointSubsets } from './endpoint-subsets.ts'
import { KindClient } from './kind-client.ts'
import { endpointLabels, selectsPods, serviceKeys } from './service-endpoints.ts'

const managedBy = { 'endpoints.kubernetes.io/managed-by': 'endpoint-controller' }

export class EndpointsController implements ServerController {
  readonly name = 'endpoints-controller'
  readonly #services: KindClient
  readonly #pods: KindClient
  readonly #endpoints: KindClient

  constructor(client: SystemClient) {
    this.#services = new KindClient(client, 'v1', 'Service')
    this.#pods = new KindClient(client, 'v1', 'Pod')
    this.#endpoints = new KindClient(client, 'v1', 'Endpoints')
  }

  keysFor(entry: LogEntry): readonly string[] {
    const { shelf, namespace, name } = entry.place
    return shelf === 'endpoints' ? [`${namespace}/${name}`] : serviceKeys(entry, this.#services)
  }

  reconcile(key: string): undefined {
    const service = this.#services.at(key)
    const live = this.#endpoints.at(key)
    if (service === undefined) {
      // Endpoints that a user created by hand stay.
      if (live !== undefined && labelsOf(live)['endpoints.kubernetes.io/managed-by'] !== undefined)
        this.#endpoints.delete(live)
      return
    }
    if (!selectsPods(service)) return
    const namespace = metadataText(service, 'namespace')
    const subsets = endpointSubsets(service, this.#pods.perhapsChosenBy(service))
    const labels = endpointLabels(service, managedBy)
    const content: JsonObject = subsets.length === 0 ? {} : { subsets }
    if (live === undefined) {
      if (isTerminating(service)) return
      const name = metadataText(service, 'name')
      this.#endpoints.create(namespace, { metadata: { name, namespace, labels }, ...content })
      return
    }
    if (deepEqual(valueAt(live, 'subsets') ?? [], subsets) && deepEqual(labelsOf(live), labels)) return
    this.#endpoints.update(live, ({ subsets: _, ...rest }) => ({ ...withMetadata(rest, { labels }), ...content }))
  }
}
