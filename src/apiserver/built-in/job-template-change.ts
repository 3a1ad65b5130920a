// Changes of the pod template of an existing Job. The template is immutable, except while the Job is suspended without
// pods.
// Then its scheduling, labels, annotations and container resources may change.
// Source: k8s.io/kubernetes/pkg/apis/batch/validation/validation.go, pkg/registry/batch/job/strategy.go.
import type { JsonObject } from '../../base/json.ts'
import {
  type FieldErrors,
  integerAt,
  isTrueAt,
  mapAt,
  type Struct,
  structAt,
  structsAt,
  textAt,
  valueAt,
  withField,
  withoutField,
} from './field-walk.ts'
import { isConditionTrue } from './job-status.ts'
import { immutableErrors, keepField } from './kind-rules.ts'
import { shownPodSpec, shownPodTemplate } from './shown-pod.ts'

export function jobTemplateChangeErrors(object: JsonObject, old: JsonObject): FieldErrors {
  const template = mapAt(structAt(object, 'spec'), 'template')
  const oldTemplate = mapAt(structAt(old, 'spec'), 'template')
  if (!isChangeable(old)) {
    return immutableErrors(template, oldTemplate, {
      path: 'spec.template',
      shown: () => shownPodTemplate(template),
    })
  }
  const pod = mapAt(template, 'spec')
  return immutableErrors(pod, allowedPod(pod, mapAt(oldTemplate, 'spec')), {
    path: 'spec.template.spec',
    shown: () => shownPodSpec(pod),
  })
}

/** True if the Job is suspended and has no pods: it never started, or its suspension is complete. */
function isChangeable(job: JsonObject): boolean {
  const status = structAt(job, 'status')
  const isIdle = valueAt(status, 'startTime') === undefined || isConditionTrue(status, 'Suspended')
  return isTrueAt(structAt(job, 'spec'), 'suspend') && isIdle && integerAt(status, 'active') === 0
}

/** Returns the old pod with all mutable fields of the new one. */
function allowedPod(pod: JsonObject, old: JsonObject): JsonObject {
  const placed = ['nodeSelector', 'tolerations', 'schedulingGates'].reduce(
    (allowed, key) => keepField(allowed, pod, key),
    old,
  )
  const affinity = allowedAffinity(structAt(pod, 'affinity'), structAt(old, 'affinity'))
  const withAffinity =
    affinity === undefined ? withoutField(placed, 'affinity') : withField(placed, 'affinity', affinity)
  return ['containers', 'initContainers'].reduce((allowed, key) => withResources(allowed, pod, key), withAffinity)
}

/** Only nodeAffinity may change. */
function allowedAffinity(affinity: Struct, old: Struct): Struct {
  if (affinity !== undefined) return keepField(old ?? {}, affinity, 'nodeAffinity')
  if (old === undefined) return undefined
  const rest = withoutField(old, 'nodeAffinity')
  return Object.keys(rest).length === 0 ? undefined : rest
}

function withResources(allowed: JsonObject, pod: JsonObject, key: string): JsonObject {
  const containers = structsAt(pod, key)
  const oldContainers = structsAt(allowed, key)
  if (containers.length !== oldContainers.length || containers.length === 0) return allowed
  const changed = oldContainers.map((container, index) => {
    const next = containers[index]
    return next !== undefined && textAt(next, 'name') === textAt(container, 'name')
      ? keepField(container, next, 'resources')
      : container
  })
  return withField(allowed, key, changed)
}
