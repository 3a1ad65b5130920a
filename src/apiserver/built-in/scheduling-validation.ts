// Validation of a pod's scheduling fields: affinity, topology spread and tolerations.
// Source: k8s.io/kubernetes/pkg/apis/core/validation/validation.go.
import type { JsonObject } from '../../base/json.ts'
import { duplicate, type FieldError, forbidden, invalid, required } from '../field-error.ts'
import { dnsLabelName, labelValueFaults } from '../name-rules.ts'
import { invalids } from '../object-meta.ts'
import { validateChoice, validateOptionalChoice } from './choice-rules.ts'
import {
  eachItem,
  type FieldErrors,
  integerAt,
  mapAt,
  noErrors,
  optionalIntegerAt,
  optionalTextAt,
  type Struct,
  structAt,
  structsAt,
  textAt,
  textsAt,
} from './field-walk.ts'
import { validateLabelKey } from './label-rules.ts'
import { validateLabelSelector } from './label-selector.ts'
import { validateNodeSelector, validateNodeSelectorTerm } from './node-selector.ts'

const mandatory = 'requiredDuringSchedulingIgnoredDuringExecution'
const preferred = 'preferredDuringSchedulingIgnoredDuringExecution'
export const taintEffects = ['NoSchedule', 'PreferNoSchedule', 'NoExecute']

export function validateAffinity(affinity: Struct, field: string): FieldErrors {
  if (affinity === undefined) return noErrors
  return [
    ...nodeAffinityErrors(structAt(affinity, 'nodeAffinity'), `${field}.nodeAffinity`),
    ...podAffinityErrors(structAt(affinity, 'podAffinity'), `${field}.podAffinity`),
    ...podAffinityErrors(structAt(affinity, 'podAntiAffinity'), `${field}.podAntiAffinity`),
  ]
}

export function validateTolerations(tolerations: readonly JsonObject[], field: string): FieldErrors {
  return eachItem(tolerations, field, (toleration, path) => {
    const [key, operator, effect] = [
      textAt(toleration, 'key'),
      textAt(toleration, 'operator'),
      textAt(toleration, 'effect'),
    ]
    const hasSeconds = optionalIntegerAt(toleration, 'tolerationSeconds') !== undefined
    return [
      ...(key === '' ? [] : validateLabelKey(key, `${path}.key`)),
      ...(key === '' && operator !== 'Exists' ? [invalid(`${path}.operator`, operator, forAllKeys)] : []),
      ...(hasSeconds && effect !== 'NoExecute' ? [invalid(`${path}.effect`, effect, forEvictions)] : []),
      ...operatorErrors(operator, textAt(toleration, 'value'), path),
      ...(effect === '' ? [] : validateChoice(effect, `${path}.effect`, taintEffects)),
    ]
  })
}

export function validateTopologySpread(constraints: readonly JsonObject[], field: string): FieldErrors {
  return eachItem(constraints, field, (constraint, path, index) => {
    const [key, action] = [textAt(constraint, 'topologyKey'), textAt(constraint, 'whenUnsatisfiable')]
    const skew = integerAt(constraint, 'maxSkew')
    const policies = ['Honor', 'Ignore']
    return [
      ...(skew > 0 ? [] : [invalid(`${path}.maxSkew`, skew, 'must be greater than zero')]),
      ...(key === '' ? [required(`${path}.topologyKey`, 'can not be empty')] : []),
      ...validateChoice(action, `${path}.whenUnsatisfiable`, ['DoNotSchedule', 'ScheduleAnyway']),
      ...repetitionErrors(key, action, constraints.slice(index + 1), path),
      ...minDomainsErrors(constraint, action, `${path}.minDomains`),
      ...validateOptionalChoice(
        optionalTextAt(constraint, 'nodeAffinityPolicy'),
        `${path}.nodeAffinityPolicy`,
        policies,
      ),
      ...validateOptionalChoice(optionalTextAt(constraint, 'nodeTaintsPolicy'), `${path}.nodeTaintsPolicy`, policies),
      ...labelKeysErrors(constraint, path),
      ...validateLabelSelector(structAt(constraint, 'labelSelector'), `${path}.labelSelector`),
    ]
  })
}

const forAllKeys = 'operator must be Exists when `key` is empty, which means "match all values and all keys"'
const forEvictions = "effect must be 'NoExecute' when `tolerationSeconds` is set"

function operatorErrors(operator: string, value: string, field: string): FieldErrors {
  const path = `${field}.operator`
  switch (operator) {
    case '':
    case 'Equal': {
      const faults = labelValueFaults(value)
      return faults.length === 0 ? noErrors : [invalid(path, value, faults.join(';'))]
    }
    case 'Exists':
      return value === '' ? noErrors : [invalid(path, value, "value must be empty when `operator` is 'Exists'")]
    case 'Lt':
    case 'Gt':
      return [
        {
          ...invalid(path, operator, 'supported values: "Equal", "Exists", "Lt", "Gt"'),
          type: 'FieldValueNotSupported',
        },
      ]
    default:
      return validateChoice(operator, path, ['Equal', 'Exists'])
  }
}

function nodeAffinityErrors(affinity: Struct, field: string): FieldErrors {
  const selector = structAt(affinity, mandatory)
  return [
    ...(selector === undefined ? [] : validateNodeSelector(selector, `${field}.${mandatory}`)),
    ...eachItem(structsAt(affinity, preferred), `${field}.${preferred}`, (term, path) => [
      ...weightErrors(term, path),
      ...validateNodeSelectorTerm(structAt(term, 'preference') ?? {}, `${path}.preference`, 'unchecked'),
    ]),
  ]
}

function podAffinityErrors(affinity: Struct, field: string): FieldErrors {
  return [
    ...eachItem(structsAt(affinity, mandatory), `${field}.${mandatory}`, podTermErrors),
    ...eachItem(structsAt(affinity, preferred), `${field}.${preferred}`, (term, path) => [
      ...weightErrors(term, path),
      ...podTermErrors(structAt(term, 'podAffinityTerm') ?? {}, `${path}.podAffinityTerm`),
    ]),
  ]
}

function weightErrors(term: JsonObject, field: string): readonly FieldError[] {
  const weight = integerAt(term, 'weight')
  return weight > 0 && weight <= 100 ? noErrors : [invalid(`${field}.weight`, weight, 'must be in the range 1-100')]
}

function podTermErrors(term: JsonObject, field: string): FieldErrors {
  const topologyKey = textAt(term, 'topologyKey')
  return [
    ...validateLabelSelector(structAt(term, 'labelSelector'), `${field}.labelSelector`),
    ...validateLabelSelector(structAt(term, 'namespaceSelector'), `${field}.namespaceSelector`),
    ...textsAt(term, 'namespaces').flatMap((name) => invalids(`${field}.namespace`, name, dnsLabelName(name, false))),
    ...labelKeysErrors(term, field),
    ...(topologyKey === '' ? [required(`${field}.topologyKey`, 'can not be empty')] : []),
    ...validateLabelKey(topologyKey, `${field}.topologyKey`),
  ]
}

/** Validates label keys whose values come from the pod's own labels. */
function labelKeysErrors(term: JsonObject, field: string): FieldErrors {
  const matching = textsAt(term, 'matchLabelKeys')
  const mismatching = textsAt(term, 'mismatchLabelKeys')
  const selector = structAt(term, 'labelSelector')
  return [
    ...keysErrors(matching, selector, `${field}.matchLabelKeys`),
    ...keysErrors(mismatching, selector, `${field}.mismatchLabelKeys`),
    ...selectedTwiceErrors(matching, selector, field),
    ...eachItem(matching, `${field}.matchLabelKeys`, (key, path) =>
      mismatching.includes(key)
        ? [invalid(path, key, 'exists in both matchLabelKeys and mismatchLabelKeys')]
        : noErrors,
    ),
  ]
}

function keysErrors(keys: readonly string[], selector: Struct, field: string): FieldErrors {
  if (keys.length === 0) return noErrors
  if (selector === undefined) return [forbidden(field, 'must not be specified when labelSelector is not set')]
  return eachItem(keys, field, validateLabelKey)
}

/** The server has already added the pod's own label to the expressions; a second one comes from the user. */
function selectedTwiceErrors(keys: readonly string[], selector: Struct, field: string): FieldErrors {
  if (keys.length === 0 || selector === undefined) return noErrors
  const selected = new Set(Object.keys(mapAt(selector, 'matchLabels')))
  return structsAt(selector, 'matchExpressions').flatMap((expression) => {
    const key = textAt(expression, 'key')
    const isTwice = keys.includes(key) && selected.has(key)
    selected.add(key)
    if (!isTwice) return noErrors
    return [invalid(`${field}[${keys.lastIndexOf(key)}]`, key, 'exists in both matchLabelKeys and labelSelector')]
  })
}

function repetitionErrors(key: string, action: string, rest: readonly JsonObject[], field: string): FieldErrors {
  const isRepeated = rest.some(
    (other) => textAt(other, 'topologyKey') === key && textAt(other, 'whenUnsatisfiable') === action,
  )
  return isRepeated ? [duplicate(`${field}.{topologyKey, whenUnsatisfiable}`, `{${key}, ${action}}`)] : noErrors
}

function minDomainsErrors(constraint: JsonObject, action: string, field: string): FieldErrors {
  const domains = optionalIntegerAt(constraint, 'minDomains')
  if (domains === undefined) return noErrors
  const fault = `can only use minDomains if whenUnsatisfiable=DoNotSchedule, not ${action}`
  return [
    ...(domains > 0 ? [] : [invalid(field, domains, 'must be greater than zero')]),
    ...(action === 'DoNotSchedule' ? [] : [invalid(field, domains, fault)]),
  ]
}
