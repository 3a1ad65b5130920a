// EndpointSlice controller: keeps the slices of each Service that selects pods. Source:
// k8s.io/kubernetes/pkg/controller/endpointslice.
import { own } from '../../../base/json.ts'
import { isTerminating, labelsOf, metadataText } from '../../metadata.ts'
import type { LogEntry } from '../../object-log.ts'
import type { SystemClient } from '../../system-client.ts'
import type { ServerController } from '../controller-host.ts'
import { managedByLabel, serviceNameLabel, sliceManager, slicePlan } from './endpoint-slices.ts'
import { KindClient } from './kind-client.ts'
import { selectsPods, serviceKeys } from './service-endpoints.ts'

export class EndpointSliceController implements ServerController {
  readonly name = 'endpointslice-controller'
  readonly #services: KindClient
  readonly #pods: KindClient
  readonly #nodes: KindClient
  readonly #slices: KindClient

  constructor(client: SystemClient) {
    this.#services = new KindClient(client, 'v1', 'Service')
    this.#pods = new KindClient(client, 'v1', 'Pod')
    this.#nodes = new KindClient(client, 'v1', 'Node')
    this.#slices = new KindClient(client, 'discovery.k8s.io/v1', 'EndpointSlice')
  }

  keysFor(entry: LogEntry): readonly string[] {
    if (entry.place.shelf !== 'endpointslices.discovery.k8s.io') return serviceKeys(entry, this.#services)
    const labels = labelsOf(entry.now.object)
    const service = labels[managedByLabel] === sliceManager ? labels[serviceNameLabel] : undefined
    return service === undefined ? [] : [`${entry.place.namespace}/${service}`]
  }

  reconcile(key: string): undefined {
    const service = this.#services.at(key)
    // The garbage collector deletes the slices of a deleted Service.
    if (service === undefined || isTerminating(service) || !selectsPods(service)) return
    const namespace = metadataText(service, 'namespace')
    const isOurs = (labels: Readonly<Record<string, string>>) =>
      labels[managedByLabel] === sliceManager && labels[serviceNameLabel] === metadataText(service, 'name')
    const plan = slicePlan({
      service,
      pods: this.#pods.perhapsChosenBy(service),
      slices: this.#slices
        .labelled(namespace, serviceNameLabel, metadataText(service, 'name'))
        .filter((slice) => isOurs(labelsOf(slice)) && !isTerminating(slice)),
      zoneOf: (node) => this.#zoneOf(node),
    })
    for (const slice of plan.create) this.#slices.create(namespace, slice)
    for (const slice of plan.update) this.#slices.update(slice, () => slice)
    for (const slice of plan.remove) this.#slices.delete(slice)
  }

  #zoneOf(name: string): string | undefined {
    const node = name === '' ? undefined : this.#nodes.get('', name)
    const zone = node === undefined ? undefined : own(labelsOf(node), 'topology.kubernetes.io/zone')
    return typeof zone === 'string' && zone !== '' ? zone : undefined
  }
}
