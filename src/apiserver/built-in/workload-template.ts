// What does a workload say of the pods it makes? The pod template as core has it, and what each workload demands beside:
// labels that its selector chooses, and a restart policy.
// Source: k8s.io/kubernetes/pkg/apis/apps/validation/validation.go.
import type { JsonObject } from '../../base/json.ts'
import { forbidden, invalid, notSupported } from '../field-error.ts'
import { validateAnnotations, validateLabels } from '../object-meta.ts'
import {
  type FieldErrors,
  mapAt,
  noErrors,
  type Struct,
  structAt,
  structIn,
  textAt,
  valueAt,
  withEmbedded,
} from './field-walk.ts'
import { type LabelMatcher, shownMap } from './label-selector.ts'
import { podTemplateDefaults } from './pod-defaults.ts'
import { annotationsErrors, validatePodTemplateSpec } from './pod-template-validation.ts'
import { podWarnings } from './pod-warnings.ts'

/** The spec of a workload with the defaults of its template. */
export function withTemplateDefaults(spec: JsonObject): JsonObject {
  return withEmbedded(spec, 'template', podTemplateDefaults)
}

export function templateErrors(template: JsonObject, path: string): FieldErrors {
  return validatePodTemplateSpec(template, path)
}

/** What StatefulSets judge once more. */
export function validateTemplateMetadata(template: JsonObject, path: string): FieldErrors {
  const metadata = structAt(template, 'metadata')
  return [
    ...validateLabels(valueAt(metadata, 'labels'), `${path}.labels`),
    ...validateAnnotations(valueAt(metadata, 'annotations'), `${path}.annotations`),
    ...annotationsErrors(metadata, mapAt(template, 'spec'), `${path}.annotations`),
  ]
}

/** `spec` has a template; what was there before does not matter yet. */
export function templateWarnings(spec: JsonObject, path: string, _oldSpec: Struct): readonly string[] {
  return podWarnings(structAt(spec, 'template'), `${path}.template`)
}

/** A workload has to choose the pods that it makes. */
export function templateLabelErrors(template: JsonObject, matcher: LabelMatcher, path: string): FieldErrors {
  if (matcher.isEmpty) return noErrors
  return unchosenLabelsErrors(template, matcher, path)
}

/** The same of a workload whose selector may be absent or empty. */
export function unchosenLabelsErrors(template: JsonObject, matcher: LabelMatcher, path: string): FieldErrors {
  const metadata = mapAt(template, 'metadata')
  if (matcher.matches(mapAt(metadata, 'labels'))) return noErrors
  const shown = shownMap(structAt(metadata, 'labels'))
  return [invalid(`${path}.metadata.labels`, shown, '`selector` does not match template `labels`')]
}

/** Pods of a workload that keeps a number of them running restart always, and have no deadline. */
export function templateRestartErrors(spec: JsonObject, path: string, kind: string): FieldErrors {
  const pod = structIn(spec, 'template', 'spec')
  const policy = textAt(pod, 'restartPolicy')
  const at = `${path}.template.spec`
  const hasDeadline = valueAt(pod, 'activeDeadlineSeconds') !== undefined
  return [
    ...(policy === 'Always' ? noErrors : [notSupported(`${at}.restartPolicy`, policy, ['Always'])]),
    ...(hasDeadline
      ? [forbidden(`${at}.activeDeadlineSeconds`, `activeDeadlineSeconds in ${kind} is not Supported`)]
      : noErrors),
  ]
}
