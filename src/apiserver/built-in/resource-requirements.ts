// Validation of resource requirements: names, amounts, and requests against limits.
// Sources: k8s.io/kubernetes/pkg/apis/core/validation/validation.go, pkg/apis/core/helper/helpers.go.
import type { Json, JsonObject } from '../../base/json.ts'
import { compareQuantities, parseQuantity, type Quantity } from '../../object/quantity.ts'
import { type FieldError, forbidden, invalid, required } from '../field-error.ts'
import { labelKeyFaults } from '../name-rules.ts'
import { invalids } from '../object-meta.ts'
import { type FieldErrors, mapAt, noErrors, type Struct, structAt } from './field-walk.ts'

const containerResources = new Set(['cpu', 'memory', 'ephemeral-storage'])
const countedResources = new Set([
  'pods',
  'resourcequotas',
  'services',
  'replicationcontrollers',
  'secrets',
  'configmaps',
  'persistentvolumeclaims',
  'services.nodeports',
  'services.loadbalancers',
])
const standardResources = new Set([
  ...containerResources,
  ...countedResources,
  'requests.cpu',
  'requests.memory',
  'requests.ephemeral-storage',
  'limits.cpu',
  'limits.memory',
  'limits.ephemeral-storage',
  'storage',
  'requests.storage',
])
const hugePagesPrefix = 'hugepages-'
const zero: Quantity = { coefficient: 0n, exponent: 0, format: 'DecimalSI' }

export function validateResourceRequirements(resources: Struct, field: string): FieldErrors {
  if (resources === undefined) return noErrors
  const limits = mapAt(resources, 'limits')
  const requests = mapAt(resources, 'requests')
  const names = [...Object.keys(limits), ...Object.keys(requests)]
  const needsMore = names.some(isHugePages) && !names.some((name) => name === 'cpu' || name === 'memory')
  return [
    ...Object.entries(limits).flatMap(([name, amount]) => amountErrors(name, amount, `${field}.limits[${name}]`)),
    ...Object.entries(requests).flatMap(([name, amount]) => [
      ...amountErrors(name, amount, `${field}.requests[${name}]`, {
        before: () => requestErrors(name, amount, limits, field),
      }),
    ]),
    ...(needsMore ? [forbidden(field, 'HugePages require cpu or memory')] : []),
  ]
}

/** Validates a pod's overhead, by the rules of limits. */
export function validateOverhead(spec: JsonObject, field: string): FieldErrors {
  const overhead = structAt(spec, 'overhead')
  return overhead === undefined ? noErrors : validateResourceRequirements({ limits: overhead }, field)
}

/** Validates the amount of a resource: not negative, and whole for countable resources. */
export function validateAmount(name: string, amount: Json | undefined, field: string): FieldErrors {
  const quantity = quantityOf(amount)
  const isWhole = quantity.exponent >= 0 || compareQuantities(quantity, zero) === 0 || isWholeAmount(quantity)
  return [
    ...validateNonNegativeQuantity(amount, field),
    ...(isCounted(name) && !isWhole ? [invalid(field, quantityText(amount), 'must be an integer')] : []),
  ]
}

export function validateNonNegativeQuantity(amount: Json | undefined, field: string): FieldErrors {
  if (compareQuantities(quantityOf(amount), zero) >= 0) return noErrors
  return [invalid(field, quantityText(amount), 'must be greater than or equal to 0')]
}

export function validatePositiveQuantity(amount: Json | undefined, field: string): FieldErrors {
  if (compareQuantities(quantityOf(amount), zero) > 0) return noErrors
  return [invalid(field, quantityText(amount), 'must be greater than zero')]
}

/** An absent quantity is zero. */
export function quantityOf(amount: Json | undefined): Quantity {
  return typeof amount === 'string' || typeof amount === 'number' ? (parseQuantity(String(amount)) ?? zero) : zero
}

export function quantityText(amount: Json | undefined): string {
  return typeof amount === 'string' ? amount : '0'
}

/** Validates any resource name: a standard one, or one with a domain prefix. */
export function resourceNameErrors(name: string, field: string): FieldErrors {
  const faults = labelKeyFaults(name)
  if (faults.length > 0) return invalids(field, name, faults)
  const isKnown = name.includes('/') || standardResources.has(name) || isHugePages(name) || isQuotaHugePages(name)
  return isKnown ? noErrors : [invalid(field, name, 'must be a standard resource type or fully qualified')]
}

interface Extra {
  /** Errors that the server reports before those of huge pages. */
  readonly before: () => FieldErrors
}

function amountErrors(name: string, amount: Json | undefined, field: string, extra?: Extra): FieldErrors {
  return [
    ...containerResourceErrors(name, field),
    ...validateAmount(name, amount, field),
    ...(extra?.before() ?? noErrors),
    ...hugePageErrors(name, amount, field),
  ]
}

/** Validates the resource name of a container. */
export function containerResourceErrors(name: string, field: string): FieldErrors {
  const errors = resourceNameErrors(name, field)
  if (!name.includes('/')) {
    const isForContainers = containerResources.has(name) || isHugePages(name)
    return isForContainers ? errors : [...errors, invalid(field, name, 'must be a standard resource for containers')]
  }
  if (isNative(name) || isExtended(name)) return errors
  return [...errors, invalid(field, name, "doesn't follow extended resource name standard")]
}

function requestErrors(name: string, amount: Json | undefined, limits: JsonObject, field: string): FieldErrors {
  const isOvercommittable = isNative(name) && !isHugePages(name)
  if (!Object.hasOwn(limits, name))
    return isOvercommittable
      ? noErrors
      : [required(`${field}.limits`, 'Limit must be set for non overcommitable resources')]
  const limit = limits[name]
  const order = compareQuantities(quantityOf(amount), quantityOf(limit))
  const against = `${name} limit of ${quantityText(limit)}`
  if (order !== 0 && !isOvercommittable)
    return [invalid(`${field}.requests`, quantityText(amount), `must be equal to ${against}`)]
  return order > 0
    ? [invalid(`${field}.requests`, quantityText(amount), `must be less than or equal to ${against}`)]
    : noErrors
}

function hugePageErrors(name: string, amount: Json | undefined, field: string): readonly FieldError[] {
  if (!isHugePages(name)) return noErrors
  const size = parseQuantity(name.slice(hugePagesPrefix.length))
  const isDivisible =
    size !== undefined &&
    size.coefficient > 0n &&
    isWholeAmount(size) &&
    wholeUnits(quantityOf(amount)) % wholeUnits(size) === 0n
  const text = quantityText(amount)
  return isDivisible ? noErrors : [invalid(field, text, `${text} is not positive integer multiple of ${name}`)]
}

function isHugePages(name: string): boolean {
  return name.startsWith(hugePagesPrefix)
}

function isQuotaHugePages(name: string): boolean {
  return name.startsWith(`requests.${hugePagesPrefix}`)
}

function isNative(name: string): boolean {
  return !name.includes('/') || name.includes('kubernetes.io/')
}

function isExtended(name: string): boolean {
  if (isNative(name) || name.startsWith('requests.')) return false
  return labelKeyFaults(`requests.${name}`).length === 0
}

function isCounted(name: string): boolean {
  return countedResources.has(name) || isExtended(name)
}

/** True for a whole number of units. */
function isWholeAmount({ coefficient, exponent }: Quantity): boolean {
  return exponent >= 0 || coefficient % 10n ** BigInt(-exponent) === 0n
}

/** Returns whole units, rounded up as the server does. */
export function wholeUnits({ coefficient, exponent }: Quantity): bigint {
  if (exponent >= 0) return coefficient * 10n ** BigInt(exponent)
  const divisor = 10n ** BigInt(-exponent)
  const isRounded = coefficient > 0n && coefficient % divisor !== 0n
  return coefficient / divisor + (isRounded ? 1n : 0n)
}

/** Warns about fractions of a byte in the named amounts. */
export function fractionWarnings(list: JsonObject, names: readonly string[], field: string): readonly string[] {
  return names.flatMap((name) => {
    const amount = Object.hasOwn(list, name) ? list[name] : undefined
    return amount === undefined || isWholeAmount(quantityOf(amount))
      ? []
      : [
          `${field}[${name}]: fractional byte value ${JSON.stringify(quantityText(amount))} is invalid, must be an integer`,
        ]
  })
}
