// Kind StatefulSet. Its claim templates, selector and service name are immutable.
// Sources: k8s.io/kubernetes/pkg/apis/apps/{v1/defaults.go,validation/validation.go}, pkg/registry/apps/statefulset.
import { deepEqual, type Json, type JsonObject } from '../../base/json.ts'
import { type FieldError, forbidden, invalid, notSupported, required } from '../field-error.ts'
import { dns1123Label, dnsLabelName } from '../name-rules.ts'
import { invalids } from '../object-meta.ts'
import { claimTemplatesErrors, claimTemplateWarnings, withClaimTemplateDefaults } from './claim-templates.ts'
import { collisionCountErrors, nonNegatives, notAbove } from './count-rules.ts'
import {
  type FieldErrors,
  mapAt,
  noErrors,
  optionalIntegerAt,
  type Struct,
  structAt,
  structIn,
  structsAt,
  textAt,
  valueAt,
  withDefaults,
  withEmbedded,
  withField,
  withoutField,
  withStruct,
  withZeroDefaults,
} from './field-walk.ts'
import { above100PercentErrors, intOrPercentErrors, isZeroIntOrPercent } from './int-or-percent.ts'
import {
  asNew,
  changedMetadataErrors,
  isGenerationChanged,
  type KindRules,
  keepStatus,
  newMetadataErrors,
  statusIsReset,
  statusSteps,
  usualRules,
} from './kind-rules.ts'
import { isEmptySelector, LabelMatcher, shownSelector, validateLabelSelector } from './label-selector.ts'
import { showNumber, showOptional, showPointer, showStruct, showText } from './shown-form.ts'
import {
  templateErrors,
  templateLabelErrors,
  templateRestartErrors,
  templateWarnings,
  validateTemplateMetadata,
  withTemplateDefaults,
} from './workload-template.ts'

const rollingUpdateForm = showStruct({
  Partition: ['partition', showNumber],
  MaxUnavailable: ['maxUnavailable', showOptional],
})
const strategyForm = showStruct({
  Type: ['type', showText],
  RollingUpdate: ['rollingUpdate', showPointer(rollingUpdateForm)],
})

export const statefulSetRules: KindRules = {
  ...usualRules,
  setDefaults: (object) => withEmbedded(object, 'spec', specDefaults),
  prepareForCreate: (object) =>
    asNew(withStruct(object, 'spec', withoutMaxUnavailable), { replicas: 0, availableReplicas: 0 }),
  prepareForUpdate: (object, old) =>
    keepStatus(
      usesMaxUnavailable(structAt(old, 'spec')) ? object : withStruct(object, 'spec', withoutMaxUnavailable),
      old,
    ),
  validateCreate: (object) => [
    ...newMetadataErrors(object, dnsLabelName),
    ...specErrors(mapAt(object, 'spec'), 'spec', onCreate),
  ],
  validateUpdate,
  warningsOnCreate: (object) => [
    ...templateWarnings(mapAt(object, 'spec'), 'spec', undefined),
    ...claimWarnings(object, ''),
    ...historyWarnings(object),
  ],
  warningsOnUpdate: (object, old) => [
    ...(isGenerationChanged(object, old) ? templateWarnings(mapAt(object, 'spec'), 'spec', structAt(old, 'spec')) : []),
    ...claimWarnings(object, '.Spec'),
    ...historyWarnings(object),
  ],
  resetFields: statusIsReset,
  status: statusSteps((object, old) => [
    ...statusErrors(structAt(object, 'status')),
    ...changedMetadataErrors(object, old),
    ...collisionCountErrors(structAt(object, 'status'), structAt(old, 'status')),
  ]),
}

interface SpecOptions {
  readonly isUpdate: boolean
  /** True if the stored template is invalid: then the new one may be invalid too. */
  readonly skipsTemplate: boolean
}

const onCreate: SpecOptions = { isUpdate: false, skipsTemplate: false }

function specDefaults(spec: JsonObject): JsonObject {
  const withStrategy = withEmbedded(spec, 'updateStrategy', (strategy) =>
    // The partition is no pointer in the internal type: each rolling update has one.
    withStruct(
      textAt(strategy, 'type') === '' ? { rollingUpdate: {}, ...strategy, type: 'RollingUpdate' } : strategy,
      'rollingUpdate',
      (rolling) => withDefaults(rolling, { partition: 0 }),
    ),
  )
  const withClaims = withClaimTemplateDefaults(withTemplateDefaults(withStrategy))
  const withPolicy = withEmbedded(withClaims, 'persistentVolumeClaimRetentionPolicy', (policy) =>
    withZeroDefaults(policy, { whenDeleted: 'Retain', whenScaled: 'Retain' }),
  )
  return withDefaults(withZeroDefaults(withPolicy, { podManagementPolicy: 'OrderedReady' }), {
    replicas: 1,
    revisionHistoryLimit: 10,
  })
}

/** The feature gate of this field is off, so the server drops it unless it is stored. */
function withoutMaxUnavailable(spec: JsonObject): JsonObject {
  return withStruct(spec, 'updateStrategy', (strategy) =>
    withStruct(strategy, 'rollingUpdate', (rolling) => withoutField(rolling, 'maxUnavailable')),
  )
}

function usesMaxUnavailable(spec: Struct): boolean {
  return valueAt(structIn(spec, 'updateStrategy', 'rollingUpdate'), 'maxUnavailable') !== undefined
}

/** Mutable fields of the spec; an update keeps all others. */
const changeable = [
  'replicas',
  'template',
  'updateStrategy',
  'minReadySeconds',
  'ordinals',
  'revisionHistoryLimit',
  'persistentVolumeClaimRetentionPolicy',
]

function validateUpdate(object: JsonObject, old: JsonObject): FieldErrors {
  const spec = mapAt(object, 'spec')
  const oldSpec = mapAt(old, 'spec')
  const skipsTemplate = specErrors(oldSpec, '', { isUpdate: true, skipsTemplate: false }).length > 0
  const isFrozenPartChanged = !deepEqual(frozenPart(spec), frozenPart(oldSpec))
  return [
    ...changedMetadataErrors(object, old),
    ...specErrors(spec, 'spec', { isUpdate: true, skipsTemplate }),
    ...(isFrozenPartChanged
      ? [
          forbidden(
            'spec',
            "updates to statefulset spec for fields other than 'replicas', 'ordinals', 'template', 'updateStrategy', 'revisionHistoryLimit', 'persistentVolumeClaimRetentionPolicy' and 'minReadySeconds' are forbidden",
          ),
        ]
      : noErrors),
  ]
}

function frozenPart(spec: JsonObject): JsonObject {
  return Object.fromEntries(Object.entries(spec).filter(([key]) => !changeable.includes(key)))
}

function specErrors(spec: JsonObject, path: string, options: SpecOptions): FieldErrors {
  const serviceName = textAt(spec, 'serviceName')
  return [
    ...managementErrors(textAt(spec, 'podManagementPolicy'), `${path}.podManagementPolicy`),
    ...updateStrategyErrors(structAt(spec, 'updateStrategy'), `${path}.updateStrategy`),
    ...retentionErrors(structAt(spec, 'persistentVolumeClaimRetentionPolicy'), path),
    ...(options.isUpdate ? noErrors : claimTemplatesErrors(spec, path)),
    ...nonNegatives(spec, path, ['replicas', 'minReadySeconds']),
    ...nonNegatives(structAt(spec, 'ordinals'), `${path}.ordinals`, ['start']),
    ...(options.isUpdate || serviceName === ''
      ? noErrors
      : invalids(`${path}.serviceName`, serviceName, dns1123Label(serviceName))),
    ...selectorErrors(structAt(spec, 'selector'), `${path}.selector`),
    ...podErrors(spec, path, options),
    ...templateRestartErrors(spec, path, 'StatefulSet'),
  ]
}

function managementErrors(policy: string, path: string): FieldErrors {
  if (policy === 'OrderedReady' || policy === 'Parallel') return noErrors
  return [policy === '' ? required(path) : invalid(path, policy, "must be 'OrderedReady' or 'Parallel'")]
}

function updateStrategyErrors(strategy: Struct, path: string): FieldErrors {
  const rolling = structAt(strategy, 'rollingUpdate')
  switch (textAt(strategy, 'type')) {
    case '':
      return [required(path)]
    case 'OnDelete':
      return rolling === undefined
        ? noErrors
        : [
            invalid(
              `${path}.rollingUpdate`,
              rollingUpdateForm(rolling),
              "only allowed for updateStrategy 'RollingUpdate'",
            ),
          ]
    case 'RollingUpdate':
      return rolling === undefined ? noErrors : rollingErrors(rolling, `${path}.rollingUpdate`)
    default:
      return [invalid(path, strategyForm(strategy), "must be 'RollingUpdate' or 'OnDelete'")]
  }
}

function rollingErrors(rolling: JsonObject, path: string): FieldErrors {
  const maxUnavailable = valueAt(rolling, 'maxUnavailable')
  const at = `${path}.maxUnavailable`
  if (maxUnavailable === undefined) return nonNegatives(rolling, path, ['partition'])
  return [
    ...nonNegatives(rolling, path, ['partition']),
    ...intOrPercentErrors(maxUnavailable, at),
    ...(isZeroIntOrPercent(maxUnavailable) ? [invalid(at, maxUnavailable, 'cannot be 0')] : noErrors),
    ...above100PercentErrors(maxUnavailable, at),
  ]
}

function retentionErrors(policy: Struct, path: string): FieldErrors {
  if (policy === undefined) return noErrors
  return ['whenDeleted', 'whenScaled'].flatMap((key): FieldError[] => {
    const value = textAt(policy, key)
    const at = `${path}.persistentVolumeClaimRetentionPolicy.${key}`
    return value === 'Retain' || value === 'Delete' ? [] : [notSupported(at, value, ['Retain', 'Delete'])]
  })
}

function selectorErrors(selector: Struct, path: string): FieldErrors {
  if (selector === undefined) return [required(path)]
  return [
    ...validateLabelSelector(selector, path),
    ...(isEmptySelector(selector)
      ? [invalid(path, shownSelector(selector), 'empty selector is invalid for statefulset')]
      : noErrors),
  ]
}

/** Validates the template as its pods: hostname and subdomain come from the set, and each claim is a volume. */
function podErrors(spec: JsonObject, path: string, options: SpecOptions): FieldErrors {
  const selector = structAt(spec, 'selector')
  const matcher = LabelMatcher.of(selector)
  if (matcher === undefined) return [invalid(`${path}.selector`, shownSelector(selector), '')]
  const template = podTemplateOf(spec)
  return [
    ...templateLabelErrors(template, matcher, `${path}.template`),
    ...(options.skipsTemplate ? noErrors : templateErrors(template, `${path}.template`)),
    ...validateTemplateMetadata(template, `${path}.template`),
  ]
}

function podTemplateOf(spec: JsonObject): JsonObject {
  const claims = structsAt(spec, 'volumeClaimTemplates').map((claim) => textAt(structAt(claim, 'metadata'), 'name'))
  return withStruct(mapAt(spec, 'template'), 'spec', (pod) => {
    const named = withoutField(withoutField(pod, 'subdomain'), 'hostname')
    if (claims.length === 0) return named
    const others = structsAt(pod, 'volumes').filter((volume) => !claims.includes(textAt(volume, 'name')))
    return withField(named, 'volumes', [...[...new Set(claims)].map(claimVolume), ...others])
  })
}

function claimVolume(name: string): Json {
  return { name, persistentVolumeClaim: { claimName: name } }
}

function statusErrors(status: Struct): FieldErrors {
  return [
    ...nonNegatives(status, 'status', [
      'replicas',
      'readyReplicas',
      'currentReplicas',
      'updatedReplicas',
      'availableReplicas',
      'observedGeneration',
      'collisionCount',
    ]),
    ...notAbove(status, {
      path: 'status',
      keys: ['readyReplicas', 'currentReplicas', 'updatedReplicas', 'availableReplicas'],
      limit: 'replicas',
      detail: 'cannot be greater than status.replicas',
    }),
    ...notAbove(status, {
      path: 'status',
      keys: ['availableReplicas'],
      limit: 'readyReplicas',
      detail: 'cannot be greater than status.readyReplicas',
    }),
  ]
}

function claimWarnings(object: JsonObject, suffix: string): readonly string[] {
  return claimTemplateWarnings(mapAt(object, 'spec'), (index) => `spec.volumeClaimTemplates[${index}]${suffix}`)
}

function historyWarnings(object: JsonObject): readonly string[] {
  return (optionalIntegerAt(structAt(object, 'spec'), 'revisionHistoryLimit') ?? 0) < 0
    ? ['spec.revisionHistoryLimit: a negative value retains all historical revisions; a value >= 0 is recommended']
    : []
}
