// Event about a dependent whose owner is in another namespace.
// Source: k8s.io/kubernetes/pkg/controller/garbagecollector/graph_builder.go, reportInvalidNamespaceOwnerRef.
import type { Clock } from '../../base/clock.ts'
import type { JsonObject } from '../../base/json.ts'
import { textAt } from '../built-in/field-walk.ts'
import { metadataText } from '../metadata.ts'
import type { OwnerRef } from '../owner-references.ts'
import type { SystemClient } from '../system-client.ts'
import { EventRecorder } from './workloads/event-recorder.ts'

export function misplacedOwnerReport(to: {
  readonly client: SystemClient
  readonly clock: Clock
}): (dependent: JsonObject, owner: OwnerRef) => void {
  const events = new EventRecorder({ ...to, component: 'garbage-collector-controller' })
  return (dependent, { apiVersion, kind, name, uid }) => {
    const namespace = metadataText(dependent, 'namespace')
    const identity = `[${apiVersion}/${kind}, namespace: ${namespace}, name: ${name}, uid: ${uid}]`
    events.warning(
      coordinatesOf(dependent),
      'OwnerRefInvalidNamespace',
      `ownerRef ${identity} does not exist in namespace "${namespace}"`,
    )
  }
}

/** Without a resourceVersion: the collector's graph does not store one. */
function coordinatesOf(object: JsonObject): JsonObject {
  const [namespace, name, uid] = ['namespace', 'name', 'uid'].map((key) => metadataText(object, key))
  return {
    ...{ apiVersion: textAt(object, 'apiVersion'), kind: textAt(object, 'kind') },
    metadata: { namespace: namespace ?? '', name: name ?? '', uid: uid ?? '' },
  }
}
