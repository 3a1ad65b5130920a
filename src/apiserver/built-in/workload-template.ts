// Pod templates of workloads: the core rules, plus labels that match the selector, and a restart policy.
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

/** Returns the spec of a workload with the defaults of its template. */
export function withTemplateDefaults(spec: JsonObject): JsonObject {
  return withEmbedded(spec, 'template', podTemplateDefaults)
}

export function templateErrors(template: JsonObject, path: string): FieldErrors {
  return validatePodTemplateSpec(template, path)
}

/** A second validation, for StatefulSets only. */
export function validateTemplateMetadata(template: JsonObject, path: string): FieldErrors {
  const metadata = structAt(template, 'metadata')
  return [
    ...validateLabels(valueAt(metadata, 'labels'), `${path}.labels`),
    ...validateAnnotations(valueAt(metadata, 'annotations'), `${path}.annotations`),
    ...annotationsErrors(metadata, mapAt(template, 'spec'), `${path}.annotations`),
  ]
}

/** Returns the warnings for the template of `spec`; the old spec is unused. */
export function templateWarnings(spec: JsonObject, path: string, _oldSpec: Struct): readonly string[] {
  return podWarnings(structAt(spec, 'template'), `${path}.template`)
}

/** The selector of a workload must match its own pods. */
export function templateLabelErrors(template: JsonObject, matcher: LabelMatcher, path: string): FieldErrors {
  if (matcher.isEmpty) return noErrors
  return unchosenLabelsErrors(template, matcher, path)
}

/** As `templateLabelErrors`, for a workload whose selector may be absent or empty. */
export function unchosenLabelsErrors(template: JsonObject, matcher: LabelMatcher, path: string): FieldErrors {
  const metadata = mapAt(template, 'metadata')
  if (matcher.matches(mapAt(metadata, 'labels'))) return noErrors
  const shown = shownMap(structAt(metadata, 'labels'))
  return [invalid(`${path}.metadata.labels`, shown, '`selector` does not match template `labels`')]
}

/** Pods of a workload with a fixed number of replicas must have restartPolicy Always and no deadline. */
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
