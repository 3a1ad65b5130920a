// Kind PodDisruptionBudget: one bound, either minAvailable or maxUnavailable.
// Sources: k8s.io/kubernetes/pkg/apis/policy/validation, pkg/registry/policy/poddisruptionbudget.
import type { JsonObject } from '../../base/json.ts'
import { invalid, notSupported } from '../field-error.ts'
import { conditionsErrors } from './conditions.ts'
import { nonNegatives } from './count-rules.ts'
import { type FieldErrors, mapAt, noErrors, optionalTextAt, structAt, structsAt, valueAt } from './field-walk.ts'
import { above100PercentErrors, intOrPercentErrors } from './int-or-percent.ts'
import { asNew, type KindRules, keepStatus, statusIsReset, statusSteps, usualRules } from './kind-rules.ts'
import { type LabelSelectorOptions, shownSelector, validateLabelSelector } from './label-selector.ts'
import { showOptional, showPointer, showStruct } from './shown-form.ts'

const emptyStatus = { disruptionsAllowed: 0, currentHealthy: 0, desiredHealthy: 0, expectedPods: 0 }

const specForm = showStruct({
  MinAvailable: ['minAvailable', showOptional],
  Selector: ['selector', showPointer((selector) => shownSelector(mapAt({ selector }, 'selector')))],
  MaxUnavailable: ['maxUnavailable', showOptional],
  UnhealthyPodEvictionPolicy: ['unhealthyPodEvictionPolicy', showOptional],
})

/** This kind does not validate metadata; the handler does so for every kind. */
export const podDisruptionBudgetRules: KindRules = {
  ...usualRules,
  prepareForCreate: (object) => asNew(object, emptyStatus),
  prepareForUpdate: keepStatus,
  validateCreate: (object) => specErrors(mapAt(object, 'spec'), { allowsInvalidValues: false }),
  validateUpdate: (object, old) => {
    const hasFaultySelector = validateLabelSelector(structAt(structAt(old, 'spec'), 'selector'), '').length > 0
    return specErrors(mapAt(object, 'spec'), { allowsInvalidValues: hasFaultySelector })
  },
  allowsUnconditionalUpdate: false,
  resetFields: statusIsReset,
  status: statusSteps((object) => {
    const status = structAt(object, 'status')
    return [
      ...conditionsErrors(structsAt(status, 'conditions'), 'status.conditions'),
      ...nonNegatives(status, 'status', Object.keys(emptyStatus)),
    ]
  }),
}

function specErrors(spec: JsonObject, options: LabelSelectorOptions): FieldErrors {
  const minAvailable = valueAt(spec, 'minAvailable')
  const maxUnavailable = valueAt(spec, 'maxUnavailable')
  const policy = optionalTextAt(spec, 'unhealthyPodEvictionPolicy')
  const isKnownPolicy = policy === undefined || policy === 'AlwaysAllow' || policy === 'IfHealthyBudget'
  return [
    ...(minAvailable !== undefined && maxUnavailable !== undefined
      ? [invalid('spec', specForm(spec), 'minAvailable and maxUnavailable cannot be both set')]
      : noErrors),
    ...intOrPercentErrors(minAvailable, 'spec.minAvailable'),
    ...above100PercentErrors(minAvailable, 'spec.minAvailable'),
    ...intOrPercentErrors(maxUnavailable, 'spec.maxUnavailable'),
    ...above100PercentErrors(maxUnavailable, 'spec.maxUnavailable'),
    ...validateLabelSelector(structAt(spec, 'selector'), 'spec.selector', options),
    ...(isKnownPolicy
      ? noErrors
      : [notSupported('spec.unhealthyPodEvictionPolicy', policy, ['AlwaysAllow', 'IfHealthyBudget'])]),
  ]
}
