// Fields of disabled feature gates, which the server silently drops.
// Source: k8s.io/kubernetes/pkg/api/pod/util.go (dropDisabledFields), with the default feature gates of 1.36.
import type { JsonObject } from '../../base/json.ts'
import { withItems, withoutField, withStruct } from './field-walk.ts'

/** Returns the spec of a pod or template without those fields. */
export function withoutDisabledFields(spec: JsonObject): JsonObject {
  const ungrouped = withoutField(spec, 'schedulingGroup')
  const unsignalled = ['containers', 'initContainers'].reduce(
    (result, list) =>
      withItems(result, list, (container) =>
        withStruct(container, 'lifecycle', (lifecycle) => withoutField(lifecycle, 'stopSignal')),
      ),
    ungrouped,
  )
  return withItems(unsignalled, 'volumes', (volume) =>
    withStruct(volume, 'projected', (projected) =>
      withItems(projected, 'sources', (source) =>
        withoutField(withoutField(source, 'clusterTrustBundle'), 'podCertificate'),
      ),
    ),
  )
}
