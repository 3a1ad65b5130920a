// Is a text one of those that a field takes?
import { notSupported, required } from '../field-error.ts'
import { type FieldErrors, noErrors } from './field-walk.ts'

/** `choices` in the order in which the server lists them. An empty text is one more that is not among them. */
export function validateChoice(value: string, field: string, choices: readonly string[]): FieldErrors {
  return choices.includes(value) ? noErrors : [notSupported(field, value, choices)]
}

/** As above, for a field that must be there. */
export function validateRequiredChoice(value: string, field: string, choices: readonly string[]): FieldErrors {
  return value === '' ? [required(field)] : validateChoice(value, field, choices)
}

/** As above, for a field behind a pointer: absent is fine, empty is not. */
export function validateOptionalChoice(
  value: string | undefined,
  field: string,
  choices: readonly string[],
): FieldErrors {
  return value === undefined ? noErrors : validateChoice(value, field, choices)
}

/** How an image may be pulled. */
export const pullPolicies = ['Always', 'IfNotPresent', 'Never']
