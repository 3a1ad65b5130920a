// Validation of pod updates. Mutable are images, a shorter deadline, additional tolerations and the removal of
// scheduling gates.
// Source: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (ValidatePodUpdate).
import { deepEqual, type JsonObject } from '../../base/json.ts'
import { type FieldError, forbidden, invalid, required } from '../field-error.ts'
import { notServed } from '../status-error.ts'
import { validateCoreMetadataUpdate } from './core-metadata.ts'
import {
  type FieldErrors,
  integerAt,
  mapAt,
  noErrors,
  optionalIntegerAt,
  structsAt,
  textAt,
  valueAt,
  withField,
  withItems,
  withoutField,
} from './field-walk.ts'
import { annotationsErrors, mirrorAnnotationErrors, validatePod } from './pod-template-validation.ts'
import { validateTolerations } from './scheduling-validation.ts'
import { semanticEqual } from './semantic-equality.ts'

const maxDeadlineSeconds = 2 ** 31 - 1
/** The real server appends a diff in its internal form; this server does not. */
const changeFault =
  'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)\n'

export function validatePodUpdate(pod: JsonObject, old: JsonObject): FieldErrors {
  const [spec, oldSpec] = [mapAt(pod, 'spec'), mapAt(old, 'spec')]
  const errors = [
    ...validateCoreMetadataUpdate(mapAt(pod, 'metadata'), mapAt(old, 'metadata')),
    ...validatePod(pod, oldSpec),
    ...mirrorAnnotationErrors(pod, old),
    // The server validates these a second time.
    ...annotationsErrors(mapAt(pod, 'metadata'), spec, 'metadata.annotations'),
  ]
  for (const list of ['containers', 'initContainers']) {
    const [found, isSameLength] = imagesErrors(spec, oldSpec, list)
    errors.push(...found)
    if (!isSameLength) return errors
  }
  const [deadline, mayGoOn] = deadlineErrors(spec, oldSpec)
  if (!mayGoOn) return [...errors, ...deadline]
  return [
    ...errors,
    ...deadline,
    ...tolerationsErrors(spec, oldSpec),
    ...gatesErrors(spec, oldSpec),
    ...specErrors(spec, oldSpec),
  ]
}

function imagesErrors(spec: JsonObject, oldSpec: JsonObject, list: string): [FieldErrors, boolean] {
  const [containers, before] = [structsAt(spec, list), structsAt(oldSpec, list)]
  const field = `spec.${list}`
  if (containers.length !== before.length)
    return [[forbidden(field, 'pod updates may not add or remove containers')], false]
  const errors = containers.flatMap((container, index): FieldError[] => {
    const image = textAt(container, 'image')
    const path = `${field}[${index}].image`
    return [
      ...(image === '' ? [required(path)] : []),
      ...(image.trim() === image ? [] : [invalid(path, image, 'must not have leading or trailing whitespace')]),
    ]
  })
  return [errors, true]
}

/** A deadline may be set, and may only decrease. */
function deadlineErrors(spec: JsonObject, oldSpec: JsonObject): [FieldErrors, boolean] {
  const field = 'spec.activeDeadlineSeconds'
  const seconds = valueAt(spec, 'activeDeadlineSeconds')
  const before = optionalIntegerAt(oldSpec, 'activeDeadlineSeconds')
  if (typeof seconds !== 'number' && typeof seconds !== 'bigint')
    return before === undefined
      ? [noErrors, true]
      : [[invalid(field, null, 'must not update from a positive integer to nil value')], true]
  if (seconds < 0 || seconds > maxDeadlineSeconds)
    return [[invalid(field, seconds, `must be between 0 and ${maxDeadlineSeconds}, inclusive`)], false]
  if (before !== undefined && before < seconds)
    return [[invalid(field, seconds, 'must be less than or equal to previous value')], false]
  return [noErrors, true]
}

function tolerationsErrors(spec: JsonObject, oldSpec: JsonObject): FieldErrors {
  const tolerations = structsAt(spec, 'tolerations')
  const bare = (toleration: JsonObject): JsonObject => withoutField(toleration, 'tolerationSeconds')
  const isKept = (toleration: JsonObject): boolean =>
    tolerations.some((candidate) => deepEqual(bare(candidate), bare(toleration)))
  return structsAt(oldSpec, 'tolerations').every(isKept)
    ? validateTolerations(tolerations, 'spec.tolerations')
    : [forbidden('spec.tolerations', 'existing toleration can not be modified except its tolerationSeconds')]
}

function gatesErrors(spec: JsonObject, oldSpec: JsonObject): FieldErrors {
  const before = new Set(structsAt(oldSpec, 'schedulingGates').map((gate) => textAt(gate, 'name')))
  const gates = structsAt(spec, 'schedulingGates').map((gate) => textAt(gate, 'name'))
  return gates.flatMap((name, index) =>
    // The server reports the last of two equal gates.
    before.has(name) || gates.lastIndexOf(name) !== index
      ? []
      : [
          forbidden(
            `spec.schedulingGates[${index}].name`,
            `only deletion is allowed, but found new scheduling gate '${name}'`,
          ),
        ],
  )
}

function specErrors(spec: JsonObject, oldSpec: JsonObject): FieldErrors {
  if (semanticEqual(spec, oldSpec)) return noErrors
  const comparable = withChangeable(spec, oldSpec)
  if (semanticEqual(comparable, oldSpec)) return noErrors
  const isGated = structsAt(oldSpec, 'schedulingGates').length > 0
  const isPlaced = ['nodeSelector', 'affinity'].some((key) => !semanticEqual(valueAt(spec, key), valueAt(oldSpec, key)))
  if (isGated && isPlaced)
    throw notServed('A change of spec.nodeSelector or spec.affinity of a pod with scheduling gates')
  return [forbidden('spec', changeFault)]
}

/** Returns the new spec with the mutable fields reset to their old values. */
function withChangeable(spec: JsonObject, oldSpec: JsonObject): JsonObject {
  const imaged = ['containers', 'initContainers'].reduce((result, list) => {
    const before = structsAt(oldSpec, list)
    let index = 0
    return withItems(result, list, (container) => withField(container, 'image', textAt(before[index++], 'image')))
  }, spec)
  return ['activeDeadlineSeconds', 'schedulingGates', 'tolerations'].reduce(
    (result, key) => {
      const before = valueAt(oldSpec, key)
      return before === undefined ? withoutField(result, key) : withField(result, key, before)
    },
    graced(imaged, oldSpec),
  )
}

/** The server reads a negative grace period as 1. */
function graced(spec: JsonObject, oldSpec: JsonObject): JsonObject {
  const before = valueAt(oldSpec, 'terminationGracePeriodSeconds')
  const isMended = integerAt(oldSpec, 'terminationGracePeriodSeconds') < 0
  return isMended && before !== undefined ? withField(spec, 'terminationGracePeriodSeconds', before) : spec
}
