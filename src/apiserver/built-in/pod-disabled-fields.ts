// Which fields does this version of the server know and not take, their features being off? They are dropped in silence.
// Source: k8s.io/kubernetes/pkg/api/pod/util.go (dropDisabledFields), with the default feature gates of 1.36.
import type { JsonObject } from '../../base/json.ts'
import { withItems, withoutField, withStruct } from './field-walk.ts'

/** Of the spec of a pod or of a template. */
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
