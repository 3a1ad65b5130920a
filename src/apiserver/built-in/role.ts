// Kinds Role and ClusterRole: rules for resources or non-resource URLs. This module does not check privilege
// escalation.
// Sources: k8s.io/kubernetes/pkg/apis/rbac/validation, pkg/registry/rbac/{role,clusterrole}.
import type { JsonObject } from '../../base/json.ts'
import { type FieldError, invalid, required } from '../field-error.ts'
import { pathSegmentName } from '../name-rules.ts'
import { eachItem, type FieldErrors, noErrors, type Struct, structAt, structsAt, textsAt } from './field-walk.ts'
import { changedMetadataErrors, type KindRules, newMetadataErrors, usualRules } from './kind-rules.ts'
import { LabelMatcher, type LabelSelectorOptions, validateLabelSelector } from './label-selector.ts'

export const roleRules: KindRules = {
  ...usualRules,
  validateCreate: roleErrors,
  validateUpdate: (object, old) => [...roleErrors(object), ...changedMetadataErrors(object, old)],
  createsOnUpdate: true,
}

export const clusterRoleRules: KindRules = {
  ...usualRules,
  validateCreate: (object) => clusterRoleErrors(object, { allowsInvalidValues: false }),
  validateUpdate: (object, old) => [
    ...clusterRoleErrors(object, { allowsInvalidValues: hasFaultySelector(old) }),
    ...changedMetadataErrors(object, old),
  ],
  createsOnUpdate: true,
}

const selectorsPath = 'aggregationRule.clusterRoleSelectors'

function roleErrors(object: JsonObject): FieldErrors {
  return [
    ...newMetadataErrors(object, pathSegmentName),
    ...eachItem(structsAt(object, 'rules'), 'rules', (rule, path) => ruleErrors(rule, path, true)),
  ]
}

function clusterRoleErrors(object: JsonObject, options: LabelSelectorOptions): FieldErrors {
  return [
    ...newMetadataErrors(object, pathSegmentName, false),
    ...eachItem(structsAt(object, 'rules'), 'rules', (rule, path) => ruleErrors(rule, path, false)),
    ...aggregationErrors(structAt(object, 'aggregationRule'), options),
  ]
}

function hasFaultySelector(role: JsonObject): boolean {
  return structsAt(structAt(role, 'aggregationRule'), 'clusterRoleSelectors').some(
    (selector) => validateLabelSelector(selector, '').length > 0,
  )
}

function aggregationErrors(aggregation: Struct, options: LabelSelectorOptions): FieldErrors {
  if (aggregation === undefined) return noErrors
  const selectors = structsAt(aggregation, 'clusterRoleSelectors')
  if (selectors.length === 0)
    return [required(selectorsPath, 'at least one clusterRoleSelector required if aggregationRule is non-nil')]
  return eachItem(selectors, selectorsPath, (selector, path) => [
    ...validateLabelSelector(selector, path, options),
    // The server reports the selector that it failed to build, hence null.
    ...(LabelMatcher.of(selector) === undefined ? [invalid(path, null, 'invalid label selector.')] : noErrors),
  ])
}

function ruleErrors(rule: JsonObject, path: string, isNamespaced: boolean): FieldErrors {
  const has = (key: string): boolean => textsAt(rule, key).length > 0
  const verbErrors = has('verbs') ? [] : [required(`${path}.verbs`, 'verbs must contain at least one value')]
  if (has('nonResourceURLs')) {
    const hasResources = ['apiGroups', 'resources', 'resourceNames'].some(has)
    return [...verbErrors, ...urlErrors(rule, path, { isNamespaced, hasResources })]
  }
  return [
    ...verbErrors,
    ...(has('apiGroups') ? [] : [required(`${path}.apiGroups`, 'resource rules must supply at least one api group')]),
    ...(has('resources') ? [] : [required(`${path}.resources`, 'resource rules must supply at least one resource')]),
  ]
}

function urlErrors(
  rule: JsonObject,
  path: string,
  { isNamespaced, hasResources }: { readonly isNamespaced: boolean; readonly hasResources: boolean },
): FieldError[] {
  const at = `${path}.nonResourceURLs`
  const urls = textsAt(rule, 'nonResourceURLs')
  return [
    ...(isNamespaced ? [invalid(at, urls, 'namespaced rules cannot apply to non-resource URLs')] : []),
    ...(hasResources ? [invalid(at, urls, 'rules cannot apply to both regular resources and non-resource URLs')] : []),
  ]
}
