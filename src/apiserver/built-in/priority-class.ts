// Kind PriorityClass. Its value is immutable; the system classes have fixed values.
// Sources: k8s.io/kubernetes/pkg/apis/scheduling/{v1,validation}, pkg/registry/scheduling/priorityclass.
import type { JsonObject } from '../../base/json.ts'
import { type FieldError, forbidden, notSupported, required } from '../field-error.ts'
import { dnsSubdomainName } from '../name-rules.ts'
import {
  type FieldErrors,
  integerAt,
  isTrueAt,
  noErrors,
  optionalTextAt,
  structAt,
  textAt,
  valueAt,
  withDefaults,
} from './field-walk.ts'
import {
  changedMetadataErrors,
  immutableErrors,
  type KindRules,
  newMetadataErrors,
  usualRules,
  withGeneration,
} from './kind-rules.ts'

const systemPrefix = 'system-'
const highestOfUsers = 1_000_000_000
const systemValues: Readonly<Record<string, number>> = {
  'system-node-critical': 2_000_001_000,
  'system-cluster-critical': 2_000_000_000,
}

export const priorityClassRules: KindRules = {
  ...usualRules,
  setDefaults: (object) => withDefaults(object, { preemptionPolicy: 'PreemptLowerPriority' }),
  prepareForCreate: (object) => withGeneration(object, 1),
  validateCreate: (object) => [
    ...newMetadataErrors(object, dnsSubdomainName, false),
    ...valueErrors(object),
    ...preemptionErrors(optionalTextAt(object, 'preemptionPolicy')),
  ],
  validateUpdate: (object, old) => [
    ...changedMetadataErrors(object, old),
    ...(integerAt(object, 'value') === integerAt(old, 'value')
      ? noErrors
      : [forbidden('value', 'may not be changed in an update.')]),
    ...immutableErrors(valueAt(object, 'preemptionPolicy'), valueAt(old, 'preemptionPolicy'), {
      path: 'preemptionPolicy',
      shown: () => valueAt(object, 'preemptionPolicy') ?? null,
    }),
  ],
  refusedDelete: (name) =>
    Object.hasOwn(systemValues, name) ? 'this is a system priority class and cannot be deleted' : undefined,
}

function valueErrors(object: JsonObject): FieldErrors {
  const name = textAt(structAt(object, 'metadata'), 'name')
  if (name.startsWith(systemPrefix)) return systemErrors(name, object)
  return integerAt(object, 'value') > highestOfUsers
    ? [forbidden('value', `maximum allowed value of a user defined priority is ${highestOfUsers}`)]
    : noErrors
}

function systemErrors(name: string, object: JsonObject): FieldError[] {
  const value = Object.hasOwn(systemValues, name) ? systemValues[name] : undefined
  const refused = (why: string): FieldError[] => [
    forbidden(
      'metadata.name',
      `priority class names with '${systemPrefix}' prefix are reserved for system use only. error: ${why}`,
    ),
  ]
  if (value === undefined) return refused(`${name} is not a known system priority class`)
  if (value !== integerAt(object, 'value')) return refused(`value of ${name} PriorityClass must be ${value}`)
  return isTrueAt(object, 'globalDefault') ? refused(`globalDefault of ${name} PriorityClass must be false`) : []
}

function preemptionErrors(policy: string | undefined): FieldErrors {
  const known = ['PreemptLowerPriority', 'Never']
  if (policy === undefined || known.includes(policy)) return noErrors
  return [policy === '' ? required('preemptionPolicy') : notSupported('preemptionPolicy', policy, known)]
}
