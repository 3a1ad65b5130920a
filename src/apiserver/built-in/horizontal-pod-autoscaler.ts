// Kind HorizontalPodAutoscaler of autoscaling/v2: scale target, bounds, metrics and behavior.
// Sources: k8s.io/kubernetes/pkg/apis/autoscaling/{v2/defaults.go,validation},
// pkg/registry/autoscaling/horizontalpodautoscaler.

import type { JsonObject } from '../../base/json.ts'
import { compareQuantities, parseQuantity } from '../../object/quantity.ts'
import { type FieldError, forbidden, invalid, notSupported, required } from '../field-error.ts'
import { dnsSubdomainName } from '../name-rules.ts'
import { hasUngroupedMetric, metricErrors, type ReferenceOptions, scaleTargetErrors } from './autoscaler-metrics.ts'
import { nonNegatives } from './count-rules.ts'
import {
  eachItem,
  type FieldErrors,
  integerAt,
  mapAt,
  noErrors,
  optionalIntegerAt,
  optionalTextAt,
  type Struct,
  structAt,
  structsAt,
  textAt,
  withDefaults,
  withEmbedded,
  withField,
  withStruct,
} from './field-walk.ts'
import {
  changedMetadataErrors,
  type KindRules,
  keepField,
  newMetadataErrors,
  statusIsReset,
  statusSteps,
  usualRules,
} from './kind-rules.ts'

const maxPeriodSeconds = 1_800
const maxWindowSeconds = 3_600

const cpuMetric = {
  type: 'Resource',
  resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } },
}
const scaleUpDefaults = {
  stabilizationWindowSeconds: 0,
  selectPolicy: 'Max',
  policies: [
    { type: 'Pods', value: 4, periodSeconds: 15 },
    { type: 'Percent', value: 100, periodSeconds: 15 },
  ],
}
/** The stabilization window is a setting of the controller manager. */
const scaleDownDefaults = {
  selectPolicy: 'Max',
  policies: [{ type: 'Percent', value: 100, periodSeconds: 15 }],
}

export const horizontalPodAutoscalerRules: KindRules = {
  ...usualRules,
  setDefaults: (object) => withEmbedded(object, 'spec', specDefaults),
  prepareForCreate: (object) => withField(object, 'status', { desiredReplicas: 0, currentMetrics: null }),
  prepareForUpdate: (object, old) => keepField(object, old, 'status'),
  validateCreate: (object) => [
    ...newMetadataErrors(object, dnsSubdomainName),
    ...specErrors(mapAt(object, 'spec'), undefined),
  ],
  validateUpdate: (object, old) => [
    ...changedMetadataErrors(object, old),
    ...specErrors(mapAt(object, 'spec'), structAt(old, 'spec')),
  ],
  resetFields: statusIsReset,
  status: statusSteps((object, old) => [
    ...changedMetadataErrors(object, old),
    ...nonNegatives(structAt(object, 'status'), 'status', ['currentReplicas', 'desiredReplicas']),
  ]),
}

function specDefaults(spec: JsonObject): JsonObject {
  const measured = structsAt(spec, 'metrics').length === 0 ? withField(spec, 'metrics', [cpuMetric]) : spec
  return withStruct(withDefaults(measured, { minReplicas: 1 }), 'behavior', (behavior) =>
    withEmbedded(
      withEmbedded(behavior, 'scaleUp', (rules) => withDefaults(rules, scaleUpDefaults)),
      'scaleDown',
      (rules) => withDefaults(rules, scaleDownDefaults),
    ),
  )
}

/** `oldSpec` is absent on creation. */
function specErrors(spec: JsonObject, oldSpec: Struct): FieldErrors {
  const behavior = structAt(spec, 'behavior')
  return [
    ...boundsErrors(spec, optionalIntegerAt(oldSpec, 'minReplicas') === 0 ? 0 : 1),
    ...scaleTargetErrors(structAt(spec, 'scaleTargetRef'), 'spec.scaleTargetRef', targetOptions(spec, oldSpec)),
    ...metricsErrors(spec, oldSpec),
    ...scalingErrors(structAt(behavior, 'scaleUp'), 'spec.behavior.scaleUp'),
    ...scalingErrors(structAt(behavior, 'scaleDown'), 'spec.behavior.scaleDown'),
  ]
}

function boundsErrors(spec: JsonObject, lowest: number): FieldErrors {
  const least = optionalIntegerAt(spec, 'minReplicas')
  const most = integerAt(spec, 'maxReplicas')
  const path = 'spec.maxReplicas'
  return [
    ...(least !== undefined && least < lowest
      ? [invalid('spec.minReplicas', least, `must be greater than or equal to ${lowest}`)]
      : noErrors),
    ...(most === 0 ? [required(path, 'must be set and greater than 0')] : noErrors),
    ...(most < 0 ? [invalid(path, most, 'must be greater than or equal to 1')] : noErrors),
    ...(least !== undefined && most < least
      ? [invalid(path, most, 'must be greater than or equal to `minReplicas`')]
      : noErrors),
  ]
}

/** A scale target that an update leaves unchanged may keep an apiVersion that is invalid for new ones. */
function targetOptions(spec: JsonObject, oldSpec: Struct): ReferenceOptions {
  const target = structAt(spec, 'scaleTargetRef')
  const oldTarget = structAt(oldSpec, 'scaleTargetRef')
  const isSame =
    oldSpec !== undefined && ['apiVersion', 'kind'].every((key) => textAt(target, key) === textAt(oldTarget, key))
  return {
    allowsInvalidVersion: isSame,
    allowsEmptyGroup: !isSame && textAt(target, 'kind') === 'ReplicationController',
  }
}

function metricsErrors(spec: JsonObject, oldSpec: Struct): FieldErrors {
  const path = 'spec.metrics'
  const metrics = structsAt(spec, 'metrics')
  const options = {
    allowsInvalidVersion: structsAt(oldSpec, 'metrics').some(hasUngroupedMetric),
    allowsEmptyGroup: true,
  }
  const canWake = metrics.some((metric) => ['Object', 'External'].includes(textAt(metric, 'type')))
  return [
    ...eachItem(metrics, path, (metric, at) => metricErrors(metric, at, options)),
    ...(optionalIntegerAt(spec, 'minReplicas') === 0 && !canWake
      ? [forbidden(path, 'must specify at least one Object or External metric to support scaling to zero replicas')]
      : noErrors),
  ]
}

function scalingErrors(rules: Struct, path: string): FieldErrors {
  if (rules === undefined) return noErrors
  const window = optionalIntegerAt(rules, 'stabilizationWindowSeconds') ?? 0
  const windowPath = `${path}.stabilizationWindowSeconds`
  const select = optionalTextAt(rules, 'selectPolicy')
  const selects = ['Disabled', 'Max', 'Min']
  const policies = structsAt(rules, 'policies')
  return [
    ...(window < 0 ? [invalid(windowPath, window, 'must be greater than or equal to zero')] : noErrors),
    ...(window > maxWindowSeconds
      ? [invalid(windowPath, window, `must be less than or equal to ${maxWindowSeconds}`)]
      : noErrors),
    ...(select === undefined || selects.includes(select)
      ? noErrors
      : [notSupported(`${path}.selectPolicy`, select, selects)]),
    ...(policies.length === 0 ? [required(`${path}.policies`, 'must specify at least one Policy')] : noErrors),
    ...eachItem(policies, `${path}.policies`, policyErrors),
    ...toleranceErrors(rules, `${path}.tolerance`),
  ]
}

function policyErrors(policy: JsonObject, path: string): FieldError[] {
  const type = textAt(policy, 'type')
  const value = integerAt(policy, 'value')
  const period = integerAt(policy, 'periodSeconds')
  const periodPath = `${path}.periodSeconds`
  return [
    ...(type === 'Pods' || type === 'Percent' ? [] : [notSupported(`${path}.type`, type, ['Percent', 'Pods'])]),
    ...(value <= 0 ? [invalid(`${path}.value`, value, 'must be greater than zero')] : []),
    ...(period <= 0 ? [invalid(periodPath, period, 'must be greater than zero')] : []),
    ...(period > maxPeriodSeconds
      ? [invalid(periodPath, period, `must be less than or equal to ${maxPeriodSeconds}`)]
      : []),
  ]
}

function toleranceErrors(rules: JsonObject, path: string): FieldErrors {
  const tolerance = optionalTextAt(rules, 'tolerance')
  if (tolerance === undefined) return noErrors
  const [quantity, zero] = [parseQuantity(tolerance), parseQuantity('0')]
  const isNegative = quantity !== undefined && zero !== undefined && compareQuantities(quantity, zero) < 0
  return isNegative ? [invalid(path, tolerance, 'must be greater than or equal to 0')] : noErrors
}
