// Canonical form of pods: deprecated field names follow the current ones, and obsolete annotations are dropped.
// Source: k8s.io/kubernetes/pkg/apis/core/v1/conversion.go (to the internal types and back).
import type { JsonObject } from '../../base/json.ts'
import { integerAt, structAt, structsAt, textAt, withField, withoutField, withStruct } from './field-walk.ts'

const oldAnnotations = [
  'pod.beta.kubernetes.io/init-containers',
  'pod.alpha.kubernetes.io/init-containers',
  'pod.beta.kubernetes.io/init-container-statuses',
  'pod.alpha.kubernetes.io/init-container-statuses',
]

export function podForm(pod: JsonObject): JsonObject {
  const specified = withStruct(pod, 'spec', (spec) => podSpecForm(withGracePeriod(spec)))
  return withStruct(withStruct(specified, 'metadata', withoutOldAnnotations), 'status', podStatusForm)
}

export function podTemplateForm(template: JsonObject): JsonObject {
  return withStruct(withStruct(template, 'spec', podSpecForm), 'metadata', withoutOldAnnotations)
}

/** `serviceAccount` is an alias of `serviceAccountName`; the latter wins. */
function podSpecForm(spec: JsonObject): JsonObject {
  const name = textAt(spec, 'serviceAccountName') || textAt(spec, 'serviceAccount')
  if (name === '') return spec
  return withField(withField(spec, 'serviceAccountName', name), 'serviceAccount', name)
}

function withGracePeriod(spec: JsonObject): JsonObject {
  return integerAt(spec, 'terminationGracePeriodSeconds') < 0
    ? withField(spec, 'terminationGracePeriodSeconds', 1)
    : spec
}

/** `podIP` is the first of `podIPs`; if they differ, `podIP` wins. */
function podStatusForm(status: JsonObject): JsonObject {
  const ip = textAt(status, 'podIP')
  const ips = structsAt(status, 'podIPs')
  const first = textAt(ips[0], 'ip')
  if (ip === '') return first === '' ? status : withField(status, 'podIP', first)
  return ips.length > 0 && first === ip ? status : withField(status, 'podIPs', [{ ip }])
}

function withoutOldAnnotations(metadata: JsonObject): JsonObject {
  const annotations = structAt(metadata, 'annotations')
  if (annotations === undefined) return metadata
  return withField(metadata, 'annotations', oldAnnotations.reduce(withoutField, annotations))
}
