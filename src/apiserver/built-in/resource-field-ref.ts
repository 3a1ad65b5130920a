// Validation of resourceFieldRef: the resource of a container, and the divisor.
// Source: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (validateContainerResourceFieldSelector).
import type { JsonObject } from '../../base/json.ts'
import { canonicalQuantity, parseQuantity } from '../../object/quantity.ts'
import { invalid, notSupported, required } from '../field-error.ts'
import { type FieldErrors, noErrors, textAt } from './field-walk.ts'

const resources = [
  'limits.cpu',
  'limits.ephemeral-storage',
  'limits.memory',
  'requests.cpu',
  'requests.ephemeral-storage',
  'requests.memory',
]
const hugePages = /^(requests|limits)\.hugepages-/
const units = ['1', '1k', '1M', '1G', '1T', '1P', '1E', '1Ki', '1Mi', '1Gi', '1Ti', '1Pi', '1Ei']

/** A reference in a volume must name the container. */
export function validateResourceFieldRef(
  reference: JsonObject,
  field: string,
  of: 'own container' | 'named container',
): FieldErrors {
  const resource = textAt(reference, 'resource')
  return [
    ...resourceErrors(resource, of === 'named container' && textAt(reference, 'containerName') === '', field),
    ...divisorErrors(resource, textAt(reference, 'divisor'), `${field}.divisor`),
  ]
}

function resourceErrors(resource: string, isNameless: boolean, field: string): FieldErrors {
  if (isNameless) return [required(`${field}.containerName`)]
  if (resource === '') return [required(`${field}.resource`)]
  if (resources.includes(resource) || hugePages.test(resource)) return noErrors
  return [notSupported(`${field}.resource`, resource, resources)]
}

function divisorErrors(resource: string, divisor: string, field: string): FieldErrors {
  if (divisor === '' || parseQuantity(divisor)?.coefficient === 0n) return noErrors
  const unit = canonicalQuantity(divisor) ?? divisor
  const [allowed, name] = unitsOf(resource)
  if (allowed.length === 0 || allowed.includes(unit)) return noErrors
  return [
    invalid(
      field,
      resource,
      name === 'cpu'
        ? "only divisor's values 1m and 1 are supported with the cpu resource"
        : `only divisor's values ${units.join(', ')} are supported with the ${name} resource`,
    ),
  ]
}

function unitsOf(resource: string): [readonly string[], string] {
  if (hugePages.test(resource)) return [units, 'hugepages']
  switch (resource.slice(resource.indexOf('.') + 1)) {
    case 'cpu':
      return [resources.includes(resource) ? ['1m', '1'] : [], 'cpu']
    case 'memory':
      return [resources.includes(resource) ? units : [], 'memory']
    case 'ephemeral-storage':
      return [resources.includes(resource) ? units : [], 'local ephemeral storage']
    default:
      return [[], '']
  }
}
