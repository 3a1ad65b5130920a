// Defaults of PersistentVolumeClaims.
// Source: k8s.io/kubernetes/pkg/apis/core/v1 (defaults.go, zz_generated.defaults.go).
import type { JsonObject } from '../../base/json.ts'
import { withDefaults, withEmbedded, withStruct, withZeroDefaults } from './field-walk.ts'
import { resourceListDefaults, resourcesDefaults } from './resource-defaults.ts'

/** Returns a claim, or a StatefulSet's claim template, with defaults. */
export function claimDefaults(claim: JsonObject): JsonObject {
  return withEmbedded(withEmbedded(claim, 'spec', claimSpecDefaults), 'status', (status) =>
    resourceListDefaults(
      resourceListDefaults(withZeroDefaults(status, { phase: 'Pending' }), 'capacity'),
      'allocatedResources',
    ),
  )
}

export function claimSpecDefaults(spec: JsonObject): JsonObject {
  return withStruct(withDefaults(spec, { volumeMode: 'Filesystem' }), 'resources', resourcesDefaults)
}
