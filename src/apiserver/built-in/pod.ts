// Kind Pod: creation, updates and graceful deletion.
// Sources: k8s.io/kubernetes/pkg/registry/core/pod/strategy.go, pkg/api/pod/util.go.
import type { JsonObject } from '../../base/json.ts'
import { dns1123Label } from '../name-rules.ts'
import {
  integerAt,
  mapAt,
  optionalIntegerAt,
  structIn,
  structsAt,
  textAt,
  valueAt,
  withField,
  withItems,
  withoutField,
  withStruct,
} from './field-walk.ts'
import { ipWarnings } from './ip-rules.ts'
import { type KindRules, keepField, nextGenerationIf, statusIsReset, usualRules, withGeneration } from './kind-rules.ts'
import { podDefaults } from './pod-defaults.ts'
import { withoutDisabledFields } from './pod-disabled-fields.ts'
import { withLabelKeys } from './pod-label-keys.ts'
import { qosClassOf } from './pod-qos.ts'
import { validatePodStatusUpdate } from './pod-status-validation.ts'
import { validatePodCreate } from './pod-template-validation.ts'
import { validatePodUpdate } from './pod-update-validation.ts'
import { podWarnings } from './pod-warnings.ts'
import { semanticEqual } from './semantic-equality.ts'

export const podRules: KindRules = {
  ...usualRules,
  setDefaults: podDefaults,
  prepareForCreate: (pod, { timestamp }) => {
    const enabled = withStruct(pod, 'spec', withoutDisabledFields)
    return withGeneration(
      withLabelKeys(withField(enabled, 'status', firstStatus(mapAt(enabled, 'spec'), timestamp))),
      1,
    )
  },
  validateCreate: validatePodCreate,
  warningsOnCreate: (pod) => [...nameWarnings(pod), ...podWarnings(pod, '')],
  prepareForUpdate: (pod, old) => {
    const enabled = withStruct(keepField(pod, old, 'status'), 'spec', withoutDisabledFields)
    return nextGenerationIf(!semanticEqual(valueAt(enabled, 'spec'), valueAt(old, 'spec')), enabled, old)
  },
  validateUpdate: validatePodUpdate,
  resetFields: statusIsReset,
  status: {
    prepareForUpdate: prepareStatus,
    validateUpdate: validatePodStatusUpdate,
    warningsOnUpdate: addressWarnings,
    resetFields: [['spec'], ['metadata', 'deletionTimestamp'], ['metadata', 'ownerReferences']],
  },
  selectableFields: (pod) => {
    const [spec, status] = [mapAt(pod, 'spec'), mapAt(pod, 'status')]
    return {
      'spec.nodeName': textAt(spec, 'nodeName'),
      // Deprecated name of the same field.
      'spec.host': textAt(spec, 'nodeName'),
      'spec.restartPolicy': textAt(spec, 'restartPolicy'),
      'spec.schedulerName': textAt(spec, 'schedulerName'),
      'spec.serviceAccountName': textAt(spec, 'serviceAccountName'),
      'spec.hostNetwork': String(valueAt(spec, 'hostNetwork') === true),
      'status.phase': textAt(status, 'phase'),
      'status.podIP': textAt(structsAt(status, 'podIPs')[0], 'ip'),
      // The server accepts this selector, but never fills the field.
      'status.podIPs': '',
      'status.nominatedNodeName': textAt(status, 'nominatedNodeName'),
    }
  },
  gracePeriodSeconds,
  returnsDeletedObject: true,
}

/** A pod without a node, or a finished pod, is deleted at once. */
function gracePeriodSeconds(pod: JsonObject, requested: number | undefined): number {
  const [spec, status] = [mapAt(pod, 'spec'), mapAt(pod, 'status')]
  const isOver = textAt(status, 'phase') === 'Failed' || textAt(status, 'phase') === 'Succeeded'
  if (textAt(spec, 'nodeName') === '' || isOver) return 0
  const seconds = requested ?? optionalIntegerAt(spec, 'terminationGracePeriodSeconds') ?? 0
  return seconds < 0 ? 1 : seconds
}

function firstStatus(spec: JsonObject, timestamp: string): JsonObject {
  const status = { phase: 'Pending', qosClass: qosClassOf(spec) }
  if (structsAt(spec, 'schedulingGates').length === 0) return status
  const gated = {
    type: 'PodScheduled',
    status: 'False',
    lastProbeTime: null,
    lastTransitionTime: timestamp,
    reason: 'SchedulingGated',
    message: 'Scheduling is blocked due to non-empty scheduling gates',
  }
  return { ...status, conditions: [gated] }
}

/** The pod's name becomes its hostname. */
function nameWarnings(pod: JsonObject): readonly string[] {
  const faults = dns1123Label(textAt(mapAt(pod, 'metadata'), 'name'))
  if (faults.length === 0) return []
  return [
    `metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [${faults.join(' ')}]`,
  ]
}

/** Restores fields that a status update may not change, and fields that old kubelets omit. */
function prepareStatus(pod: JsonObject, old: JsonObject): JsonObject {
  const kept = keepField(pod, old, 'spec')
  const owned = withStruct(kept, 'metadata', (metadata) =>
    keepField(withoutField(metadata, 'deletionTimestamp'), mapAt(old, 'metadata'), 'ownerReferences'),
  )
  return withStruct(owned, 'status', (status) => withObservedGenerations(status, mapAt(old, 'status')))
}

function withObservedGenerations(status: JsonObject, old: JsonObject): JsonObject {
  const classed = textAt(status, 'qosClass') === '' ? keepField(status, old, 'qosClass') : status
  const observed =
    integerAt(classed, 'observedGeneration') === 0 ? keepField(classed, old, 'observedGeneration') : classed
  const before = new Map<string, JsonObject[]>()
  for (const condition of structsAt(old, 'conditions'))
    before.set(textAt(condition, 'type'), [...(before.get(textAt(condition, 'type')) ?? []), condition])
  return withItems(observed, 'conditions', (condition) => {
    const earlier = before.get(textAt(condition, 'type'))?.shift()
    const isSilent = integerAt(condition, 'observedGeneration') === 0
    return isSilent && earlier !== undefined ? keepField(condition, earlier, 'observedGeneration') : condition
  })
}

function addressWarnings(pod: JsonObject): readonly string[] {
  return ['podIPs', 'hostIPs'].flatMap((key) =>
    structsAt(structIn(pod, 'status'), key).flatMap((item, index) =>
      ipWarnings(textAt(item, 'ip'), `status.${key}[${index}].ip`),
    ),
  )
}
