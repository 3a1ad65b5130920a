// Validation of node selectors: of a pod's affinity, and of volumes with node affinity.
// Source: k8s.io/kubernetes/pkg/apis/core/validation/validation.go (ValidateNodeSelector and its neighbours).
import type { JsonObject } from '../../base/json.ts'
import { duplicate, forbidden, invalid, required } from '../field-error.ts'
import { dnsSubdomainName } from '../name-rules.ts'
import { invalids } from '../object-meta.ts'
import { eachItem, type FieldErrors, noErrors, structsAt, textAt, textsAt } from './field-walk.ts'
import { validateLabelKey, validateLabelValues } from './label-rules.ts'

/** Preferred terms may have label values that no node can have. */
export type LabelValues = 'checked' | 'unchecked'

export function validateNodeSelector(selector: JsonObject, field: string): FieldErrors {
  const terms = structsAt(selector, 'nodeSelectorTerms')
  const path = `${field}.nodeSelectorTerms`
  if (terms.length === 0) return [required(path, 'must have at least one node selector term')]
  return eachItem(terms, path, (term, termPath) => validateNodeSelectorTerm(term, termPath, 'checked'))
}

export function validateNodeSelectorTerm(term: JsonObject, field: string, values: LabelValues): FieldErrors {
  return [
    ...eachItem(structsAt(term, 'matchExpressions'), `${field}.matchExpressions`, (requirement, path) =>
      labelErrors(requirement, path, values),
    ),
    ...eachItem(structsAt(term, 'matchFields'), `${field}.matchFields`, fieldErrors),
  ]
}

/** Validates a topology term of a StorageClass. */
export function validateTopologySelectorTerm(term: JsonObject, field: string): FieldErrors {
  const keys = new Set<string>()
  return eachItem(structsAt(term, 'matchLabelExpressions'), `${field}.matchLabelExpressions`, (requirement, path) => {
    const key = textAt(requirement, 'key')
    const isTaken = keys.has(key)
    keys.add(key)
    return [
      ...distinctErrors(textsAt(requirement, 'values'), `${path}.values`),
      ...validateLabelKey(key, `${path}.key`),
      ...(isTaken ? [duplicate(`${path}.key`, key)] : []),
    ]
  })
}

function distinctErrors(values: readonly string[], field: string): FieldErrors {
  if (values.length === 0) return [required(field)]
  return eachItem(values, field, (value, path, index) =>
    values.indexOf(value) < index ? [duplicate(path, value)] : noErrors,
  )
}

function labelErrors(requirement: JsonObject, field: string, checked: LabelValues): FieldErrors {
  const values = textsAt(requirement, 'values')
  return [
    ...operatorErrors(textAt(requirement, 'operator'), values, field),
    ...validateLabelKey(textAt(requirement, 'key'), `${field}.key`),
    ...(checked === 'checked' ? validateLabelValues(values, `${field}.values`) : []),
  ]
}

function operatorErrors(operator: string, values: readonly string[], field: string): FieldErrors {
  const path = `${field}.values`
  switch (operator) {
    case 'In':
    case 'NotIn':
      return values.length > 0 ? noErrors : [required(path, "must be specified when `operator` is 'In' or 'NotIn'")]
    case 'Exists':
    case 'DoesNotExist':
      return values.length === 0
        ? noErrors
        : [forbidden(path, "may not be specified when `operator` is 'Exists' or 'DoesNotExist'")]
    case 'Gt':
    case 'Lt':
      return values.length === 1
        ? noErrors
        : [required(path, "must be specified single value when `operator` is 'Lt' or 'Gt'")]
    default:
      return [invalid(`${field}.operator`, operator, 'not a valid selector operator')]
  }
}

function fieldErrors(requirement: JsonObject, field: string): FieldErrors {
  const operator = textAt(requirement, 'operator')
  const key = textAt(requirement, 'key')
  const values = textsAt(requirement, 'values')
  const one = "must be only one value when `operator` is 'In' or 'NotIn' for node field selector"
  const isKnown = operator === 'In' || operator === 'NotIn'
  return [
    ...(isKnown ? [] : [invalid(`${field}.operator`, operator, 'not a valid selector operator')]),
    ...(isKnown && values.length !== 1 ? [required(`${field}.values`, one)] : []),
    ...(key === 'metadata.name'
      ? eachItem(values, `${field}.values`, (value, path) => invalids(path, value, dnsSubdomainName(value, false)))
      : [invalid(`${field}.key`, key, 'not a valid field selector key')]),
  ]
}
