// Kind Deployment. Its selector must match its own template.
// Sources: k8s.io/kubernetes/pkg/apis/apps/{v1,validation}, pkg/registry/apps/deployment.
import { deepEqual, type JsonObject } from '../../base/json.ts'
import { forbidden, invalid, notSupported, required } from '../field-error.ts'
import { dnsSubdomainName } from '../name-rules.ts'
import { collisionCountErrors, nonNegatives, notAbove } from './count-rules.ts'
import {
  type FieldErrors,
  integerAt,
  mapAt,
  noErrors,
  optionalIntegerAt,
  type Struct,
  structAt,
  textAt,
  valueAt,
  withDefaults,
  withEmbedded,
  withField,
  withStruct,
} from './field-walk.ts'
import { above100PercentErrors, intOrPercentErrors, isZeroIntOrPercent } from './int-or-percent.ts'
import {
  asNew,
  changedMetadataErrors,
  isGenerationChanged,
  isSpecChanged,
  type KindRules,
  keepField,
  newMetadataErrors,
  nextGenerationIf,
  statusIsReset,
  statusSteps,
  usualRules,
} from './kind-rules.ts'
import { chosenPodsErrors, immutableSelectorErrors, podNameWarnings } from './replica-set.ts'
import { showNumber, showPointer, showStruct, showText } from './shown-form.ts'
import { templateWarnings, withTemplateDefaults } from './workload-template.ts'

const strategyForm = showStruct({
  Type: ['type', showText],
  RollingUpdate: [
    'rollingUpdate',
    showPointer(showStruct({ MaxUnavailable: ['maxUnavailable', showNumber], MaxSurge: ['maxSurge', showNumber] })),
  ],
})

const statusEndpoint = statusSteps((object, old) => [
  ...changedMetadataErrors(object, old),
  ...statusErrors(structAt(object, 'status')),
  ...collisionCountErrors(structAt(object, 'status'), structAt(old, 'status')),
])

export const deploymentRules: KindRules = {
  ...usualRules,
  setDefaults: (object) => withEmbedded(object, 'spec', specDefaults),
  prepareForCreate: (object) => asNew(object, {}),
  prepareForUpdate: (object, old) =>
    nextGenerationIf(
      // ReplicaSets inherit the annotations.
      isSpecChanged(object, old) || !deepEqual(annotationsOf(object), annotationsOf(old)),
      keepField(object, old, 'status'),
      old,
    ),
  validateCreate: (object) => [
    ...newMetadataErrors(object, dnsSubdomainName),
    ...specErrors(mapAt(object, 'spec'), 'spec'),
  ],
  validateUpdate: (object, old) => [
    ...changedMetadataErrors(object, old),
    ...specErrors(mapAt(object, 'spec'), 'spec'),
    ...immutableSelectorErrors(object, old),
  ],
  warningsOnCreate: (object) => [
    ...podNameWarnings(object),
    ...templateWarnings(mapAt(object, 'spec'), 'spec', undefined),
  ],
  warningsOnUpdate: (object, old) =>
    isGenerationChanged(object, old) ? templateWarnings(mapAt(object, 'spec'), 'spec', structAt(old, 'spec')) : [],
  resetFields: statusIsReset,
  status: {
    ...statusEndpoint,
    prepareForUpdate: (object, old) =>
      withField(
        keepField(object, old, 'spec'),
        'metadata',
        keepField(mapAt(object, 'metadata'), mapAt(old, 'metadata'), 'labels'),
      ),
    resetFields: [['spec'], ['metadata', 'labels']],
  },
}

function specDefaults(spec: JsonObject): JsonObject {
  const rolled = withEmbedded(withTemplateDefaults(spec), 'strategy', (strategy) => {
    const typed = textAt(strategy, 'type') === '' ? withField(strategy, 'type', 'RollingUpdate') : strategy
    // Neither field is a pointer in the internal type.
    if (textAt(typed, 'type') !== 'RollingUpdate')
      return withStruct(typed, 'rollingUpdate', (rolling) => withDefaults(rolling, { maxUnavailable: 0, maxSurge: 0 }))
    return withEmbedded(typed, 'rollingUpdate', (rolling) =>
      withDefaults(rolling, { maxUnavailable: '25%', maxSurge: '25%' }),
    )
  })
  return withDefaults(rolled, { replicas: 1, revisionHistoryLimit: 10, progressDeadlineSeconds: 600 })
}

function annotationsOf(object: JsonObject): JsonObject {
  return mapAt(structAt(object, 'metadata'), 'annotations')
}

function specErrors(spec: JsonObject, path: string): FieldErrors {
  const deadline = optionalIntegerAt(spec, 'progressDeadlineSeconds')
  const isDeadlineTooEarly = deadline !== undefined && deadline <= integerAt(spec, 'minReadySeconds')
  const at = `${path}.progressDeadlineSeconds`
  return [
    ...nonNegatives(spec, path, ['replicas']),
    ...chosenPodsErrors(spec, path),
    ...strategyErrors(structAt(spec, 'strategy'), `${path}.strategy`),
    ...nonNegatives(spec, path, ['minReadySeconds', 'revisionHistoryLimit', 'progressDeadlineSeconds']),
    ...(isDeadlineTooEarly ? [invalid(at, deadline, 'must be greater than minReadySeconds')] : noErrors),
  ]
}

function strategyErrors(strategy: Struct, path: string): FieldErrors {
  const rolling = structAt(strategy, 'rollingUpdate')
  const at = `${path}.rollingUpdate`
  switch (textAt(strategy, 'type')) {
    case 'Recreate':
      return rolling === undefined
        ? noErrors
        : [forbidden(at, "may not be specified when strategy `type` is 'Recreate'")]
    case 'RollingUpdate':
      return rolling === undefined
        ? [required(at, 'this should be defaulted and never be nil')]
        : rollingErrors(rolling, at)
    default:
      return [notSupported(path, strategyForm(strategy), ['Recreate', 'RollingUpdate'])]
  }
}

function rollingErrors(rolling: JsonObject, path: string): FieldErrors {
  const maxUnavailable = valueAt(rolling, 'maxUnavailable')
  const maxSurge = valueAt(rolling, 'maxSurge')
  const at = `${path}.maxUnavailable`
  const isStuck = isZeroIntOrPercent(maxUnavailable) && isZeroIntOrPercent(maxSurge)
  return [
    ...intOrPercentErrors(maxUnavailable, at),
    ...intOrPercentErrors(maxSurge, `${path}.maxSurge`),
    ...(isStuck ? [invalid(at, maxUnavailable ?? 0, 'may not be 0 when `maxSurge` is 0')] : noErrors),
    ...above100PercentErrors(maxUnavailable, at),
  ]
}

function statusErrors(status: Struct): FieldErrors {
  return [
    ...nonNegatives(status, 'status', [
      'observedGeneration',
      'replicas',
      'updatedReplicas',
      'readyReplicas',
      'availableReplicas',
      'unavailableReplicas',
      'terminatingReplicas',
      'collisionCount',
    ]),
    ...notAbove(status, {
      path: 'status',
      keys: ['updatedReplicas', 'readyReplicas', 'availableReplicas'],
      limit: 'replicas',
      detail: 'cannot be greater than status.replicas',
    }),
    ...notAbove(status, {
      path: 'status',
      keys: ['availableReplicas'],
      limit: 'readyReplicas',
      detail: 'cannot be greater than readyReplicas',
    }),
  ]
}
