// Kind IngressClass. Its controller is immutable.
// Sources: k8s.io/kubernetes/pkg/apis/networking/{v1,validation}, pkg/registry/networking/ingressclass.
import type { JsonObject } from '../../base/json.ts'
import { type FieldError, forbidden, notSupported, required, tooLong } from '../field-error.ts'
import { byteLength, dns1123Subdomain, dnsLabelName, dnsSubdomainName, pathSegmentName } from '../name-rules.ts'
import { invalids } from '../object-meta.ts'
import { domainPrefixedPathErrors } from './domain-path.ts'
import {
  type FieldErrors,
  noErrors,
  optionalTextAt,
  type Struct,
  structAt,
  textAt,
  valueAt,
  withDefaults,
  withStruct,
} from './field-walk.ts'
import {
  changedMetadataErrors,
  immutableErrors,
  isSpecChanged,
  type KindRules,
  newMetadataErrors,
  nextGenerationIf,
  usualRules,
  withGeneration,
} from './kind-rules.ts'

const maxControllerBytes = 250

export const ingressClassRules: KindRules = {
  ...usualRules,
  setDefaults: (object) =>
    withStruct(object, 'spec', (spec) =>
      withStruct(spec, 'parameters', (parameters) => withDefaults(parameters, { scope: 'Cluster' })),
    ),
  prepareForCreate: (object) => withGeneration(object, 1),
  prepareForUpdate: (object, old) => nextGenerationIf(isSpecChanged(object, old), object, old),
  validateCreate: classErrors,
  validateUpdate: (object, old) => [
    ...changedMetadataErrors(object, old),
    ...controllerChangeErrors(object, old),
    ...classErrors(object),
  ],
}

function controllerChangeErrors(object: JsonObject, old: JsonObject): FieldErrors {
  const controller = textAt(structAt(object, 'spec'), 'controller')
  return immutableErrors(controller, textAt(structAt(old, 'spec'), 'controller'), {
    path: 'spec.controller',
    shown: () => controller,
  })
}

function classErrors(object: JsonObject): FieldErrors {
  const spec = structAt(object, 'spec')
  const controller = textAt(spec, 'controller')
  return [
    ...newMetadataErrors(object, dnsSubdomainName, false),
    ...(byteLength(controller) > maxControllerBytes ? [tooLong('spec.controller', maxControllerBytes)] : noErrors),
    ...domainPrefixedPathErrors(controller, 'spec.controller'),
    ...parametersErrors(structAt(spec, 'parameters'), 'spec.parameters'),
  ]
}

function parametersErrors(parameters: Struct, path: string): FieldErrors {
  if (parameters === undefined) return noErrors
  return [...typedReferenceErrors(parameters, path), ...scopeErrors(parameters, path)]
}

/** Validates a reference to an object of any kind: parameters, or a backend that is no Service. */
export function typedReferenceErrors(reference: JsonObject, path: string): FieldErrors {
  const group = optionalTextAt(reference, 'apiGroup')
  return [
    ...(group === undefined ? noErrors : invalids(`${path}.apiGroup`, group, dns1123Subdomain(group))),
    ...segmentErrors(textAt(reference, 'kind'), `${path}.kind`),
    ...segmentErrors(textAt(reference, 'name'), `${path}.name`),
  ]
}

/** Validates a required path segment. */
export function segmentErrors(word: string, path: string): FieldErrors {
  return word === '' ? [required(path)] : invalids(path, word, pathSegmentName(word, false))
}

function scopeErrors(parameters: JsonObject, path: string): FieldError[] {
  const namespace = optionalTextAt(parameters, 'namespace')
  const at = `${path}.namespace`
  if (valueAt(parameters, 'scope') === undefined) return [required(`${path}.scope`)]
  const scope = textAt(parameters, 'scope')
  switch (scope) {
    case 'Namespace':
      return namespace === undefined
        ? [required(at, "`parameters.scope` is set to 'Namespace'")]
        : invalids(at, namespace, dnsLabelName(namespace, false))
    case 'Cluster':
      return namespace === undefined ? [] : [forbidden(at, "`parameters.scope` is set to 'Cluster'")]
    default:
      return [notSupported(`${path}.scope`, scope, ['Cluster', 'Namespace'])]
  }
}
