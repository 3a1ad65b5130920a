// Kind ReplicaSet. Its selector must match its own template.
// Sources: k8s.io/kubernetes/pkg/apis/apps/{v1/defaults.go,validation/validation.go}, pkg/registry/apps/replicaset.
import type { JsonObject } from '../../base/json.ts'
import { type FieldError, invalid, required } from '../field-error.ts'
import { dns1123Label, dnsSubdomainName } from '../name-rules.ts'
import { nonNegatives, notAbove } from './count-rules.ts'
import {
  type FieldErrors,
  integerAt,
  mapAt,
  noErrors,
  type Struct,
  structAt,
  textAt,
  valueAt,
  withDefaults,
  withEmbedded,
} from './field-walk.ts'
import {
  asNew,
  changedMetadataErrors,
  immutableErrors,
  isGenerationChanged,
  type KindRules,
  keepStatus,
  newMetadataErrors,
  statusIsReset,
  statusSteps,
  usualRules,
} from './kind-rules.ts'
import { isEmptySelector, LabelMatcher, shownSelector, validateLabelSelector } from './label-selector.ts'
import {
  templateErrors,
  templateLabelErrors,
  templateRestartErrors,
  templateWarnings,
  withTemplateDefaults,
} from './workload-template.ts'

export const replicaSetRules: KindRules = {
  ...usualRules,
  setDefaults: (object) =>
    withEmbedded(object, 'spec', (spec) => withTemplateDefaults(withDefaults(spec, { replicas: 1 }))),
  prepareForCreate: (object) => asNew(object, { replicas: 0 }),
  prepareForUpdate: keepStatus,
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
  status: statusSteps((object, old) => [
    ...changedMetadataErrors(object, old),
    ...statusErrors(structAt(object, 'status')),
  ]),
  selectableFields: (object) => ({ 'status.replicas': String(integerAt(structAt(object, 'status'), 'replicas')) }),
}

function specErrors(spec: JsonObject, path: string): FieldErrors {
  return [...nonNegatives(spec, path, ['replicas', 'minReadySeconds']), ...chosenPodsErrors(spec, path)]
}

/** Validates selector and template together, for ReplicaSets and Deployments. */
export function chosenPodsErrors(spec: JsonObject, path: string): FieldErrors {
  const selector = structAt(spec, 'selector')
  const matcher = LabelMatcher.of(selector)
  const at = `${path}.selector`
  const selectorErrors = requiredSelectorErrors(selector, at)
  if (matcher === undefined) return [...selectorErrors, invalid(at, shownSelector(selector), 'invalid label selector')]
  const template = mapAt(spec, 'template')
  return [
    ...selectorErrors,
    ...templateLabelErrors(template, matcher, `${path}.template`),
    ...templateErrors(template, `${path}.template`),
    ...templateRestartErrors(spec, path, 'ReplicaSet'),
  ]
}

function requiredSelectorErrors(selector: Struct, path: string): FieldErrors {
  if (selector === undefined) return [required(path)]
  const isEmpty = isEmptySelector(selector)
  return [
    ...validateLabelSelector(selector, path),
    // The message names Deployments for both kinds.
    ...(isEmpty ? [invalid(path, shownSelector(selector), 'empty selector is invalid for deployment')] : noErrors),
  ]
}

export function immutableSelectorErrors(object: JsonObject, old: JsonObject): FieldErrors {
  const selector = structAt(structAt(object, 'spec'), 'selector')
  return immutableErrors(selector, valueAt(structAt(old, 'spec'), 'selector'), {
    path: 'spec.selector',
    shown: () => shownSelector(selector),
  })
}

/** Warns about a name that results in unexpected hostnames of pods. */
export function podNameWarnings(object: JsonObject): readonly string[] {
  const faults = dns1123Label(textAt(structAt(object, 'metadata'), 'name'))
  if (faults.length === 0) return []
  return [
    `metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [${faults.join(' ')}]`,
  ]
}

function statusErrors(status: Struct): FieldError[] {
  const [path, limit] = ['status', 'replicas']
  return [
    ...nonNegatives(status, path, [
      'replicas',
      'fullyLabeledReplicas',
      'readyReplicas',
      'availableReplicas',
      'observedGeneration',
      'terminatingReplicas',
    ]),
    ...notAbove(status, {
      path,
      keys: ['fullyLabeledReplicas', 'readyReplicas', 'availableReplicas'],
      limit,
      detail: 'cannot be greater than status.replicas',
    }),
    ...notAbove(status, {
      path,
      keys: ['availableReplicas'],
      limit: 'readyReplicas',
      detail: 'cannot be greater than readyReplicas',
    }),
  ]
}
