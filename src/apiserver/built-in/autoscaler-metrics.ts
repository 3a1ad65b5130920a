// Validation of an autoscaler's metrics: each has exactly one source, with a target that fits its type.
// Source: k8s.io/kubernetes/pkg/apis/autoscaling/validation/validation.go.
import type { JsonObject } from '../../base/json.ts'
import { parseQuantity } from '../../object/quantity.ts'
import { type FieldError, forbidden, invalid, notSupported, required } from '../field-error.ts'
import { dns1123Label } from '../name-rules.ts'
import { invalids } from '../object-meta.ts'
import {
  type FieldErrors,
  noErrors,
  optionalIntegerAt,
  optionalTextAt,
  type Struct,
  structAt,
  textAt,
  valueAt,
} from './field-walk.ts'
import { segmentErrors } from './ingress-class.ts'
import { containerResourceErrors } from './resource-requirements.ts'

export interface ReferenceOptions {
  readonly allowsEmptyGroup: boolean
  readonly allowsInvalidVersion: boolean
}

/** Metric types in alphabetical order, with the field of each. */
const sources: Readonly<Record<string, string>> = {
  ContainerResource: 'containerResource',
  External: 'external',
  Object: 'object',
  Pods: 'pods',
  Resource: 'resource',
}

/** In order of precedence: the server validates only the first source that is present. */
const judges: Readonly<Record<string, (source: JsonObject, path: string, options: ReferenceOptions) => FieldErrors>> = {
  object: (source, path, options) => [
    ...scaleTargetErrors(structAt(source, 'describedObject'), `${path}.describedObject`, options),
    ...namedMetricErrors(source, path),
    ...(hasTarget(source, 'value') || hasTarget(source, 'averageValue')
      ? noErrors
      : [required(`${path}.target.averageValue`, 'must set either a target value or averageValue')]),
  ],
  external: (source, path) => [
    ...namedMetricErrors(source, path),
    ...oneTargetErrors(source, path, {
      keys: ['value', 'averageValue'],
      missing: ['averageValue', 'must set either a target value for metric or a per-pod target'],
      both: ['value', 'may not set both a target value for metric and a per-pod target'],
    }),
  ],
  pods: (source, path) => [
    ...namedMetricErrors(source, path),
    ...(hasTarget(source, 'averageValue')
      ? noErrors
      : [required(`${path}.target.averageValue`, 'must specify a positive target averageValue')]),
  ],
  resource: (source, path) => [
    ...(textAt(source, 'name') === '' ? [required(`${path}.name`, 'must specify a resource name')] : noErrors),
    ...usageErrors(source, path),
  ],
  containerResource: (source, path) => {
    const [name, container] = [textAt(source, 'name'), textAt(source, 'container')]
    return [
      ...(name === ''
        ? [required(`${path}.name`, 'must specify a resource name')]
        : containerResourceErrors(name, `${path}.name`)),
      ...(container === ''
        ? [required(`${path}.container`, 'must specify a container')]
        : invalids(`${path}.container`, container, dns1123Label(container))),
      ...usageErrors(source, path),
    ]
  },
}

export function metricErrors(metric: JsonObject, path: string, options: ReferenceOptions): FieldErrors {
  const type = textAt(metric, 'type')
  const wanted = Object.hasOwn(sources, type) ? sources[type] : undefined
  const unknown = notSupported(`${path}.type`, type, Object.keys(sources))
  const present = Object.keys(judges).filter((key) => structAt(metric, key) !== undefined)
  const [first] = present
  const source = first === undefined ? undefined : structAt(metric, first)
  const judge = first === undefined ? undefined : judges[first]
  return [
    ...(type === '' ? [required(`${path}.type`, 'must specify a metric source type')] : noErrors),
    ...(wanted === undefined ? [unknown] : noErrors),
    ...(judge === undefined || source === undefined ? noErrors : judge(source, `${path}.${first}`, options)),
    ...(wanted === undefined
      ? [unknown] // The real server reports this error twice.
      : missingErrors(metric, wanted, path)),
    ...otherErrors(present, wanted, path),
  ]
}

function missingErrors(metric: JsonObject, wanted: string, path: string): FieldError[] {
  return structAt(metric, wanted) === undefined
    ? [required(`${path}.${wanted}`, 'must populate information for the given metric source')]
    : []
}

function otherErrors(present: readonly string[], wanted: string | undefined, path: string): FieldErrors {
  if (present.length === 1) return noErrors
  return present
    .filter((key) => key !== wanted)
    .map((key) => forbidden(`${path}.${key}`, 'must populate the given metric source only'))
}

/** True for an Object metric whose apiVersion new metrics may not have. */
export function hasUngroupedMetric(metric: JsonObject): boolean {
  if (textAt(metric, 'type') !== 'Object') return false
  const described = structAt(structAt(metric, 'object'), 'describedObject')
  return textAt(described, 'apiVersion').split('/').length > 2
}

/** Validates a reference to an object by kind, name and apiVersion. */
export function scaleTargetErrors(reference: Struct, path: string, options: ReferenceOptions): FieldErrors {
  return [
    ...segmentErrors(textAt(reference, 'kind'), `${path}.kind`),
    ...segmentErrors(textAt(reference, 'name'), `${path}.name`),
    ...versionErrors(textAt(reference, 'apiVersion'), `${path}.apiVersion`, options),
  ]
}

function versionErrors(version: string, path: string, options: ReferenceOptions): FieldError[] {
  if (options.allowsInvalidVersion) return []
  const parts = version.split('/')
  if (parts.length > 2) return [invalid(path, version, `unexpected GroupVersion string: ${version}`)]
  const hasGroup = parts.length === 2 && parts[0] !== ''
  return hasGroup || options.allowsEmptyGroup ? [] : [invalid(path, version, 'apiVersion must specify API group')]
}

function namedMetricErrors(source: JsonObject, path: string): FieldErrors {
  const name = textAt(structAt(source, 'metric'), 'name')
  return [
    ...(name === ''
      ? [required(`${path}.metric.name`, 'must specify a metric name')]
      : segmentErrors(name, `${path}.metric.name`)),
    ...targetErrors(structAt(source, 'target'), `${path}.target`),
  ]
}

function usageErrors(source: JsonObject, path: string): FieldErrors {
  return [
    ...targetErrors(structAt(source, 'target'), `${path}.target`),
    ...oneTargetErrors(source, path, {
      keys: ['averageUtilization', 'averageValue'],
      missing: ['averageUtilization', 'must set either a target raw value or a target utilization'],
      both: ['averageValue', 'may not set both a target raw value and a target utilization'],
    }),
  ]
}

interface OneTarget {
  readonly keys: readonly string[]
  readonly missing: readonly [key: string, detail: string]
  readonly both: readonly [key: string, detail: string]
}

function oneTargetErrors(source: JsonObject, path: string, { keys, missing, both }: OneTarget): FieldErrors {
  const count = keys.filter((key) => hasTarget(source, key)).length
  if (count === 0) return [required(`${path}.target.${missing[0]}`, missing[1])]
  return count === 1 ? noErrors : [forbidden(`${path}.target.${both[0]}`, both[1])]
}

function hasTarget(source: JsonObject, key: string): boolean {
  return valueAt(structAt(source, 'target'), key) !== undefined
}

function targetErrors(target: Struct, path: string): FieldErrors {
  const type = textAt(target, 'type')
  const utilization = optionalIntegerAt(target, 'averageUtilization')
  return [
    ...(type === '' ? [required(`${path}.type`, 'must specify a metric target type')] : noErrors),
    ...(['Utilization', 'Value', 'AverageValue'].includes(type)
      ? noErrors
      : [invalid(`${path}.type`, type, 'must be either Utilization, Value, or AverageValue')]),
    ...positiveErrors(optionalTextAt(target, 'value'), `${path}.value`),
    ...positiveErrors(optionalTextAt(target, 'averageValue'), `${path}.averageValue`),
    ...(utilization !== undefined && utilization < 1
      ? [invalid(`${path}.averageUtilization`, utilization, 'must be greater than 0')]
      : noErrors),
  ]
}

function positiveErrors(quantity: string | undefined, path: string): FieldErrors {
  const amount = quantity === undefined ? undefined : parseQuantity(quantity)
  return amount === undefined || amount.coefficient > 0n ? noErrors : [invalid(path, quantity, 'must be positive')]
}
