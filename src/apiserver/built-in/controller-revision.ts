// Kind ControllerRevision: immutable snapshots of an object.
// Sources: k8s.io/kubernetes/pkg/apis/apps/validation/validation.go, pkg/registry/apps/controllerrevision.
import { isJsonObject, type JsonObject } from '../../base/json.ts'
import { required } from '../field-error.ts'
import { dnsSubdomainName } from '../name-rules.ts'
import { nonNegatives } from './count-rules.ts'
import { type FieldErrors, noErrors, valueAt } from './field-walk.ts'
import { changedMetadataErrors, immutableErrors, type KindRules, newMetadataErrors, usualRules } from './kind-rules.ts'

export const controllerRevisionRules: KindRules = {
  ...usualRules,
  validateCreate: (object) => [...revisionErrors(object), ...dataErrors(object)],
  validateUpdate: (object, old) => {
    const data = valueAt(object, 'data')
    return [
      ...changedMetadataErrors(object, old),
      ...revisionErrors(object),
      ...immutableErrors(data, valueAt(old, 'data'), { path: 'data', shown: () => data ?? null }),
    ]
  },
}

function revisionErrors(object: JsonObject): FieldErrors {
  // `revision` is a top-level field.
  const errors = nonNegatives(object, '', ['revision']).map((error) => ({ ...error, field: 'revision' }))
  return [...newMetadataErrors(object, dnsSubdomainName), ...errors]
}

function dataErrors(object: JsonObject): FieldErrors {
  const data = valueAt(object, 'data')
  if (isJsonObject(data)) return noErrors
  return [required('data', data === undefined ? 'data is mandatory' : 'data must be a valid JSON object')]
}
