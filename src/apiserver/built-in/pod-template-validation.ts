// Validation of pods and pod templates, with the annotations that affect the spec.
// Source: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (ValidatePodTemplateSpec, ValidatePodCreate).
import type { JsonObject } from '../../base/json.ts'
import { forbidden, invalid } from '../field-error.ts'
import { dnsSubdomainName } from '../name-rules.ts'
import { validateAnnotations, validateLabels } from '../object-meta.ts'
import { notServed } from '../status-error.ts'
import { validateCoreMetadata } from './core-metadata.ts'
import {
  eachItem,
  type FieldErrors,
  mapAt,
  noErrors,
  type Struct,
  structAt,
  structIn,
  structsAt,
  textAt,
  valueAt,
} from './field-walk.ts'
import { templateContext } from './pod-context.ts'
import { locatedContainers, validatePodSpec } from './pod-spec-validation.ts'

const mirrorAnnotation = 'kubernetes.io/config.mirror'
const deletionCostAnnotation = 'controller.kubernetes.io/pod-deletion-cost'
/** Deprecated annotations that fields have replaced. */
const unservedAnnotations = [
  'container.apparmor.security.beta.kubernetes.io/',
  'container.seccomp.security.alpha.kubernetes.io/',
  'seccomp.security.alpha.kubernetes.io/pod',
  'scheduler.alpha.kubernetes.io/tolerations',
]
const maxCost = 2n ** 31n - 1n

/** Validates the `template` of a workload at the path `field`; `oldTemplate` is absent on creation. */
export function validatePodTemplateSpec(template: Struct, field: string, oldTemplate?: Struct): FieldErrors {
  const metadata = structAt(template, 'metadata')
  const spec = structAt(template, 'spec') ?? {}
  return [
    ...validateLabels(valueAt(metadata, 'labels'), `${field}.labels`),
    ...validateAnnotations(valueAt(metadata, 'annotations'), `${field}.annotations`),
    ...annotationsErrors(metadata, spec, `${field}.annotations`),
    ...validatePodSpec(spec, `${field}.spec`, templateContext(structAt(oldTemplate, 'spec'))),
  ]
}

/** Validates a pod at its creation. */
export function validatePodCreate(pod: JsonObject): FieldErrors {
  const spec = structAt(pod, 'spec') ?? {}
  const isGated = structsAt(spec, 'schedulingGates').length > 0
  return [
    ...validatePod(pod),
    ...(isGated && textAt(spec, 'nodeName') !== ''
      ? [forbidden('spec.nodeName', 'cannot be set until all schedulingGates have been cleared')]
      : []),
  ]
}

/** Validates a pod at creation and update; `oldSpec` is absent on creation. */
export function validatePod(pod: JsonObject, oldSpec?: Struct): FieldErrors {
  const metadata = structAt(pod, 'metadata') ?? {}
  const spec = structAt(pod, 'spec') ?? {}
  return [
    ...validateCoreMetadata(metadata, { isNamespaced: true, validateName: dnsSubdomainName }),
    ...annotationsErrors(metadata, spec, 'metadata.annotations'),
    ...validatePodSpec(spec, 'spec', { isPod: true, podName: textAt(metadata, 'name'), oldSpec }),
    ...tokenErrors(spec),
    ...imageErrors(spec),
  ]
}

export function annotationsErrors(metadata: Struct, spec: JsonObject, field: string): FieldErrors {
  const annotations = mapAt(metadata, 'annotations')
  const unserved = Object.keys(annotations).find((key) => unservedAnnotations.some((prefix) => key.startsWith(prefix)))
  if (unserved !== undefined) throw notServed(`The annotation ${field}[${unserved}]`)
  const cost = textAt(annotations, deletionCostAnnotation)
  const isMirror = Object.hasOwn(annotations, mirrorAnnotation)
  const costFault = Object.hasOwn(annotations, deletionCostAnnotation) && !isInt32(cost)
  return [
    ...(isMirror && textAt(spec, 'nodeName') === ''
      ? [
          invalid(
            `${field}[${mirrorAnnotation}]`,
            textAt(annotations, mirrorAnnotation),
            'must set spec.nodeName if mirror pod annotation is set',
          ),
        ]
      : []),
    ...(costFault ? [invalid(`${field}[${deletionCostAnnotation}]`, cost, 'must be a 32bit integer')] : []),
  ]
}

export function mirrorAnnotationErrors(pod: JsonObject, old: JsonObject): FieldErrors {
  const field = `metadata.annotations[${mirrorAnnotation}]`
  const annotation = valueAt(structIn(pod, 'metadata', 'annotations'), mirrorAnnotation)
  const before = valueAt(structIn(old, 'metadata', 'annotations'), mirrorAnnotation)
  if (annotation === before) return noErrors
  return [
    forbidden(
      field,
      before === undefined ? 'may not add mirror pod annotation' : 'may not remove or update mirror pod annotation',
    ),
  ]
}

/** True for an int32 without a plus sign and leading zeros. */
function isInt32(text: string): boolean {
  if (!/^(0|[1-9]\d{0,9}|-\d{1,19})$/.test(text)) return false
  const value = BigInt(text)
  return value <= maxCost && value >= -maxCost - 1n
}

function tokenErrors(spec: JsonObject): FieldErrors {
  if (textAt(spec, 'serviceAccountName') !== '') return noErrors
  return eachItem(structsAt(spec, 'volumes'), 'spec.volumes', (volume, path) =>
    eachItem(structsAt(structAt(volume, 'projected'), 'sources'), `${path}.projected.sources`, (source, sourcePath) =>
      structAt(source, 'serviceAccountToken') === undefined
        ? noErrors
        : [forbidden(`${sourcePath}.serviceAccountToken`, 'must not be specified when serviceAccountName is not set')],
    ),
  )
}

function imageErrors(spec: JsonObject): FieldErrors {
  return locatedContainers(spec, 'spec').flatMap(({ container, path }) => {
    const image = textAt(container, 'image')
    return image.trim() === image
      ? noErrors
      : [invalid(`${path}.image`, image, 'must not have leading or trailing whitespace')]
  })
}
