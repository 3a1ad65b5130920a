// Claim templates of a StatefulSet. Each is a partial PersistentVolumeClaim: the server fills in kind and status, and
// validates only
// the spec.
// Source: k8s.io/kubernetes/pkg/apis/apps/{v1/conversion.go,validation/validation.go}.
import type { JsonObject } from '../../base/json.ts'
import { claimDefaults } from './claim-defaults.ts'
import { validateClaimSpec } from './claim-validation.ts'
import { eachItem, type FieldErrors, mapAt, structIn, structsAt, withField, withItems } from './field-walk.ts'
import { storageWarnings } from './pod-warnings.ts'

export function withClaimTemplateDefaults(spec: JsonObject): JsonObject {
  return withItems(spec, 'volumeClaimTemplates', (claim) =>
    withField(withField(claimDefaults(claim), 'kind', 'PersistentVolumeClaim'), 'apiVersion', 'v1'),
  )
}

export function claimTemplatesErrors(spec: JsonObject, path: string): FieldErrors {
  return eachItem(structsAt(spec, 'volumeClaimTemplates'), `${path}.volumeClaimTemplates`, (claim, at) =>
    validateClaimSpec(mapAt(claim, 'spec'), `${at}.spec`),
  )
}

export function claimTemplateWarnings(spec: JsonObject, pathOf: (index: number) => string): readonly string[] {
  return structsAt(spec, 'volumeClaimTemplates').flatMap((claim, index) =>
    storageWarnings(structIn(claim, 'spec', 'resources'), `${pathOf(index)}.resources`),
  )
}
