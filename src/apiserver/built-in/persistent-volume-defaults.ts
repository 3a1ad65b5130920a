// Defaults of PersistentVolumes.
// Source: k8s.io/kubernetes/pkg/apis/core/v1 (defaults.go, zz_generated.defaults.go).
import type { JsonObject } from '../../base/json.ts'
import { withDefaults, withEmbedded, withStruct, withZeroDefaults } from './field-walk.ts'
import { resourceListDefaults } from './resource-defaults.ts'
import { hostPathDefaults } from './volume-defaults.ts'

export function persistentVolumeDefaults(volume: JsonObject): JsonObject {
  return withEmbedded(withEmbedded(volume, 'spec', persistentVolumeSpecDefaults), 'status', (status) =>
    withZeroDefaults(status, { phase: 'Pending' }),
  )
}

function persistentVolumeSpecDefaults(spec: JsonObject): JsonObject {
  const own = withDefaults(withZeroDefaults(spec, { persistentVolumeReclaimPolicy: 'Retain' }), {
    volumeMode: 'Filesystem',
  })
  return withStruct(resourceListDefaults(own, 'capacity'), 'hostPath', hostPathDefaults)
}
