// Validation of conditions in the common form (metav1.Condition).
// Source: k8s.io/apimachinery/pkg/apis/meta/v1/validation/validation.go, ValidateConditions.
import type { JsonObject } from '../../base/json.ts'
import { type FieldError, invalid, notSupported, required, tooLong } from '../field-error.ts'
import { byteLength, labelKeyFaults, regexFault } from '../name-rules.ts'
import { invalids } from '../object-meta.ts'
import { eachItem, type FieldErrors, integerAt, noErrors, textAt } from './field-walk.ts'

const statuses = ['False', 'True', 'Unknown']
const reason = '[A-Za-z]([A-Za-z0-9_,:]*[A-Za-z0-9_])?'
const reasonPattern = new RegExp(`^${reason}$`)
const reasonFault = regexFault(
  "a condition reason must start with alphabetic character, optionally followed by a string of alphanumeric characters or '_,:', and must end with an alphanumeric character or '_'",
  reason,
  ['my_name', 'MY_NAME', 'MyName', 'ReasonA,ReasonB', 'ReasonA:ReasonB'],
)
const maxReasonBytes = 1024
const maxMessageBytes = 32 * 1024

export function conditionsErrors(conditions: readonly JsonObject[], path: string): FieldErrors {
  const seen = new Set<string>()
  return eachItem(conditions, path, (condition, at) => {
    const type = textAt(condition, 'type')
    const isSecond = seen.has(type)
    seen.add(type)
    const errors = conditionErrors(condition, at)
    return isSecond
      ? [{ type: 'FieldValueDuplicate', field: `${at}.type`, value: type, detail: '' }, ...errors]
      : errors
  })
}

function conditionErrors(condition: JsonObject, path: string): FieldErrors {
  const type = textAt(condition, 'type')
  const status = textAt(condition, 'status')
  const generation = integerAt(condition, 'observedGeneration')
  const hasTime = textAt(condition, 'lastTransitionTime') !== ''
  const isTooLong = byteLength(textAt(condition, 'message')) > maxMessageBytes
  return [
    ...invalids(`${path}.type`, type, labelKeyFaults(type)),
    ...(statuses.includes(status) ? noErrors : [notSupported(`${path}.status`, status, statuses)]),
    ...(generation < 0
      ? [invalid(`${path}.observedGeneration`, generation, 'must be greater than or equal to zero')]
      : noErrors),
    ...(hasTime ? noErrors : [required(`${path}.lastTransitionTime`)]),
    ...reasonErrors(textAt(condition, 'reason'), `${path}.reason`),
    ...(isTooLong ? [tooLong(`${path}.message`, maxMessageBytes)] : noErrors),
  ]
}

function reasonErrors(reason: string, path: string): FieldError[] {
  if (reason === '') return [required(path)]
  return [
    ...(reasonPattern.test(reason) ? [] : [invalid(path, reason, reasonFault)]),
    ...(byteLength(reason) > maxReasonBytes ? [tooLong(path, maxReasonBytes)] : []),
  ]
}
