// Validation of fields with a fixed set of values.
import { notSupported, required } from '../field-error.ts'
import { type FieldErrors, noErrors } from './field-walk.ts'

/** `choices` are in the order in which the server lists them. An empty text is not a choice. */
export function validateChoice(value: string, field: string, choices: readonly string[]): FieldErrors {
  return choices.includes(value) ? noErrors : [notSupported(field, value, choices)]
}

/** As `validateChoice`, for a required field. */
export function validateRequiredChoice(value: string, field: string, choices: readonly string[]): FieldErrors {
  return value === '' ? [required(field)] : validateChoice(value, field, choices)
}

/** As `validateChoice`, for an optional pointer field: an empty text is invalid. */
export function validateOptionalChoice(
  value: string | undefined,
  field: string,
  choices: readonly string[],
): FieldErrors {
  return value === undefined ? noErrors : validateChoice(value, field, choices)
}

/** Pull policies of an image. */
export const pullPolicies = ['Always', 'IfNotPresent', 'Never']
