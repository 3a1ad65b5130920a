// Kind Lease. Sources: k8s.io/kubernetes/pkg/registry/coordination/lease, pkg/apis/coordination/validation.
// Coordinated leader election is off, so the server silently drops its fields.
import type { JsonObject } from '../../base/json.ts'
import { invalid } from '../field-error.ts'
import { dnsSubdomainName } from '../name-rules.ts'
import { type FieldErrors, mapAt, optionalIntegerAt, withoutField, withStruct } from './field-walk.ts'
import { changedMetadataErrors, type KindRules, newMetadataErrors, usualRules } from './kind-rules.ts'

export const leaseRules: KindRules = {
  ...usualRules,
  prepareForCreate: uncoordinated,
  prepareForUpdate: uncoordinated,
  validateCreate: (lease) => [...newMetadataErrors(lease, dnsSubdomainName), ...specErrors(mapAt(lease, 'spec'))],
  validateUpdate: (lease, old) => [...changedMetadataErrors(lease, old), ...specErrors(mapAt(lease, 'spec'))],
  allowsUnconditionalUpdate: false,
  createsOnUpdate: true,
}

function uncoordinated(lease: JsonObject): JsonObject {
  return withStruct(lease, 'spec', (spec) => withoutField(withoutField(spec, 'strategy'), 'preferredHolder'))
}

function specErrors(spec: JsonObject): FieldErrors {
  const duration = optionalIntegerAt(spec, 'leaseDurationSeconds')
  const transitions = optionalIntegerAt(spec, 'leaseTransitions')
  return [
    ...(duration !== undefined && duration <= 0
      ? [invalid('spec.leaseDurationSeconds', duration, 'must be greater than 0')]
      : []),
    ...(transitions !== undefined && transitions < 0
      ? [invalid('spec.leaseTransitions', transitions, 'must be greater than or equal to 0')]
      : []),
  ]
}
